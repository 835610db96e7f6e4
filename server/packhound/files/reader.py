"""How one file under a root is read: never outside the root, and only what is text."""

from __future__ import annotations

import errno
import os
import stat
import time
from pathlib import Path

from packhound.core.types import Document, FileStamp

_ANY_LENGTH = 1 << 30
_SNIFF_BYTES = 8_192
_SECOND_NS = 1_000_000_000
_TICK_NS, _COARSE_TICK_NS = 50_000_000, 2 * _SECOND_NS
"""Longer than clocks of file systems stand still, and of those that only know whole seconds."""
_MINIFIED_LINE_BYTES = 1_000


def read(root: Path, path: str, max_bytes: int) -> Document | None:
    """The file as a document; None if gone, too long, binary, minified, or not inside `root`.

    Raises OSError when this process has no file handles or memory left.
    """
    try:
        found = read_bytes(root, path, max_bytes)
    except (OSError, ValueError) as error:
        raise_if_out_of_resources(error)
        return None
    if found is None:
        return None
    source, stamp = found
    text = to_utf8(source)
    if text is None or len(source) > max_bytes:
        return None
    return Document(path, text, stamp=_lasting(stamp, time.time_ns()))


def read_text(root: Path, path: str) -> bytes | None:
    """What `read` has for a file of any length; None where it cannot be read at present."""
    try:
        document = read(root, path, _ANY_LENGTH)
    except OSError:
        return None
    return document.source if document else None


def to_utf8(source: bytes) -> bytes | None:
    """`source` as UTF-8 without a byte order mark; None for what is not text or was minified."""
    if source.startswith((b"\xff\xfe", b"\xfe\xff")):
        return source.decode("utf-16", "replace").encode("utf-8")
    head = source[:_SNIFF_BYTES]
    if b"\0" in head:
        return None
    if len(head) == _SNIFF_BYTES and head.count(b"\n") < _SNIFF_BYTES // _MINIFIED_LINE_BYTES:
        return None
    return source.removeprefix(b"\xef\xbb\xbf")


def read_bytes(root: Path, path: str, max_bytes: int) -> tuple[bytes, FileStamp] | None:
    """The bytes of a regular file and its stamp from before they were read."""
    handle = _open(root, path)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > max_bytes:
            return None
        return _content(handle, status.st_size, max_bytes + 1), stamp_of(status)
    finally:
        os.close(handle)


def raise_if_out_of_resources(error: OSError | ValueError) -> None:
    """Raise again what is about this process and not about the file."""
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
        raise error


def stamp_of(status: os.stat_result) -> FileStamp:
    """What decides whether the file is read again."""
    return FileStamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _lasting(stamp: FileStamp, now_ns: int) -> FileStamp:
    """The stamp of a file just read; one that no file has if the file had just been written.

    The clock of a file system stands still between two ticks, so that the next change might leave
    the same stamp: such a file is read again at the next look.
    """
    changed_ns = stamp.mtime_ns if os.name == "nt" else stamp.ctime_ns
    tick_ns = _COARSE_TICK_NS if changed_ns % _SECOND_NS == 0 else _TICK_NS
    return stamp._replace(inode=-1) if 0 <= now_ns - changed_ns < tick_ns else stamp


def _content(handle: int, size: int, most: int) -> bytes:
    """The bytes of an open file, which should be `size`, but `most` at most."""
    source = os.read(handle, min(size + 1, most))
    while len(source) != size and len(source) < most:
        more = os.read(handle, most - len(source))
        if not more:
            break
        source += more
    return source


def _open(root: Path, path: str) -> int:
    """Open a file inside `root` without following a link, even one that is put there meanwhile."""
    *folders, name = path.split("/")
    if os.open not in os.supports_dir_fd:
        return _open_by_name(root, path)
    if ".." in folders or name in ("", ".."):
        raise OSError(errno.EINVAL, "not a path inside the folder")
    at = os.open(root, _FOLDER)
    try:
        for folder in folders:
            above, at = at, os.open(folder, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
            os.close(above)
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    finally:
        os.close(at)


_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


def _open_by_name(root: Path, path: str) -> int:
    """The same on Windows, where folders cannot be opened, and links need rights."""
    handle = os.open(root / path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        if (root / path).resolve().is_relative_to(root.resolve()):
            return handle
    except RuntimeError:  # Links that go round in circles.
        pass
    os.close(handle)
    raise OSError(errno.ELOOP, "it leads out of the folder")
