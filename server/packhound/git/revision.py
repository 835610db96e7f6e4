"""A branch, tag or commit: its files out of git's objects, as a folder that nobody edits."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from packhound.git.blobs import Blob, is_safe, read_blobs
from packhound.git.client import git, open_repository

_TIMEOUT_S = 60.0


class Revision(NamedTuple):
    """A commit, and when it was made, in seconds since 1970."""

    commit: str
    seconds: int


def find_revision(root: Path, name: str) -> Revision | None:
    """Return the commit that a name stands for in the repository of a folder; None for none."""
    arguments = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    commit = (git(root, *arguments) or "").strip()
    seconds = (
        git(root, "show", "-s", "--no-show-signature", "--format=%ct", commit) if commit else None
    )
    return Revision(commit, int(seconds)) if seconds and seconds.strip().isdigit() else None


def write_revision(
    root: Path, revision: Revision, folder: Path, max_files: int, max_bytes: int
) -> None:
    """Write the files that a commit has in the folder `root` below a new `folder`, read-only.

    Files over `max_bytes`, those beyond the first `max_files`, links and submodules are left out.
    The folder appears when it is whole. Raises OSError, also where git lacks some of the files.
    """
    blobs = files_of_revision(root, revision, max_bytes)
    write_blobs(root, revision, blobs[:max_files], folder)


def files_of_revision(root: Path, revision: Revision, max_bytes: int) -> list[Blob]:
    """Return the files that a commit has in a folder, but links and those over `max_bytes`.

    Raises OSError, also where git lacks some of them.
    """
    prefix = open_repository(root).prefix.rstrip("/")
    tree = f"{revision.commit}:{prefix}" if prefix else revision.commit
    listed = git(root, "ls-tree", "-r", "-z", "-l", "--full-tree", tree, timeout_s=_TIMEOUT_S)
    if listed is None:
        raise OSError("git does not list its files, or not in time")
    return [blob for blob in _blobs(listed) if blob.size <= max_bytes and is_safe(blob.path)]


def write_blobs(root: Path, revision: Revision, blobs: Sequence[Blob], folder: Path) -> None:
    """Write some files of a commit as `write_revision` does. Raises OSError."""
    parts = Path(tempfile.mkdtemp(prefix="part-", dir=folder.parent))
    try:
        _write(root, blobs, parts, revision.seconds)
        parts.replace(folder)
    except BaseException:
        shutil.rmtree(parts, ignore_errors=True)
        if not folder.is_dir():  # Another process may have been faster.
            raise


def _blobs(listed: str) -> Iterator[Blob]:
    for entry in listed.split("\0"):
        head, _, path = entry.partition("\t")
        mode, kind, name, size = [*head.split(), "", "", "", ""][:4]
        if kind == "blob" and mode.startswith("100"):
            if not size.isdigit():  # Not in a partial clone.
                raise OSError(f"git has no text of '{path}' here")
            yield Blob(name, int(size), path)


def _write(root: Path, blobs: Sequence[Blob], folder: Path, seconds: int) -> None:
    for blob, text in read_blobs(root, blobs):
        if text is None:
            raise OSError(f"git has no text of '{blob.path}' here, or not in time")
        path = folder / blob.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
        path.chmod(0o400)
        os.utime(path, (seconds, seconds))
