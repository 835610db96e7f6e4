"""A branch, tag or commit: its files out of git's objects, as a folder that nobody edits."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from packhound.git.client import git, git_bytes, open_repository

_BLOBS, _BYTES = 1_000, 32_000_000
"""Files and bytes that git is asked for at once."""
_TIMEOUT_S = 60.0


class Revision(NamedTuple):
    """A commit, and when it was made, in seconds since 1970."""

    commit: str
    seconds: int


class _Blob(NamedTuple):
    name: str
    size: int
    path: str


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
    prefix = open_repository(root).prefix.rstrip("/")
    tree = f"{revision.commit}:{prefix}" if prefix else revision.commit
    listed = git(root, "ls-tree", "-r", "-z", "-l", "--full-tree", tree, timeout_s=_TIMEOUT_S)
    if listed is None:
        raise OSError("git does not list its files, or not in time")
    blobs = [blob for blob in _blobs(listed) if blob.size <= max_bytes and _is_safe(blob.path)]
    parts = Path(tempfile.mkdtemp(prefix="part-", dir=folder.parent))
    try:
        for batch in _batches(blobs[:max_files]):
            _write(root, batch, parts, revision.seconds)
        parts.replace(folder)
    except BaseException:
        shutil.rmtree(parts, ignore_errors=True)
        if not folder.is_dir():  # Another process may have been faster.
            raise


def _blobs(listed: str) -> Iterator[_Blob]:
    for entry in listed.split("\0"):
        head, _, path = entry.partition("\t")
        mode, kind, name, size = [*head.split(), "", "", "", ""][:4]
        if kind == "blob" and mode.startswith("100"):
            if not size.isdigit():  # Not in a partial clone.
                raise OSError(f"git has no text of '{path}' here")
            yield _Blob(name, int(size), path)


def _is_safe(path: str) -> bool:
    """Return True if a path stays below its folder, whatever wrote the tree."""
    parts = path.replace("\\", "/").split("/")
    return not {"", ".", ".."}.intersection(parts) and ":" not in parts[0]


def _batches(blobs: Sequence[_Blob]) -> Iterator[list[_Blob]]:
    batch, n_bytes = list[_Blob](), 0
    for blob in blobs:
        if batch and (len(batch) >= _BLOBS or n_bytes + blob.size > _BYTES):
            yield batch
            batch, n_bytes = [], 0
        batch.append(blob)
        n_bytes += blob.size
    if batch:
        yield batch


def _write(root: Path, batch: Sequence[_Blob], folder: Path, seconds: int) -> None:
    asked = "".join(f"{blob.name}\n" for blob in batch).encode()
    answer = git_bytes(root, "cat-file", "--batch", timeout_s=_TIMEOUT_S, stdin=asked)
    if answer is None:
        raise OSError("git does not give its files, or not in time")
    at = 0
    for blob in batch:
        end = answer.find(b"\n", at)
        head = answer[at:end].split()
        at = end + 1
        if end < 0 or len(head) != 3:
            raise OSError(f"git has no text of '{blob.path}' here")
        size = int(head[2])
        path = folder / blob.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(answer[at : at + size])
        path.chmod(0o400)
        os.utime(path, (seconds, seconds))
        at += size + 1
