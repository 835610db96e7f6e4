"""Files and folders of this user alone, in places where another user may have put something.

A name may lead to a link, to a FIFO that never ends, or to a file that somebody else still writes.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from packhound.core.errors import StoreError, os_error_as

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)


def make_private_folder(folder: Path) -> None:
    """Create a folder that only its owner may enter. Raises StoreError if it is another user's."""
    with os_error_as(StoreError, f"{folder} cannot be used"):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode):
            raise StoreError(f"{folder} is not a folder")
        if not _is_own(status):
            raise StoreError(f"{folder} belongs to another user")
        folder.chmod(0o700)


def write_private_atomic(path: Path, data: bytes) -> None:
    """Replace a file in one step by one with mode 0600; a link at `path` is replaced, not followed.

    Raises OSError.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _BINARY
    try:
        with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
            file.write(data)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def create_private(path: Path) -> None:
    """Make an empty file with mode 0600 unless there is one, and its folder.

    Raises StoreError as `read_private`, or if it cannot be made.
    """
    if stat_private(path) is None:
        make_private_folder(path.parent)
        with os_error_as(StoreError, f"'{path}' cannot be made"):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | _NO_FOLLOW, 0o600))


def append_private(path: Path, line: bytes) -> None:
    """Append a line in one write, on disk when this returns, readable by its owner alone.

    Raises StoreError.
    """
    with os_error_as(StoreError, f"'{path}' cannot be written"):
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | _NO_FOLLOW
        with os.fdopen(os.open(path, flags, 0o600), "rb+", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            # A line that a killed process left without its end spoils itself alone.
            file.seek(max(0, size - 1))
            is_whole = not size or file.read(1) == b"\n"
            file.write(line if is_whole else b"\n" + line)
            os.fsync(file.fileno())


def read_private(path: Path, start: int = 0) -> bytes | None:
    """Return the content of a regular file of this user from an offset, None if there is none.

    Raises StoreError at once for a link, a FIFO or another user's file, or if it is unreadable.
    """
    try:
        handle = os.open(path, os.O_RDONLY | _NO_FOLLOW | _NO_WAIT | _BINARY)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StoreError(f"'{path}' cannot be read: {error}") from None
    try:
        _check_private(path, os.fstat(handle))
        with os.fdopen(handle, "rb", closefd=False) as file:
            file.seek(start)
            return file.read()
    except OSError as error:
        raise StoreError(f"'{path}' cannot be read: {error.strerror}") from None
    finally:
        os.close(handle)


def stat_private(path: Path) -> os.stat_result | None:
    """Return the status of a regular file of this user, None if there is none.

    Raises StoreError as `read_private`.
    """
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"'{path}' cannot be read: {error.strerror}") from None
    _check_private(path, status)
    return status


def stat_database(path: Path) -> os.stat_result | None:
    """Return the status of a database of SQLite as `stat_private`, which checks its other files.

    SQLite opens them too, and would wait for a FIFO.
    """
    for suffix in ("-journal", "-wal", "-shm"):
        stat_private(path.with_name(path.name + suffix))
    return stat_private(path)


def size_of(path: Path) -> int:
    """Return the bytes of a file, 0 where it is gone: others may delete it at any moment."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _check_private(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise StoreError(f"'{path}' is not a regular file")
    if not _is_own(status):
        raise StoreError(f"'{path}' belongs to another user")


def _is_own(status: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
