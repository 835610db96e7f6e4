"""Files of rows beside the database: bodies that are mapped, not read into memory.

A file is written once, is on disk before the transaction that names it, and is deleted after one
that names it no more. The database holds its directory: keys, places, checksums and heads of the
rows, and one digest of the whole file, which is checked before it is mapped.
"""

from __future__ import annotations

import json
import mmap
import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import numpy as np

from packhound.core.array_codec import Buffer, pack, unpack
from packhound.core.arrays import LongInts
from packhound.storage.row import Row, row

_ALIGNMENT = 64
"""A cache line, so that what is mapped is read as fast as what is in memory."""
_CHUNK = 1 << 20
_PATTERN = "rows-*.bin"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_READ = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)


@dataclass(frozen=True, slots=True, eq=False)
class RowFile:
    """A file of rows: its name, and the keys, starts and sizes of the bodies in it, by key."""

    name: str
    keys: LongInts
    starts: LongInts
    sizes: LongInts


@dataclass(frozen=True, slots=True, eq=False)
class MappedRows:
    """The rows of a file; a body is a part of `buffer`."""

    file: RowFile
    sums: list[bytes]
    heads: list[bytes]
    buffer: memoryview

    def bodies(self) -> Iterator[memoryview]:
        """Yield the bodies, in the order of the keys."""
        starts = self.file.starts.tolist()
        ends = (self.file.starts + self.file.sizes).tolist()
        return (self.buffer[a:b] for a, b in zip(starts, ends, strict=True))

    def joined(self, first: int, n: int) -> memoryview | None:
        """Return the bodies of `n` keys from `first` on if they lie side by side, else None."""
        keys, starts, sizes = self.file.keys, self.file.starts, self.file.sizes
        start = int(keys.searchsorted(first))
        part = slice(start, start + n)
        if not np.array_equal(keys[part], np.arange(first, first + n)):
            return None
        if (starts[part][:-1] + sizes[part][:-1] != starts[part][1:]).any():
            return None
        end = int(starts[part][-1] + sizes[part][-1])
        return self.buffer[int(starts[start]) : end]


def write_rows(
    folder: Path, key: int, rows: Iterable[Row]
) -> tuple[RowFile, Row, Mapping[int, bytes]]:
    """Write a file of rows, whose keys ascend; return it, the row of its directory, and the sums.

    Raises OSError; what was written of it then is deleted.
    """
    path = folder / _PATTERN.replace("*", secrets.token_hex(8))
    keys, starts, sizes = list[int](), list[int](), list[int]()
    sums, heads, digest, end = list[bytes](), list[bytes](), sha256(), 0
    try:
        with os.fdopen(os.open(path, _NEW, 0o600), "wb") as file:
            for each in rows:
                gap = bytes(-end % _ALIGNMENT)
                for part in (gap, each.body):
                    digest.update(part)
                    file.write(part)
                keys.append(each.key)
                starts.append(end + len(gap))
                sizes.append(len(each.body))
                end = starts[-1] + sizes[-1]
                sums.append(each.sum)
                heads.append(each.head)
            file.flush()
            os.fsync(file.fileno())
        _sync_folder(folder)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    table = [np.array(column, np.int64) for column in (keys, starts, sizes)]
    directory = pack(*table, _octets(sums), np.array([*map(len, heads)], np.int64), _octets(heads))
    head = json.dumps({"name": path.name, "size": end, "digest": digest.hexdigest()})
    file_row = row(key, head.encode("ascii"), directory)
    return RowFile(path.name, *table), file_row, dict(zip(keys, sums, strict=True))


def map_rows(folder: Path, head: bytes, directory: Buffer) -> MappedRows:
    """Map a file of rows, if it is what was written.

    Raises OSError if it cannot be read, ValueError if it is damaged.
    """
    facts = json.loads(head)
    name = facts["name"]
    buffer = _checked(folder / os.path.basename(name), facts["size"], facts["digest"])  # noqa: PTH119
    keys, starts, sizes, sums, *heads = unpack(directory)
    joined = sums.tobytes()
    return MappedRows(
        RowFile(name, keys, starts, sizes),
        [joined[i : i + 16] for i in range(0, len(joined), 16)],
        _split(*heads),
        buffer,
    )


def heads_in(directory: Buffer, end: int) -> dict[int, bytes]:
    """Return the heads of the rows below key `end`, not checked."""
    keys, _, _, _, sizes, heads = unpack(directory)
    n = int(keys.searchsorted(end))
    return dict(zip(keys[:n].tolist(), _split(sizes[:n], heads), strict=True))


def row_file_paths(folder: Path) -> list[Path]:
    """Return all files of rows in a folder, also those that no transaction names."""
    return list(folder.glob(_PATTERN))


def delete_row_files(folder: Path, used: Iterable[str] = ()) -> None:
    """Delete the files of rows but those with these names.

    What cannot be deleted, as Windows deletes nothing that is mapped, goes another time.
    """
    names = {*used}
    for path in row_file_paths(folder):
        if path.name not in names:
            with suppress(OSError):
                path.unlink()


def _checked(path: Path, size: int, expected: str) -> memoryview:
    """Return a mapped file of this size and digest, read-only."""
    handle = os.open(path, _READ)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size != size:
            raise ValueError("a file of rows is damaged")
        # Read, not mapped: pages that only the digest needs are not resident, and a disk that
        # fails is an error instead of a signal.
        digest, chunk = sha256(), bytearray(_CHUNK)
        with os.fdopen(handle, "rb", buffering=0, closefd=False) as file:
            while n := file.readinto(chunk):
                digest.update(memoryview(chunk)[:n])
        if digest.hexdigest() != expected:
            raise ValueError("a file of rows is damaged")
        return _mapped(handle, size)
    finally:
        os.close(handle)


def _mapped(handle: int, size: int) -> memoryview:
    """Map a file; one that the system maps not, as some network drives are, is read instead."""
    try:
        return memoryview(mmap.mmap(handle, size, access=mmap.ACCESS_READ))
    except OSError:
        os.lseek(handle, 0, os.SEEK_SET)
        with os.fdopen(handle, "rb", closefd=False) as file:
            return memoryview(file.read(size))


def _split(sizes: LongInts, joined: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> list[bytes]:
    octets, edges = joined.tobytes(), [0, *np.cumsum(sizes).tolist()]
    return [octets[start:end] for start, end in pairwise(edges)]


def _octets(parts: list[bytes]) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.frombuffer(b"".join(parts), np.uint8)


def _sync_folder(folder: Path) -> None:
    """Have the name of a new file on disk too, where the system can say so."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
