"""The saved index of another folder as the start of a new one, such as of a working tree."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from packhound.core.errors import StoreError
from packhound.core.private_file import write_private_atomic
from packhound.storage.row import FILE, ROW_FILE, SEGMENT
from packhound.storage.row_files import heads_in, row_file_paths
from packhound.storage.rows import path_and_digest
from packhound.storage.sqlite_store import DATABASE, UNREADABLE, check_regular
from packhound.storage.vector_store import VECTORS

_BUSY_S = 0.2


def saved_indexes(cache: Path) -> list[Path]:
    """Return the folders of a cache that hold a saved index, the one saved last first."""
    saved = []
    for path in cache.glob(f"*/{DATABASE}"):
        try:
            saved.append((path.stat().st_mtime_ns, path.parent))
        except OSError:
            continue
    return [folder for _, folder in sorted(saved, reverse=True)]


def sample_files(folder: Path, n: int) -> list[tuple[str, bytes]]:
    """Return path and digest of some `n` files of a saved index; none if it cannot be read."""
    try:
        with closing(_connect(folder / DATABASE)) as connection:
            heads = dict[int, bytes]()
            query = "SELECT body FROM rows WHERE key >= ? ORDER BY key"
            for (directory,) in connection.execute(query, (ROW_FILE,)):
                heads |= heads_in(directory, SEGMENT)
            query = "SELECT key, head FROM rows WHERE key >= ? AND key < ?"
            heads |= dict(connection.execute(query, (FILE, SEGMENT)))
        keys = sorted(key for key, head in heads.items() if head)
        return [path_and_digest(heads[key]) for key in keys[:: max(1, len(keys) // n)][:n]]
    except UNREADABLE:
        return []


def copy_index(source: Path, target: Path) -> None:
    """Copy the saved index of one folder into another, and its vectors. Raises StoreError."""
    try:
        _copy(source / DATABASE, target / DATABASE)
        # One that a save deletes meanwhile is missed when the copy is read.
        for path in row_file_paths(source):
            write_private_atomic(target / path.name, path.read_bytes())
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"the index {source} cannot be copied: {error}") from error
    with suppress(sqlite3.Error, OSError):
        if (source / VECTORS).is_file() and not (target / VECTORS).exists():
            _copy(source / VECTORS, target / VECTORS)


def _copy(source: Path, target: Path) -> None:
    """Copy a database. One that a loss of power leaves damaged is noticed when it is read."""
    os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with closing(_connect(source)) as saved, closing(sqlite3.connect(target)) as copy:
            [page_size] = saved.execute("PRAGMA page_size").fetchone()
            # Pages of one size are copied whole, in half the time.
            copy.execute(f"PRAGMA page_size = {page_size}")
            copy.execute("PRAGMA journal_mode = OFF")
            copy.execute("PRAGMA synchronous = OFF")
            saved.backup(copy)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def _connect(database: Path) -> sqlite3.Connection:
    check_regular(database)
    uri = f"{database.absolute().as_uri()}?mode=ro"
    return sqlite3.connect(uri, uri=True, timeout=_BUSY_S)
