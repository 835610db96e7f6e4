"""A branch of a store as a folder that nobody edits, for repositories that are not cloned."""

from __future__ import annotations

import glob
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import msgspec

from packhound.core.errors import SettingsError, StoreError
from packhound.core.private_file import write_private_atomic
from packhound.git import is_safe, remote_names
from packhound.redact import visible_line
from packhound.team.row import inflate
from packhound.team.store import Branch, Store

_MARK = ".repository"
_MAIN = ("main", "master")


class Tree(NamedTuple):
    """Files of a branch that lie in a folder, and the size of their texts.

    Of a branch that is too large only those that questions led to.
    """

    folder: Path
    branch: Branch
    n_bytes: int
    is_whole: bool


class TooLargeError(StoreError):
    """A branch has more text than there is room for."""


def find_branch(branches: Iterable[Branch], written: str) -> Branch:
    """Return the branch that `NAME` or `NAME@BRANCH` stands for.

    Raises SettingsError: the user may read none, or several.
    """
    matches = match_branches(branches, written)
    if len(matches) != 1:
        names = ", ".join(branch.repository for branch in matches)
        problem = f"may be any of {names}" if names else "is no repository, or branch,"
        where = "" if names else " of the team's store that you may read"
        raise SettingsError(visible_line(f"'repo:{written[:200]}' {problem}{where}"))
    return matches[0]


def match_branches(branches: Iterable[Branch], written: str) -> list[Branch]:
    """Return the branch of each repository that `NAME` or `NAME@BRANCH` may stand for.

    NAME may be the end of a name, `*` in it is anything, and `/` may be written as `+`. Without
    BRANCH it is main, master or the first of the branches.
    """
    name, _, branch_name = written.replace("/", "+").partition("@")
    # The expressions of fnmatch do not backtrack over what a `*` stands for.
    pattern = "*+" + re.sub(r"\*+", "*", glob.escape(name).replace("[*]", "*"))
    chosen = [each for each in branches if fnmatchcase(f"+{_folded(each.repository)}", pattern)]
    exact = [each for each in chosen if _folded(each.repository) == name]
    of: dict[str, list[Branch]] = {}
    for branch in exact or chosen:
        if not branch_name or _folded(branch.name) == branch_name:
            of.setdefault(branch.repository, []).append(branch)
    return [min(each, key=lambda branch: branch.name not in _MAIN) for each in of.values()]


def write_branch(store: Store, branch: Branch, folder: Path, max_files: int, max_bytes: int) -> int:
    """Write the files of a branch below a new `folder`, read-only; return their size.

    The folder appears when it is whole. Raises OSError, StoreError: also for more bytes.
    """
    parts, n_bytes = Path(tempfile.mkdtemp(prefix="part-", dir=folder.parent)), 0
    try:
        for path, compressed in islice(store.texts(branch), max_files):
            if is_safe(path):  # Whoever may push has chosen it.
                text = inflate(compressed)
                n_bytes += len(text)
                if n_bytes > max_bytes:
                    raise TooLargeError(f"{branch.repository} is larger than the room left for it")
                _write(parts / path, text, branch.pushed_at.timestamp())
        _write_mark(Tree(folder, branch, n_bytes, is_whole=True))
        parts.replace(folder)
    except BaseException as error:
        shutil.rmtree(parts, ignore_errors=True)
        if isinstance(error, ValueError | zlib.error):
            raise StoreError("a text of the team's store is damaged") from None
        if not folder.is_dir():  # Another process may have been faster.
            raise
    return n_bytes


def begin_partial(branch: Branch, folder: Path) -> None:
    """Make a folder for files of a branch that is too large to write. Raises OSError."""
    _write_mark(Tree(folder, branch, 0, is_whole=False))
    folder.mkdir(exist_ok=True)


def add_files(store: Store, folder: Path, files: Sequence[UUID]) -> list[str]:
    """Write those of some files that a branch has to its folder, but those there.

    Returns their paths. Raises OSError, StoreError.
    """
    tree = read_tree(folder)
    if tree is None:
        return []
    written, n_bytes = list[str](), tree.n_bytes
    for path, compressed in store.texts_of(tree.branch, files).items():
        if is_safe(path) and not (tree.folder / path).exists():
            text = inflate(compressed)
            _write(tree.folder / path, text, tree.branch.pushed_at.timestamp())
            written.append(path)
            n_bytes += len(text)
    if written:
        _write_mark(tree._replace(n_bytes=n_bytes))
    return written


def read_tree(folder: Path) -> Tree | None:
    """Return what was written to a folder; None if it is not there, or not whole."""
    try:
        data = _mark_of(folder).read_bytes()
        mark = msgspec.json.decode(data, type=tuple[Branch, int, bool])
    except (OSError, msgspec.MsgspecError, ValueError):
        return None
    return Tree(folder, *mark) if folder.is_dir() else None


def delete_tree(folder: Path) -> None:
    """Delete what was written to a folder."""
    _mark_of(folder).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def touch_tree(folder: Path) -> None:
    """Note that a tree was used just now."""
    with suppress(OSError):
        _mark_of(folder).touch()


def used_at(folder: Path) -> float:
    """Return when a tree was used, in seconds since 1970."""
    try:
        return _mark_of(folder).stat().st_mtime
    except OSError:
        return 0.0


def repositories_of(root: Path) -> list[str]:
    """Return the names under which a store knows the files of a folder."""
    tree = read_tree(root)
    return [tree.branch.repository] if tree else remote_names(root)


def _write_mark(tree: Tree) -> None:
    _, *mark = tree
    write_private_atomic(_mark_of(tree.folder), msgspec.json.encode(mark))


def _mark_of(folder: Path) -> Path:
    return folder.with_name(folder.name + _MARK)


def _folded(name: str) -> str:
    return name.replace("/", "+")


def _write(path: Path, text: bytes, seconds: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    path.chmod(0o400)
    os.utime(path, (seconds, seconds))
