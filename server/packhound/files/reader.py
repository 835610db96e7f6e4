"""Safe reading of one file under a root, and the rule which texts are indexed.

A file is never read outside its root, through a link, or while it is no regular file.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from packhound.core.caching import ByteLru
from packhound.core.types import Document, FileStamp
from packhound.files.skip_lists import DATA_FILE_BYTES, DATA_SUFFIXES
from packhound.text import is_notebook, text_of_json

if sys.platform == "linux":
    import fcntl

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")

_UNLIMITED = 1 << 30
TOO_LARGE = "too large"
_SEARCHED_BYTES = 30_000_000
"""Larger files are known by their path alone."""
_SNIFF_BYTES = 8_192
_COPIED_BYTES = 1 << 20
_FICLONE = 0x40049409
"""`fcntl.FICLONE`, which Python knows from 3.14 on."""
_UNNAMED = re.compile(
    rb"""^(?!
        [^\S\n]*"?(?:name|version|specifier)"?(?:[^\S\n]*[:=]|[^\S\n])
        | .*[:{[][^\S\n]*$
        | [^\S\n]+\S+[ ]\([^()\n]*\)[^\S\n]*$
    ).+$""",
    re.MULTILINE | re.VERBOSE,
)
"""Of lock files the lines but `version = "1.0"`, `"lodash": {`, `lodash@^4.0:`, `rack (2.2.3)`."""
_LOCK_BYTES = 4_000_000
_lock_files: ByteLru[tuple[str, str, FileStamp], bytes] = ByteLru(_LOCK_BYTES, len)
"""Names and versions: a query looks for each of its words in them, and to blank the rest of one
takes 25 ms."""
_SECOND_NS = 1_000_000_000
_TICK_NS, _COARSE_TICK_NS = 50_000_000, 2 * _SECOND_NS
"""Longer than the clocks of file systems stand still, and of those that only know whole seconds."""
_MINIFIED_LINE_BYTES = 1_000


def read(root: Path, path: str, max_bytes: int) -> Document | None:
    """Read a file as a document; None if it is gone, not inside `root` or not to be searched.

    Raises OSError when this process has no file handles or memory left.
    """
    try:
        file = read_bytes(root, path, most_searched_bytes(max_bytes) + len(BYTE_ORDER_MARK))
    except (OSError, ValueError) as error:
        raise_if_out_of_resources(error)
        return None
    if file is None:
        return None
    source, stamp = file
    text = decode(path, source)
    if not is_searched_text(text, max_bytes):
        return None
    stamp = _without_racy_stamp(stamp, time.time_ns())
    return Document(path, text, stamp=stamp, is_large=is_large(path, text, max_bytes))


def why_unread(root: Path, path: str, max_bytes: int) -> str:
    """Return why `read` returns nothing for a file that is there, "" where it has gone."""
    most = most_searched_bytes(max_bytes)
    try:
        if (root / path).lstat().st_size > most + len(BYTE_ORDER_MARK):
            return TOO_LARGE
        file = read_bytes(root, path, _UNLIMITED)
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):
        return "unreadable"
    text = decode(path, file[0]) if file else b""
    if len(text) > most:
        return TOO_LARGE
    return "binary" if b"\0" in text[:_SNIFF_BYTES] else "minified" if text else "empty"


def read_text(root: Path, path: str) -> bytes | None:
    """Read a text of any length; None where it cannot be read at present."""
    try:
        file = read_bytes(root, path, _UNLIMITED)
    except (OSError, ValueError):
        return None
    text = decode(path, file[0]) if file else b"\0"
    return text if _is_text(text) else None


def read_unchanged(root: str, path: str, stamp: FileStamp) -> bytes | None:
    """Read a text that was read before and still has its stamp; None where that is not so.

    The stamp has the inode, so the file is the one that `read` checked, whatever links to it now;
    it is opened by name in a third of the time.
    """
    try:
        handle = os.open(f"{root}/{path}", _FILE)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(handle)
        if stamp_of(status) != stamp or not stat.S_ISREG(status.st_mode):
            return None
        key = root, path, stamp
        text = _lock_files.get(key)
        if text is None:
            text = decode(path, _read_handle(handle, status.st_size, _UNLIMITED))
            if is_lock_file(path):
                _lock_files.put({key: text})
        return text
    except OSError:
        return None
    finally:
        os.close(handle)


def decode(path: str, source: bytes) -> bytes:
    """Return the text of a file, in UTF-8 without a byte order mark.

    UTF-16 is known by its mark. Of a notebook it is the text of its cells, unless it is broken,
    of a lock file the lines with names and versions.
    """
    if source.startswith(_UTF16_MARKS):
        return source.decode("utf-16", "replace").encode("utf-8")
    text = source.removeprefix(BYTE_ORDER_MARK)
    if is_lock_file(path):
        return _blank_unnamed(text)
    if is_notebook(path):
        with suppress(ValueError):
            return text_of_json(text)
    return text


def is_lock_file(path: str) -> bool:
    """Return True for a file that a package manager writes: `decode` leaves names and versions."""
    name = path.rpartition("/")[2].lower()
    return name.endswith(".lock") or name in ("package-lock.json", "pnpm-lock.yaml")


def _blank_unnamed(text: bytes) -> bytes:
    """Blank the lines of a lock file that have no name or version; line numbers stay."""
    return _UNNAMED.sub(b"", text)


def is_searched_text(text: bytes, max_file_bytes: int) -> bool:
    """Return True unless a text is empty, too long, binary or minified.

    It decides for files and for open editors, so that saving changes nothing in the index. `text`
    went through `decode`.
    """
    return 0 < len(text) <= most_searched_bytes(max_file_bytes) and _is_text(text)


def is_large(path: str, text: bytes, max_file_bytes: int) -> bool:
    """Return True for a text of which grep alone reads more than the first lines."""
    is_data = suffix(path.lower()) in DATA_SUFFIXES
    return len(text) > (min(DATA_FILE_BYTES, max_file_bytes) if is_data else max_file_bytes)


def most_searched_bytes(max_file_bytes: int) -> int:
    """Return the size up to which a file is read."""
    return max(_SEARCHED_BYTES, max_file_bytes)


def suffix(path: str) -> str:
    """Return what `PurePosixPath.suffix` does, in a tenth of the time."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return name[dot:] if 0 < dot < len(name) - 1 else ""


def _is_text(text: bytes) -> bool:
    """Return False for what looks binary or minified at its start."""
    head = text[:_SNIFF_BYTES]
    is_minified = (
        len(head) == _SNIFF_BYTES and head.count(b"\n") < _SNIFF_BYTES // _MINIFIED_LINE_BYTES
    )
    return b"\0" not in head and not is_minified


def read_bytes(root: Path, path: str, max_bytes: int) -> tuple[bytes, FileStamp] | None:
    """Return the bytes of a regular file and its stamp from before they were read, else None."""
    handle = _open(root, path)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > max_bytes:
            return None
        return _read_handle(handle, status.st_size, max_bytes + 1), stamp_of(status)
    finally:
        os.close(handle)


def copy_bytes(
    root: Path, path: str, target: int, max_bytes: int
) -> tuple[bytes, os.stat_result] | None:
    """Give an open, empty file the bytes of a regular one; return their digest and its status.

    Both share them on the disk until one changes, where the file system can (btrfs, XFS). None for
    what is no regular file, or has more than `max_bytes`. Raises OSError.
    """
    handle = _open(root, path)
    try:
        status, digest = os.fstat(handle), hashlib.blake2b(digest_size=16)
        if not stat.S_ISREG(status.st_mode) or status.st_size > max_bytes:
            return None
        shared = _share_bytes(handle, target)
        n_bytes = max_bytes
        while n_bytes > 0 and (
            piece := os.read(target if shared else handle, min(n_bytes, _COPIED_BYTES))
        ):
            digest.update(piece)
            if not shared:
                os.write(target, piece)
            n_bytes -= len(piece)
        return digest.digest(), status
    finally:
        os.close(handle)


def _share_bytes(source: int, target: int) -> bool:
    """Have two open files share their bytes on the disk; False where the system cannot."""
    if sys.platform != "linux":
        return False
    with suppress(OSError):
        fcntl.ioctl(target, _FICLONE, source)
        return True
    return False


def open_text(root: Path, path: str, max_line: int) -> Iterator[str]:
    """Yield the lines of a regular file of any size, cut at `max_line` characters.

    Raises OSError.
    """
    with os.fdopen(_open(root, path), encoding="utf-8-sig", errors="replace") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        while line := file.readline(max_line):
            yield line


def raise_if_out_of_resources(error: OSError | ValueError) -> None:
    """Raise again an error that is about this process and not about the file."""
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
        raise error


def stamp_of(status: os.stat_result) -> FileStamp:
    """Return the stamp of a file status."""
    return FileStamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def stamp_at(root: Path, path: str) -> FileStamp | None:
    """Return the stamp of a file as of now; None if it is not there."""
    try:
        return stamp_of(os.lstat(f"{root}/{path}"))
    except (OSError, ValueError):
        return None


def _without_racy_stamp(stamp: FileStamp, now_ns: int) -> FileStamp:
    """Return the stamp of a file just read, made invalid if the file had just been written.

    The clock of a file system stands still between two ticks, so that the next change might leave
    the same stamp: such a file is read again at the next scan (cf. git's "racy-git" document).
    """
    changed_ns = stamp.mtime_ns if os.name == "nt" else stamp.ctime_ns
    tick_ns = _COARSE_TICK_NS if changed_ns % _SECOND_NS == 0 else _TICK_NS
    return stamp._replace(inode=-1) if 0 <= now_ns - changed_ns < tick_ns else stamp


def _read_handle(handle: int, size: int, limit: int) -> bytes:
    """Read an open file of about `size` bytes, but `limit` at most."""
    source = os.read(handle, min(size + 1, limit))
    while len(source) != size and len(source) < limit:
        more = os.read(handle, limit - len(source))
        if not more:
            break
        source += more
    return source


def _open(root: Path, path: str) -> int:
    """Open a file inside `root` without following a link, even one put there meanwhile."""
    *folders, name = path.split("/")
    if os.open not in os.supports_dir_fd:
        return _open_by_name(root, path)
    if ".." in folders or name in ("", ".."):
        raise OSError(errno.EINVAL, "not a path inside the folder")
    parent = os.open(root, _FOLDER)
    try:
        for folder in folders:
            child = os.open(folder, _FOLDER | os.O_NOFOLLOW, dir_fd=parent)
            os.close(parent)
            parent = child
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent)
    finally:
        os.close(parent)


_FILE = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


def _open_by_name(root: Path, path: str) -> int:
    """As `_open` on Windows, where folders cannot be opened, and links need rights."""
    handle = os.open(root / path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        if (root / path).resolve().is_relative_to(root.resolve()):
            return handle
    except RuntimeError:  # Links that go round in circles.
        pass
    os.close(handle)
    raise OSError(errno.ELOOP, "it leads out of the folder")
