"""The user's own git, asked so that nothing else runs: no hook, filter, pager, prompt or transport.

A repository's configuration can name programs. Those that a log, a status or a diff would start are
switched off on the command line; where that is impossible (filters) the question is not asked.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from packhound.core.log import log

GitState = Literal["ready", "untracked", "unavailable"]

_TIMEOUT_S = 30.0
_CHUNK = 1 << 16

_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}
FOREIGN = {
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"),
    *("GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_EXTERNAL_DIFF"),
    *("GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_DIFF_OPTS"),
}
"""Set where a hook started us; they speak of another repository than the folder's."""
_SAFE = (
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat"),
    *("-c", "core.quotePath=false", "-c", "protocol.allow=never", "-c", "log.showSignature=false"),
)

Stamp: TypeAlias = tuple[int, ...]
"""When what git keeps of a working tree was last written."""


@dataclass(frozen=True, slots=True)
class Repository:
    """The working tree that a folder lies in; `prefix` is the folder within it, ending in `/`.

    A bare one has none: the folder has the files of its HEAD, and links to it.
    """

    state: GitState
    folder: Path = Path()
    prefix: str = ""
    is_bare: bool = False

    def stamp(self) -> Stamp:
        """Return a value that changes with every commit, checkout and `git add`; three stats."""
        return tuple(map(_mtime_ns, (self.folder / n for n in ("HEAD", "index", "logs/HEAD"))))


def open_repository(root: Path) -> Repository:
    """Return the repository that `root` lies in; never raises."""
    if git_program(root) is None:
        return Repository("unavailable")
    questions = ("--show-prefix", "--absolute-git-dir", "--is-bare-repository")
    done = _run(root, ("rev-parse", *questions), _TIMEOUT_S)
    if done is None:
        return Repository("unavailable")
    if done.returncode:
        return Repository("untracked" if b"not a git repository" in done.stderr else "unavailable")
    prefix, folder, is_bare, *_ = [*os.fsdecode(done.stdout).split("\n"), "", "", ""]
    return Repository("ready", Path(folder), prefix, is_bare == "true")


def git(
    root: Path, *arguments: str, timeout_s: float = _TIMEOUT_S, stdin: bytes = b""
) -> str | None:
    """Return the output of git; None if it fails, or not in time."""
    output = git_bytes(root, *arguments, timeout_s=timeout_s, stdin=stdin)
    return None if output is None else os.fsdecode(output)


def git_bytes(
    root: Path, *arguments: str, timeout_s: float = _TIMEOUT_S, stdin: bytes = b""
) -> bytes | None:
    """Return the output of git as it is; None if it fails, or not in time."""
    done = _run(root, arguments, timeout_s, stdin)
    return None if done is None or done.returncode else done.stdout


def stream(
    root: Path,
    *arguments: str,
    timeout_s: float,
    on_timeout: Callable[[str], None] = log.warning,
) -> Iterator[str]:
    """Yield the output of git piece by piece; `on_timeout` gets a line if that ended early."""
    process = _start(root, arguments)
    if process is None:
        return
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(timeout_s, stop)
    timer.daemon = True
    timer.start()
    with process:
        assert process.stdout is not None
        try:
            while piece := process.stdout.read(_CHUNK):
                yield os.fsdecode(piece)
        finally:
            timer.cancel()
            process.kill()
    if late.is_set():
        on_timeout(f"git {arguments[0]} took longer than {timeout_s:g} s; what it printed counts")


def _start(root: Path, arguments: tuple[str, ...]) -> subprocess.Popen[bytes] | None:
    """Start git with its output as a pipe; return None if there is none."""
    program = git_program(root)
    if program is None:
        return None
    try:
        return subprocess.Popen(
            [program, "--no-pager", *_SAFE, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            **_options(root),
        )
    except OSError:
        return None


def user_ignore_file(root: Path) -> Path | None:
    """Return the file that `core.excludesFile` names, or that git reads without it.

    It need not exist; None for a user without a home.
    """
    value = git(root, "config", "--type=path", "--get", "core.excludesFile", timeout_s=5.0)
    if value is not None:
        return root / value.rstrip("\n")
    try:
        folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    except RuntimeError:
        return None
    return Path(folder, "git", "ignore")


def tracked_but_ignored(root: Path) -> list[str]:
    """Return the paths within a folder of files that git tracks though its rules ignore them."""
    listed = git(root, "ls-files", "-ci", "--exclude-standard", "-z", timeout_s=5.0)
    return [path for path in (listed or "").split("\0") if path]


def not_checked_out(root: Path) -> list[str]:
    """Return the paths within a folder of tracked files that a sparse checkout leaves out."""
    is_sparse = git(root, "config", "--type=bool", "--get", "core.sparseCheckout", timeout_s=5.0)
    if (is_sparse or "").strip() != "true":
        return []
    listed = git(root, "ls-files", "-t", "-z", timeout_s=5.0)
    return [entry[2:] for entry in (listed or "").split("\0") if entry.startswith("S ")]


def clone_without_files(root: Path, folder: Path) -> bool:
    """Give a folder a `.git` that shares the objects of a repository, its index that of HEAD.

    No file is checked out, and no hook, template or filter of the repository is taken over.
    """
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        clone = Path(temporary, "clone")
        shared = (
            "--shared",
            "--no-checkout",
            "--template=",
            "--config",
            "core.hooksPath=/dev/null",
        )
        allowed = ("-c", "protocol.file.allow=always")
        if git(root, *allowed, "clone", "--quiet", *shared, "--", str(root), str(clone)) is None:
            return False
        (clone / ".git").rename(folder / ".git")
    return git(folder, "read-tree", "HEAD") is not None


def has_filters(root: Path) -> bool:
    """Return True if comparing files would run a program that the repository's settings name."""
    listed = _run(root, ("config", "--includes", "--show-scope", "--get-regexp", r"^filter\."), 5.0)
    if listed is None or listed.returncode not in (0, 1):
        return True
    return any(line.startswith((b"local", b"worktree")) for line in listed.stdout.splitlines())


def _run(
    root: Path, arguments: tuple[str, ...], timeout_s: float, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes] | None:
    program = git_program(root)
    if program is None:
        return None
    try:
        return subprocess.run(
            [program, "--no-pager", *_SAFE, *arguments],
            input=stdin,
            capture_output=True,
            timeout=timeout_s,
            check=False,
            **_options(root),
        )
    except (OSError, subprocess.SubprocessError):
        return None


def git_program(root: Path) -> str | None:
    """Return the path of git, unless it lies in the folder, which must not choose what runs."""
    program = shutil.which("git")
    inside = program and Path(program).resolve().is_relative_to(root.resolve())
    return None if inside else program


def _options(root: Path) -> dict[str, Any]:
    """Return how git is started: in the folder, told nothing of another one, without a window."""
    inherited = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    window = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    return {"cwd": root, "env": {**inherited, **_ENVIRONMENT}, "creationflags": window}


def _mtime_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
