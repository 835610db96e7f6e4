"""A branch of a store as a folder that nobody edits, for repositories that are not cloned."""

from __future__ import annotations

import os
import shutil
import tempfile
import zlib
from pathlib import Path

from packhound.core.errors import SettingsError, StoreError
from packhound.core.private_file import write_private_atomic
from packhound.git import is_safe, remote_names
from packhound.redact import visible_line
from packhound.team.row import inflate
from packhound.team.store import Branch, Store

_MARK = ".repository"
_MAIN = ("main", "master")


def find_branch(store: Store, written: str) -> Branch:
    """Return the branch that `NAME` or `NAME@BRANCH` stands for; NAME may be the end of one.

    `/` may be written as `+`. Without BRANCH it is main, master or the one pushed last.
    Raises SettingsError: the user may read none, or several.
    """
    name, _, branch_name = written.replace("/", "+").partition("@")
    branches = [
        branch
        for branch in store.branches()
        if f"+{_folded(branch.repository)}".endswith(f"+{name}")
    ]
    exact = [branch for branch in branches if _folded(branch.repository) == name]
    branches = exact or branches
    if branch_name:
        branches = [branch for branch in branches if _folded(branch.name) == branch_name]
    names = list(dict.fromkeys(branch.repository for branch in branches))
    if len(names) != 1:
        problem = f"may be any of {', '.join(names)}" if names else "is no repository, or branch,"
        where = "" if names else " of the team's store that you may read"
        raise SettingsError(visible_line(f"'repo:{written[:200]}' {problem}{where}"))
    return min(branches, key=lambda branch: branch.name not in _MAIN)


def write_branch(store: Store, branch: Branch, folder: Path, max_files: int) -> None:
    """Write the files of a branch below a new `folder`, read-only, as they were stored.

    The folder appears when it is whole. Raises OSError, StoreError.
    """
    parts = Path(tempfile.mkdtemp(prefix="part-", dir=folder.parent))
    try:
        for i, (path, text) in enumerate(store.texts(branch)):
            if i >= max_files:
                break
            if is_safe(path):  # Whoever may push has chosen it.
                _write(parts / path, inflate(text), branch.pushed_at.timestamp())
        mark = folder.with_name(folder.name + _MARK)
        write_private_atomic(mark, branch.repository.encode())
        parts.replace(folder)
    except BaseException as error:
        shutil.rmtree(parts, ignore_errors=True)
        if isinstance(error, ValueError | zlib.error):
            raise StoreError("a text of the team's store is damaged") from None
        if not folder.is_dir():  # Another process may have been faster.
            raise


def repositories_of(root: Path) -> list[str]:
    """Return the names under which a store knows the files of a folder."""
    try:
        return [root.with_name(root.name + _MARK).read_text("utf-8")]
    except (OSError, ValueError):
        return remote_names(root)


def _folded(name: str) -> str:
    return name.replace("/", "+")


def _write(path: Path, text: bytes, seconds: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    path.chmod(0o400)
    os.utime(path, (seconds, seconds))
