"""The saved index of another folder as the start of a new one, such as of a working tree."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from packhound.core.errors import StoreError
from packhound.storage.dirty_rows import FILE, SEGMENT
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
            query = "SELECT count(*) FROM rows WHERE key >= ? AND key < ?"
            (n_files,) = connection.execute(query, (FILE, SEGMENT)).fetchone()
            query = "SELECT head FROM rows WHERE key >= ? AND key < ? AND key % ? = 0 LIMIT ?"
            rows = connection.execute(query, (FILE, SEGMENT, max(1, n_files // n), n))
            return list(_paths_and_digests(rows))
    except UNREADABLE:
        return []


def copy_index(source: Path, target: Path) -> None:
    """Copy the saved index of one folder into another, and its vectors. Raises StoreError."""
    try:
        _copy(source / DATABASE, target / DATABASE)
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


def _paths_and_digests(rows: sqlite3.Cursor) -> Iterator[tuple[str, bytes]]:
    for (head,) in rows:
        path, _, digest, *_ = json.loads(head)
        yield str(path), bytes.fromhex(digest)


def _connect(database: Path) -> sqlite3.Connection:
    check_regular(database)
    uri = f"{database.absolute().as_uri()}?mode=ro"
    return sqlite3.connect(uri, uri=True, timeout=_BUSY_S)
