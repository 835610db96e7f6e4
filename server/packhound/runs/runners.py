"""The table of runners: what checks a folder, where it applies, how its output is read.

The built-in one is `runners.toml` beside this module. The user changes it in a file of that name in
his own configuration folder; no workspace can.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
import re2
from msgspec import Meta, Struct

from packhound.core.errors import SettingsError
from packhound.core.user_folders import config_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Form: TypeAlias = Literal[
    "pattern", "ruff", "pytest", "cargo", "cargo test", "go test", "eslint", "node tests"
]

_PATTERN = (
    r"(?P<path>[^\s:()]+?):(?P<line>\d+):(?:(?P<column>\d+):?)?\s*"
    r"(?:(?P<severity>error|warning|note)\b:?\s*)?(?P<message>.*)"
)
_MAX_BYTES = 100_000
_BUILT_IN = Path(__file__).with_name("runners.toml")
_Word: TypeAlias = Annotated[str, Meta(min_length=1, max_length=4_096)]


class Runner(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command that checks a folder.

    It applies where one of `detect` is there: a glob, or `GLOB:TEXT` for a file that has a text.
    `arguments` stand behind the command. `pattern` reads a line of the output, with groups `path`,
    `line`, and if there are `column`, `severity`, `code`, `message` or `test` and `outcome` (ok or
    FAILED); `coverage` one with a group `percent`. Its exit code 0 is success, as are those of
    `ok_codes`.
    """

    command: tuple[_Word, ...] = ()
    arguments: tuple[_Word, ...] = ()
    detect: tuple[_Word, ...] = ("*",)
    form: Form = "pattern"
    pattern: str = _PATTERN
    coverage: str = ""
    tests: bool = False
    ok_codes: tuple[int, ...] = ()
    environment: Mapping[str, str] = {}
    enabled: bool = True


