"""The index on disk: SQLite in the user's cache folder, one transaction a generation.

All of it can be rebuilt from the files, so what looks damaged, foreign or old is discarded as a
whole. Only the holder of the lock writes; other processes read. Documents of an editor
are never written: their files count as absent and are read again at the next start.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from packhound.core.errors import StoreError
from packhound.core.file_lock import FileLock
from packhound.core.private_file import make_private_folder, size_of
from packhound.core.trace import traced
from packhound.index import Saved, Snapshot
from packhound.storage.dirty_rows import Written, changed_rows
from packhound.storage.load import FORMAT, read_saved
from packhound.storage.row_files import delete_row_files, map_rows, row_file_paths
from packhound.storage.shared_rows import MemoryRows, find_shared, memory_rows
from packhound.storage.stored_rows import read_rows

_APPLICATION_ID = 0x5061636B
_SCHEMA = "CREATE TABLE rows (key INTEGER PRIMARY KEY, head BLOB, body BLOB, sum BLOB)"
_FIRST_SAVE = (
    # Rows hold kilobytes to megabytes; the largest pages make the shortest chains.
    "PRAGMA page_size = 65536",
    "PRAGMA auto_vacuum = INCREMENTAL",
    # Nothing is overwritten, so a log would only be all of it once more.
    "PRAGMA journal_mode = TRUNCATE",
)
_LATER_SAVES = ("PRAGMA journal_mode = WAL",)
DATABASE = "index.sqlite"
SUFFIXES = ("", "-wal", "-shm", "-journal")
"""Ends of the names of a database and of SQLite's files beside it, which SQLite opens unasked."""
_BUSY_S = 2.0
_MAX_FREE_SHARE = 0.25


class Store:
    """The saved index of one folder of sources. `folder` belongs to it alone."""

    def __init__(self, folder: Path, versions: Callable[[], str], lock: FileLock) -> None:
        self._path = folder / DATABASE
        self._versions = versions
        self._lock = lock
        self._written: Written | None = None

    @classmethod
    def open(cls, folder: Path, versions: Callable[[], str]) -> Store:
        """Open or make the store in `folder`, as its writer if no other process is.

        `versions` returns all that decides the content of an index beyond the sources: tokenizer,
        grammars, model. A store of other versions is not used. It may be slow: a load calls it
        after reading.

        Raises:
            StoreError: the folder cannot be made, is not ours, or has no locks.
        """
        make_private_folder(folder)
        lock = FileLock(folder / "lock")
        lock.acquire()
        return cls(folder, versions, lock)

    @property
    def is_new(self) -> bool:
        """True if nothing was saved yet and this process may save."""
        return self._lock.held and not self._path.exists()

    @property
    def writer(self) -> bool:
        """True if this process may save."""
        return self._lock.held

    @property
    def n_bytes(self) -> int:
        """Size of the saved index on disk, with its journal."""
        database = (Path(f"{self._path}{end}") for end in ("", "-wal", "-journal"))
        try:
            row_files = row_file_paths(self._path.parent)
        except OSError:  # There is no file handle left.
            row_files = []
        return sum(map(size_of, [*database, *row_files]))

    def claim(self) -> bool:
        """Become the writer if there is none; return True if so. Raises StoreError as `open`."""
        if not self._lock.held:
            make_private_folder(self._path.parent)
            if self._lock.acquire():
                self._written = None
        return self._lock.held

    def load(self, indexes: Sequence[MemoryRows] = ()) -> Saved | None:
        """Return the last saved generation, None if nothing was saved yet.

        What one of `indexes` has is shared with it.

        Raises:
            StoreError: it is damaged, or of another version; a writer has deleted it then.
        """
        if not self._path.exists():
            return None
        try:
            try:
                return self._read(indexes)
            except (sqlite3.OperationalError, OSError, MemoryError):
                # A disk or a lock that failed once says nothing of what is saved, nor does a file
                # of rows that a writer has deleted since this process read its name.
                return self._read(indexes)
        except UNREADABLE as error:
            self.discard()
            raise StoreError(f"the saved index {self._path} is not used: {error}") from error

    def _read(self, indexes: Sequence[MemoryRows]) -> Saved | None:
        check_regular(self._path)
        with self._transaction("BEGIN") as connection:
            if _is_empty(connection):
                return None
            _check_format(connection)
            rows = read_rows(connection.execute(_GET), self._path.parent)
            if rows is None:
                return None
            saved, written = read_saved(rows, find_shared(rows, indexes))
            if written.versions != self._versions():
                raise ValueError("it was made by another version, or for another model")
            self._written = written
            return saved

    def rows_of(self, snapshot: Snapshot) -> MemoryRows | None:
        """Return the rows that are in memory as they are on disk, in a snapshot of this index."""
        written = self._written  # Another thread may discard it.
        return memory_rows(snapshot, written) if written else None

    def discard(self) -> None:
        """Forget what was saved; a writer deletes it from the disk."""
        self._written = None
        if self._lock.held:
            for suffix in SUFFIXES:
                path = self._path.with_name(self._path.name + suffix)
                if path.is_file() or path.is_symlink():
                    path.unlink(missing_ok=True)
            delete_row_files(self._path.parent)

    @traced("save")
    def save(self, snapshot: Snapshot) -> None:
        """Write the changes since the last save, all or nothing.

        Raises:
            StoreError: it cannot be written; what was saved before is still there.
        """
        if not self._lock.held:
            raise StoreError(f"the index {self._path} is written by another process")
        folder = self._path.parent
        before = [path.name for path in row_file_paths(folder)]
        try:
            first = self._prepare()
            plan = changed_rows(snapshot, self._written, self._versions(), folder)
            setup = _FIRST_SAVE if first else _LATER_SAVES
            with self._transaction(*setup, "BEGIN IMMEDIATE") as connection:
                if _is_empty(connection):
                    _create_table(connection)
                elif self._written is None:
                    _check_format(connection)
                    connection.execute("DELETE FROM rows")
                connection.executemany("DELETE FROM rows WHERE key = ?", plan.removed)
                connection.executemany(
                    _PUT, ((row.key, row.head, row.body, row.sum) for row in plan.rows)
                )
                _give_back(connection)
        except (sqlite3.Error, OSError, ValueError) as error:
            delete_row_files(folder, before)
            if not isinstance(error, (sqlite3.OperationalError, OSError)):
                self.discard()
            raise StoreError(f"the index cannot be saved in {self._path}: {error}") from error
        self._written = plan.written
        delete_row_files(folder, (file.name for file in plan.written.row_files.values()))
        for directory in plan.directories:
            with suppress(OSError, ValueError):  # It stays in memory.
                plan.bulk.move_to(map_rows(folder, directory.head, directory.body))

    def close(self) -> None:
        """Release the lock, so that another process may write."""
        self._lock.release()

    @contextmanager
    def _transaction(self, *begin: str) -> Iterator[sqlite3.Connection]:
        with closing(self._connect()) as connection:
            for statement in begin:
                connection.execute(statement)
            yield connection
            connection.execute("COMMIT")

    def _connect(self) -> sqlite3.Connection:
        mode = "rw" if self._lock.held else "ro"
        uri = f"{self._path.absolute().as_uri()}?mode={mode}"
        connection = sqlite3.connect(uri, uri=True, timeout=_BUSY_S, isolation_level=None)
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA synchronous = FULL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self) -> bool:
        """Create the database, readable by its owner alone; return True if it is empty."""
        check_regular(self._path)
        names = [file.name for file in self._written.row_files.values()] if self._written else []
        if not all(map(os.path.exists, [self._path, *map(self._path.with_name, names)])):
            self._written = None
        if self._written is None:
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        return self._path.stat().st_size == 0


