"""Texts of files out of git's objects, and the files of its index: no filter or hook runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from packhound.core.types import FileStamp
from packhound.git.client import git, git_bytes

_BLOBS, _BYTES = 1_000, 32_000_000
"""Files and bytes that git is asked for at once."""
_TIMEOUT_S = 60.0
_ENTRY = re.compile(
    r"(\d{6}) ([0-9a-f]+) \d\t([^\0]+)\0  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n"
    r"  dev: \d+\tino: (\d+)\n.*\n  size: (\d+)\t.*\n"
)


class Blob(NamedTuple):
    """A file as git has it: name of the object, its size, and the path."""

    name: str
    size: int
    path: str


class TrackedFile(NamedTuple):
    """An entry of git's index; `stamp` is that of the file when git compared it last.

    `mode` is git's: 120000 for a link, 160000 for a submodule.
    """

    path: str
    mode: str
    name: str
    stamp: FileStamp


def read_blobs(root: Path, blobs: Sequence[Blob]) -> Iterator[tuple[Blob, bytes | None]]:
    """Yield the text of each, None where git has none here or does not give it in time."""
    for batch in _batches(blobs):
        asked = "".join(f"{blob.name}\n" for blob in batch).encode()
        answer = git_bytes(root, "cat-file", "--batch", timeout_s=_TIMEOUT_S, stdin=asked) or b""
        start = 0
        for blob in batch:
            end = answer.find(b"\n", start)
            head = answer[start:end].split()
            if end < 0 or len(head) != 3:  # "NAME missing", or nothing at all.
                start = end + 1 if end >= 0 else len(answer)
                yield blob, None
                continue
            start, size = end + 1, int(head[2])
            yield blob, answer[start : start + size]
            start += size + 1


def tracked_files(root: Path) -> list[TrackedFile]:
    """Return the files of git's index below a folder; none where there is no index."""
    listed = git(root, "ls-files", "-z", "--stage", "--debug", timeout_s=_TIMEOUT_S) or ""
    files = dict[str, TrackedFile]()
    for mode, name, path, *numbers in _ENTRY.findall(listed):
        ctime, ctime_ns, mtime, mtime_ns, inode, size = map(int, numbers)
        stamp = FileStamp(size, mtime * 10**9 + mtime_ns, ctime * 10**9 + ctime_ns, inode)
        files[path] = TrackedFile(path, mode, name, stamp)
    return [file for file in files.values() if is_safe(file.path)]


def replaced_objects(root: Path) -> set[str]:
    """Return the names of objects for which git gives others (`git replace`)."""
    return {*(git(root, "replace", "--list") or "").split()}


def attributes_of(root: Path, paths: Iterable[str], names: Sequence[str]) -> dict[str, set[str]]:
    """Return the paths for which attributes of git are set, by the name of the attribute."""
    asked = "\0".join(paths).encode("utf-8", "surrogateescape")
    words = (git(root, "check-attr", "-z", "--stdin", *names, stdin=asked) or "").split("\0")
    with_attribute: dict[str, set[str]] = {name: set() for name in names}
    for path, name, value in zip(words[::3], words[1::3], words[2::3], strict=False):
        if value not in ("unspecified", "unset"):
            with_attribute[name].add(path)
    return with_attribute


def is_safe(path: str) -> bool:
    """Return True if a path stays below its folder and out of `.git`, whatever wrote the tree."""
    parts = path.replace("\\", "/").lower().split("/")
    return not {"", ".", "..", ".git"}.intersection(parts) and ":" not in parts[0]


def _batches(blobs: Sequence[Blob]) -> Iterator[list[Blob]]:
    batch, n_bytes = list[Blob](), 0
    for blob in blobs:
        if batch and (len(batch) >= _BLOBS or n_bytes + blob.size > _BYTES):
            yield batch
            batch, n_bytes = [], 0
        batch.append(blob)
        n_bytes += blob.size
    if batch:
        yield batch
