"""The saved index of another folder as the start of a new one, such as of a working tree."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from packhound.core.errors import StoreError
from packhound.storage.dirty_rows import FILE, SEGMENT
from packhound.storage.sqlite_store import DATABASE, UNREADABLE

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
        with closing(_connect(folder)) as connection:
            query = "SELECT count(*) FROM rows WHERE key >= ? AND key < ?"
            (n_files,) = connection.execute(query, (FILE, SEGMENT)).fetchone()
            query = "SELECT head FROM rows WHERE key >= ? AND key < ? AND key % ? = 0 LIMIT ?"
            rows = connection.execute(query, (FILE, SEGMENT, max(1, n_files // n), n))
            return list(_paths_and_digests(rows))
    except UNREADABLE:
        return []


def copy_index(source: Path, target: Path) -> None:
    """Copy the saved index of one folder into another. Raises StoreError."""
    database = target / DATABASE
    try:
        os.close(os.open(database, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        with closing(_connect(source)) as saved, closing(sqlite3.connect(database)) as copy:
            saved.backup(copy)
    except (sqlite3.Error, OSError) as error:
        database.unlink(missing_ok=True)
        raise StoreError(f"the index {source} cannot be copied: {error}") from error


def _paths_and_digests(rows: sqlite3.Cursor) -> Iterator[tuple[str, bytes]]:
    for (head,) in rows:
        path, _, digest, *_ = json.loads(head)
        yield str(path), bytes.fromhex(digest)


def _connect(folder: Path) -> sqlite3.Connection:
    uri = f"{(folder / DATABASE).absolute().as_uri()}?mode=ro"
    return sqlite3.connect(uri, uri=True, timeout=_BUSY_S)