_GET = "SELECT key, head, body, sum FROM rows ORDER BY key"
_PUT = "INSERT OR REPLACE INTO rows (key, head, body, sum) VALUES (?, ?, ?, ?)"

UNREADABLE = (
    sqlite3.Error,
    OSError,
    LookupError,
    ValueError,
    TypeError,
    ArithmeticError,
    MemoryError,
)
"""Exceptions that reading bytes of any content can raise."""


def _is_empty(connection: sqlite3.Connection) -> bool:
    """Return True if nothing was ever committed, as after a kill in the first save."""
    (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    return not n_tables and not application


def _create_table(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    connection.execute(_SCHEMA)


def _give_back(connection: sqlite3.Connection) -> None:
    """Cut off free pages where they are many, as once bulk has gone to a file of rows."""
    (n_free,) = connection.execute("PRAGMA freelist_count").fetchone()
    (n_pages,) = connection.execute("PRAGMA page_count").fetchone()
    if _MAX_FREE_SHARE * n_pages < n_free:
        # Python takes one step of a statement without columns, and each frees a page.
        for _ in range(n_free):
            connection.execute("PRAGMA incremental_vacuum")


def _check_format(connection: sqlite3.Connection) -> None:
    """Refuse any database that is not exactly ours before a row of it is read."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != _APPLICATION_ID:
        raise ValueError("it is no index of Packhound")
    if version != FORMAT:
        raise ValueError(f"it has format {version}, this is format {FORMAT}")
    if connection.execute("SELECT sql FROM sqlite_master").fetchall() != [(_SCHEMA,)]:
        raise ValueError("its tables are not those of an index")


def check_regular(database: Path) -> None:
    """Raise OSError if a database or one of SQLite's files beside it is a link, a FIFO or so."""
    for suffix in SUFFIXES:
        path = database.with_name(database.name + suffix)
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise OSError(f"{path.name} is not a regular file")