class Table(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Runners by name in the order in which they run, and what their environment has besides.

    `path` are folders before those of PATH, `environment` names of variables to pass on; `git` says
    that a build asks git, so that the copy has a `.git`.
    """

    runners: Mapping[str, Runner] = {}
    path: tuple[_Word, ...] = ()
    environment: tuple[_Word, ...] = ()
    git: bool = False

    def only(self, names: Collection[str]) -> Table:
        """Return the table with some runners alone, all for none. Raises SettingsError."""
        for name in names:
            if name not in self.runners:
                raise SettingsError(
                    f"no runner '{name}'; expected one of: {', '.join(self.runners)}"
                )
        chosen = {n: runner for n, runner in self.runners.items() if not names or n in names}
        return msgspec.structs.replace(self, runners=chosen)


def read_table() -> Table:
    """Return the built-in table as the user's `runners.toml` changes it. Raises SettingsError."""
    path = config_folder() / "runners.toml"
    try:
        values = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
        rows = dict(tomllib.loads(_BUILT_IN.read_text("utf-8"))["runners"])
        for name, row in values.get("runners", {}).items():
            rows[name] = {**rows.get(name, {}), **row}
        table = msgspec.convert({**values, "runners": rows}, Table)
        for name, runner in table.runners.items():
            groups = compile_pattern(runner.pattern).groupindex
            if runner.enabled and not runner.command:
                raise ValueError(f"runner '{name}' has no command")
            if runner.form == "pattern" and not {"path", "test"}.intersection(groups):
                raise ValueError(f"the pattern of runner '{name}' has no group 'path' or 'test'")
            for glob in (each.partition(":")[0] for each in runner.detect):
                if not _is_within(glob):
                    raise ValueError(f"'detect' of runner '{name}' has no glob of a folder: {glob}")
            if runner.coverage and "percent" not in compile_pattern(runner.coverage).groupindex:
                raise ValueError(f"the coverage of runner '{name}' has no group 'percent'")
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise SettingsError(f"'{path}': {error}") from None
    return table


def _is_within(glob: str) -> bool:
    """Return True for a glob of files within a folder."""
    try:
        next(_BUILT_IN.glob(glob), None)
    except (NotImplementedError, ValueError, IndexError):
        return False
    return ".." not in Path(glob).parts


def compile_pattern(text: str) -> Any:  # noqa: ANN401 - RE2 has no types
    """Compile a pattern, which takes time linear in a line: a patch decides what tools print.

    Raises ValueError.
    """
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(text, options)
    except re2.error as error:
        problem = error.args[0].decode("utf-8", "replace")
        raise ValueError(f"'{text:.80}' is no pattern of RE2: {problem}") from None


def applying(table: Table, folder: Path) -> Iterator[str]:
    """Yield the names of the runners that apply to a folder."""
    for name, runner in table.runners.items():
        if runner.enabled and any(_is_there(folder, each) for each in runner.detect):
            yield name


def _is_there(folder: Path, detected: str) -> bool:
    glob, _, text = detected.partition(":")
    paths = (path for path in folder.glob(glob) if not path.is_symlink())
    if not text:
        return any(True for _ in paths)
    return any(
        path.is_file() and text in path.read_bytes()[:_MAX_BYTES].decode("utf-8", "replace")
        for path in paths
    )


def command_of(runner: Runner, folder: Path) -> tuple[list[str], list[str]]:
    """Return the command for a folder, and notes on what it leaves out."""
    notes, words = list[str](), list[str]()
    for word in runner.command:
        if word == "{frozen}":
            is_locked = (folder / "Cargo.lock").is_file()
            words.append("--frozen" if is_locked else "--offline")
            if not is_locked:
                notes.append("there is no Cargo.lock: cargo resolves versions anew, offline")
        elif word == "{paths}":
            words += [] if _names_files(folder) else ["."]
        else:
            words.append(word)
    return [*words, *runner.arguments], notes


def _names_files(folder: Path) -> bool:
    """Return True if mypy's configuration says what it reads."""
    names = ("pyproject.toml", "mypy.ini", ".mypy.ini", "setup.cfg")
    texts = (folder / name for name in names)
    return any(
        re.search(rb"(?m)^(?:files|packages|modules)\s*=", path.read_bytes()[:_MAX_BYTES])
        for path in texts
        if path.is_file() and not path.is_symlink()
    )


_PASSED_ON = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME")
_TOOLCHAINS = {
    "CARGO_HOME": ".cargo",
    "RUSTUP_HOME": ".rustup",
    "PYENV_ROOT": ".pyenv",
    "GOPATH": "go",
}
# What is below `cache` is kept: of tools that compare texts, or times to the second; and of cargo,
# which takes for built what is older than its output, so that a copy is made newer than that.
_RUN_FOLDERS = {
    "HOME": "home",
    "TMPDIR": "tmp",
    "XDG_CACHE_HOME": "home/.cache",
    "CARGO_TARGET_DIR": "cache/cargo",
    "GOCACHE": "cache/go",
    "MYPY_CACHE_DIR": "cache/mypy",
    "RUFF_CACHE_DIR": "cache/ruff",
}
_DEPENDENCIES = (".venv", "venv", "node_modules", "*/node_modules", "*/*/node_modules")


def dependencies_of(root: Path) -> list[str]:
    """Return the folders of installed dependencies within a folder, which are not copied."""
    candidates = (path for glob in _DEPENDENCIES for path in sorted(root.glob(glob)))
    return [
        path.relative_to(root).as_posix()
        for path in candidates
        if path.is_dir() and "node_modules" not in path.relative_to(root).parts[:-1]
    ]


def installed_stamps(root: Path) -> list[int]:
    """Return times that change when a dependency is installed or removed."""
    folders = [root / path for path in dependencies_of(root)]
    nested = [path for folder in folders for path in sorted(folder.glob("lib/*/site-packages"))]
    return [path.stat().st_mtime_ns for path in (*folders, *nested)]


def environment_of(table: Table, root: Path, home: Path) -> dict[str, str]:
    """Return what a command gets to know: its tools, folders of its own, no name of a secret."""
    folders = [root / ".venv" / "bin", root / "venv" / "bin", root / "node_modules" / ".bin"]
    path = [*table.path, *(str(each) for each in folders if each.is_dir())]
    inherited = {n: os.environ[n] for n in (*_PASSED_ON, *table.environment) if n in os.environ}
    tools = {
        name: os.environ.get(name) or str(Path.home() / folder)
        for name, folder in _TOOLCHAINS.items()
        if name in os.environ or (Path.home() / folder).is_dir()
    }
    return {
        **tools,
        **inherited,
        **{name: str(home / folder) for name, folder in _RUN_FOLDERS.items()},
        "PATH": os.pathsep.join([*path, os.environ.get("PATH", os.defpath)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "GOPROXY": "off",
        "CARGO_NET_OFFLINE": "true",
        "CARGO_INCREMENTAL": "0",
        "npm_config_offline": "true",
        "PIP_NO_INDEX": "1",
        "UV_OFFLINE": "1",
        "CI": "1",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }


def program_of(command: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """Return where the program of a command is; None where it is not installed."""
    return shutil.which(command[0], path=environment["PATH"])
