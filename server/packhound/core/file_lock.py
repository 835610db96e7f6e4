"""Lock file that one process holds; the kernel frees it however its holder dies."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from packhound.core.errors import StoreError, os_error_as


class FileLock:
    """Held from a successful `acquire` to `release`, or to the end of the process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    @property
    def held(self) -> bool:
        """True if this process holds the lock; False once somebody has deleted the file."""
        file = self._file
        return file is not None and _is_at(file, self._path)

    def acquire(self) -> bool:
        """Try to take the lock, without waiting; return False if another process holds it.

        Raises:
            StoreError: the file system has no locks, or no file can be made there.
        """
        if self.held:
            return True
        self.release()
        with os_error_as(StoreError, f"{self._path} cannot be opened"):
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | _NO_FOLLOW, 0o600)
        if not _try_lock(file, self._path) or not _is_at(file, self._path):
            os.close(file)
            return False
        self._file = file
        return True

    def release(self) -> None:
        """Release the lock."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


@contextmanager
def locked(path: Path, timeout_s: float = 10.0) -> Iterator[None]:
    """Hold the lock at `path`, after other processes and threads. Raises StoreError."""
    lock, ends = FileLock(path), time.monotonic() + timeout_s
    while not lock.acquire():
        if time.monotonic() > ends:
            raise StoreError(f"'{path}' is locked by another process; end that, or try again")
        time.sleep(_RETRY_S)
    try:
        yield
    finally:
        lock.release()


_RETRY_S = 0.01
_NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
_TAKEN = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK}


def _is_at(file: int, path: Path) -> bool:
    """Return True if `path` still is the open file: nobody deleted it before it was locked."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except OSError:
        return False


def _try_lock(file: int, path: Path) -> bool:
    try:
        _lock(file)
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        os.close(file)
        raise StoreError(f"{path} cannot be locked: {error.strerror}") from error
    return True


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
