"""Vectors by the digest of what an encoder read, so that no restart reads it again.

SQLite in the folder of an index, beside the index. A cache: what is damaged, foreign or cannot be
written is missing, which costs time and nothing else. Any number of processes read and write.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path

from packhound.core.array_codec import checksum
from packhound.core.errors import StoreError
from packhound.core.private_file import create_private, stat_database
from packhound.storage.sqlite_store import UNREADABLE

log = logging.getLogger("packhound")

VECTORS = "vectors.sqlite"
MAX_VECTORS = 40_000
"""Some 20 MB of 384 bytes; those that were added first go first."""
_APPLICATION_ID = 0x506B5663
_FORMAT = 1
_TABLE = "vectors (key BLOB UNIQUE, vector BLOB, sum BLOB)"
_PUT = "INSERT OR REPLACE INTO vectors (key, vector, sum) VALUES (?, ?, ?)"
_TRIM = "DELETE FROM vectors WHERE rowid <= (SELECT max(rowid) FROM vectors) - ?"
_BUSY_S = 0.2
_KEYS_AT_ONCE = 500
_SUFFIXES = ("", "-journal")


@dataclass(frozen=True)
class VectorStore:
    """The vectors of one folder. `folder` is that of its index. Any thread may call."""

    folder: Path
    max_vectors: int = MAX_VECTORS

    def get(self, model: str, digests: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the vectors that a model with this fingerprint made, of those that there are."""
        by_key = {_key(model, digest): digest for digest in digests}
        vectors: dict[bytes, bytes] = {}

        def read(connection: sqlite3.Connection) -> None:
            keys = iter(by_key)
            while part := [*islice(keys, _KEYS_AT_ONCE)]:
                marks = ",".join("?" * len(part))
                query = f"SELECT key, vector, sum FROM vectors WHERE key IN ({marks})"
                for key, vector, total in connection.execute(query, part):
                    if total == checksum(key, vector):
                        vectors[by_key[key]] = vector

        if by_key:
            self._try(read, writes=False)
        return vectors

    def put(self, model: str, vectors: Mapping[bytes, bytes]) -> None:
        """Add vectors by digest; beyond `max_vectors` the oldest go."""
        keyed = ((_key(model, digest), vector) for digest, vector in vectors.items())
        rows = [(key, vector, checksum(key, vector)) for key, vector in keyed]

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(_PUT, rows)
            connection.execute(_TRIM, (self.max_vectors,))
            connection.execute("COMMIT")

        if rows:
            self._try(write, writes=True)

    @property
    def _path(self) -> Path:
        return self.folder / VECTORS

    def _try(self, work: Callable[[sqlite3.Connection], None], *, writes: bool) -> None:
        """Work on the database; what is busy, full or not writable stays, what is damaged goes."""
        try:
            if writes:
                create_private(self._path)
            if stat_database(self._path) is None:
                return
            with closing(sqlite3.connect(self._path, _BUSY_S, isolation_level=None)) as connection:
                _check_format(connection)
                work(connection)
        except (StoreError, sqlite3.OperationalError, OSError) as problem:
            log.info("vectors are not kept: %s", problem)
        except UNREADABLE as problem:
            log.info("the vectors in %s are discarded: %s", self._path, problem)
            for suffix in _SUFFIXES:
                with suppress(OSError):  # Windows deletes nothing that another process has open.
                    self._path.with_name(VECTORS + suffix).unlink()


def _key(model: str, digest: bytes) -> bytes:
    return blake2b(model.encode() + b"\0" + digest, digest_size=16).digest()


def _check_format(connection: sqlite3.Connection) -> None:
    """Make an empty database ready. Raises sqlite3.Error or ValueError for any other one."""
    connection.execute("PRAGMA trusted_schema = OFF")
    # A cache that a loss of power damages is made anew.
    connection.execute("PRAGMA synchronous = OFF")
    [application] = connection.execute("PRAGMA application_id").fetchone()
    [version] = connection.execute("PRAGMA user_version").fetchone()
    if (application, version) == (0, 0):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")
        connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {_FORMAT}")
        connection.execute("COMMIT")
    elif (application, version) != (_APPLICATION_ID, _FORMAT):
        raise ValueError("it is of another version")
    tables = connection.execute("SELECT sql FROM sqlite_master WHERE type = 'table'").fetchall()
    if tables != [(f"CREATE TABLE {_TABLE}",)]:
        raise ValueError("it has other tables")
