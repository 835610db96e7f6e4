"""Work of the user's that is in no commit, and one commit of some files, since he asked for it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from packhound.core.errors import SettingsError
from packhound.git.client import FOREIGN, git, git_program, has_filters, open_repository
from packhound.git.log import parse_status
from packhound.git.working_tree import read_committed

_TIMEOUT_S = 100.0
"""Time for hooks and a signature; the command line waits for 120 s."""
_MAX_WORDS, _MAX_HOOK = 2_000, 100_000
_LITERAL = "--literal-pathspecs"
_AT_COMMIT = (
    *("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"),
    *("post-index-change", "reference-transaction"),
)
_UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD")


def find_uncommitted(root: Path, paths: Iterable[str]) -> set[str]:
    """Return those paths whose file or staged text is not that of the last commit.

    Files that git does not track are among them. Empty where the folder is in no repository.
    Raises SettingsError where git does not say it.
    """
    repository, paths = open_repository(root), sorted(paths)
    if repository.state == "untracked":
        return set()
    present = {path for path in paths if os.path.lexists(root / path)}
    tracked = _names(git(root, _LITERAL, "ls-files", "-z", "--", *paths))
    if has_filters(root):
        # git would run a program to compare: texts that one writes differ from the commit's.
        command = [_LITERAL, "diff-index", "--cached", "--name-only", "-z", "--relative", "HEAD"]
        changed = _names(git(root, *command, "--", *paths))
        changed |= {path for path in tracked & present if _differs(root, path)} | tracked - present
    else:
        # In a submodule git would run the programs that its own settings name.
        command = [_LITERAL, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=no"]
        listed = _said(git(root, *command, "--ignore-submodules", "--", *paths))
        changed = {*parse_status(listed, repository.prefix)[0]}
    return {path for path in paths if path in changed} | (present - tracked)


def why_not_committed(root: Path) -> str:
    """Return why git would commit no single files now, "" where it would."""
    repository = open_repository(root)
    if repository.state != "ready":
        return "the folder is in no git repository"
    if repository.is_bare:
        return "a bare repository has no working tree"
    unfinished = [name for name in _UNFINISHED if (repository.folder / name).exists()]
    return f"git is in the middle of {unfinished[0]}: finish that first" if unfinished else ""


class Hooks(NamedTuple):
    """The hooks that git runs at a commit, with the beginnings of their texts.

    `within` has the paths in the folder of all hooks and of files that hooks link to, those after
    links; one may be that of a folder.
    """

    texts: Mapping[str, str]
    within: Collection[str]

    def name(self, path: str) -> Iterator[str]:
        """Yield the hooks that name a file, by its path or the end of it; not what they call."""
        pattern = re.compile(rf"(?<![\w.-]){re.escape(path.rpartition('/')[2])}(?![\w-])")
        return (name for name, text in self.texts.items() if pattern.search(text))


def hooks_of(root: Path) -> Hooks:
    """Return the hooks of a folder's repository."""
    ask = ("config", "--show-scope", "--type=path", "--get-all", "core.hooksPath")
    listed = (git(root, *ask) or "").splitlines()
    # Ours, of the command line, switches them off.
    paths = [line.partition("\t")[2] for line in listed if not line.startswith("command\t")]
    if paths and paths[-1]:
        top = root.joinpath(*[".."] * open_repository(root).prefix.count("/"))
        hooks = top / paths[-1]
    else:
        hooks = root / (git(root, "rev-parse", "--git-common-dir") or "").rstrip("\n") / "hooks"
    found, texts = [hooks], dict[str, str]()
    with suppress(OSError):
        found += hooks.iterdir()
    for each in found:
        if each.name in _AT_COMMIT and each.is_file() and os.access(each, os.X_OK):
            with each.open("rb") as file:
                texts[each.name] = file.read(_MAX_HOOK).decode("utf-8", "replace")
    real = (Path(os.path.realpath(each)) for each in found)
    folder = Path(os.path.realpath(root))
    within = {each.relative_to(folder).as_posix() for each in real if each.is_relative_to(folder)}
    return Hooks(dict(sorted(texts.items())), within)


def commit_files(root: Path, message: str, paths: Sequence[str]) -> str:
    """Commit some files as they are on the disk, and nothing else; return the commit's id.

    The user's hooks and signature run. Raises SettingsError with git's words.
    """
    tracked = _names(git(root, _LITERAL, "ls-files", "-z", "--", *paths))
    new = [path for path in paths if path not in tracked]
    try:
        if new:
            _run(root, "add", "--intent-to-add", "--", *new)
        _run(root, "commit", "--only", "--file=-", "--", *paths, stdin=message.encode())
    except SettingsError:
        if new:
            with suppress(SettingsError):
                _run(root, "rm", "--cached", "--quiet", "--ignore-unmatch", "--", *new)
        raise
    return (git(root, "rev-parse", "HEAD") or "").strip()


def _names(listed: str | None) -> set[str]:
    return {*filter(None, _said(listed).split("\0"))}


def _said(listed: str | None) -> str:
    if listed is None:
        raise SettingsError(
            "git does not say which files are committed; to do without its word merge (three-way)"
        )
    return listed


def _differs(root: Path, path: str) -> bool:
    try:
        return (root / path).read_bytes() != read_committed(root, path)
    except OSError:
        return True


def _run(root: Path, *arguments: str, stdin: bytes = b"") -> None:
    """Run the user's git as he would himself, hooks included. Raises SettingsError."""
    program = git_program(root)
    if program is None:
        raise SettingsError("there is no git")
    environment = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    with subprocess.Popen(
        [program, "--no-pager", _LITERAL, *arguments],
        cwd=root,
        env={**environment, "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(stdin, _TIMEOUT_S)
        except subprocess.TimeoutExpired:
            _kill(process)
            raise SettingsError(f"git {arguments[0]} took longer than {_TIMEOUT_S:g} s") from None
    if process.returncode:
        words = output.decode("utf-8", "replace").strip()[-_MAX_WORDS:]
        raise SettingsError(f"git {arguments[0]} failed: {words or process.returncode}")


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End git and its hooks."""
    with suppress(ProcessLookupError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
