"""The store of one workspace's notes: SQLite, one transaction a write, on disk when it returns.

Any number of processes may read and write at once: SQLite's write-ahead log has one writer wait
for the other. Only the owner may read the files.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from packhound.core.errors import SettingsError, StoreError, os_error_as
from packhound.core.private_file import create_private, stat_database
from packhound.memory.backups import back_up, backups_of, readable_notes
from packhound.memory.notes import Anchor, Note, changed_note, moved_note, note_from, note_json

DATABASE = "notes.sqlite"
_APPLICATION_ID = 0x506B4E74
_FORMAT = 1
_BUSY_S = 30.0
_STARTS_S, _DAY_S = 600.0, 86_400.0
"""Age of the newest backup at which another is made: at a start, and while a process goes on."""
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS notes"
    " (revision INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE, created REAL, note TEXT)"
)
"""A note that is written gets a greater `revision` than any before."""


class Rescued(NamedTuple):
    """Notes there are now, what was wrong, "" if nothing, the backup used, the damaged file."""

    n_notes: int
    problem: str
    backup: Path | None
    kept: Path | None


class NoteStore:
    """Notes by id. Any thread may call; every method may raise StoreError.

    Nothing is made on disk before the first write.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / DATABASE
        self._connection: sqlite3.Connection | None = None
        self._opened: os.stat_result | None = None
        self._lock = threading.RLock()
        self._n_writes = 0
        self._next_backup = 0.0

    def version(self) -> tuple[object, ...]:
        """Return a value that differs once any process has written; its last item is the file.

        It takes microseconds. Empty where nothing was written yet.
        """
        with self._reading() as connection:
            if connection is None:
                return ()
            [count] = connection.execute("PRAGMA data_version").fetchone()
            return count, self._n_writes, self._opened and self._opened.st_ino

    def all(self) -> list[Note]:
        """Return all notes, the oldest first."""
        with self._reading() as connection:
            if connection is None:
                return []
            query = "SELECT note FROM notes ORDER BY created, revision"
            rows = connection.execute(query).fetchall()
            return [note_from(json.loads(row)) for (row,) in rows]

    def changes(self, revision: int) -> tuple[list[Note], set[str], int]:
        """Return the notes written after a revision, in order, all ids, and the last revision."""
        with self._reading() as connection:
            if connection is None:
                return [], set(), 0
            query = "SELECT revision, note FROM notes WHERE revision > ? ORDER BY revision"
            rows = connection.execute(query, (revision,)).fetchall()
            ids = {identity for (identity,) in connection.execute("SELECT id FROM notes")}
            notes = [note_from(json.loads(row)) for _, row in rows]
            return notes, ids, rows[-1][0] if rows else revision

    def put(self, note: Note) -> Note:
        """Add a note, or replace that of its id."""
        self.put_all([note])
        return note

    def put_all(self, notes: Iterable[Note]) -> None:
        """Add notes, or replace those of their ids, all or none."""
        with self._transaction() as connection:
            self._insert(connection, notes)

    def change(self, identity: str, changes: Mapping[str, object]) -> Note | None:
        """Change fields of a note; None if there is no such note. Raises SettingsError."""
        with self._transaction() as connection:
            notes = [changed_note(note, changes) for note in _notes_of(connection, identity)]
            self._insert(connection, notes)
            return notes[0] if notes else None

    def follow(self, identity: str, moved: Mapping[Anchor, Anchor]) -> None:
        """Write down where the code of a note is now."""
        with self._transaction() as connection:
            notes = _notes_of(connection, identity)
            self._insert(connection, [moved_note(note, moved) for note in notes])

    def delete(self, identity: str) -> bool:
        """Delete a note; False if there is no such note."""
        with self._transaction() as connection:
            query = "DELETE FROM notes WHERE id = ?"
            return connection.execute(query, (identity,)).rowcount > 0

    def clear(self) -> int:
        """Delete all notes, in backups and damaged files too; return how many there were."""
        with self._transaction() as connection:
            n = connection.execute("DELETE FROM notes").rowcount
        for path in (*backups_of(self.path), *self.path.parent.glob(f"{DATABASE}.damaged-*")):
            path.unlink(missing_ok=True)
        return n

    def rescue(self) -> Rescued:
        """Make a new file of the notes that can be read here and in the newest sound backup.

        The damaged file is kept beside it. A sound one stays as it is. Raises StoreError.
        """
        with self._lock:
            self.close()
            notes, problem = readable_notes(self.path)
            if not problem:
                return Rescued(len(notes), "", None, None)
            saved, backup = list[Note](), None
            for backup in backups_of(self.path):
                saved, damage = readable_notes(backup)
                if not damage:
                    break
            kept = self._put_aside()
            # What was written last wins: a note of the damaged file over that of the backup.
            self.put_all({note.id: note for note in (*saved, *notes)}.values())
            return Rescued(len(self.all()), problem, backup, kept)

    def _put_aside(self) -> Path | None:
        """Rename the file and those of SQLite beside it; return the new path of the first."""
        date = time.strftime("%Y-%m-%d-%H%M%S", time.gmtime())
        kept = self.path.with_name(f"{DATABASE}.damaged-{date}")
        with os_error_as(StoreError, f"'{self.path}' cannot be renamed"):
            for suffix in ("-wal", "-shm", "-journal", ""):
                path = Path(f"{self.path}{suffix}")
                if os.path.lexists(path):
                    path.rename(f"{kept}{suffix}")
        return kept if os.path.lexists(kept) else None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = self._opened = None

    def _insert(self, connection: sqlite3.Connection, notes: Iterable[Note]) -> None:
        rows = ((note.id, note.created_at, json.dumps(note_json(note))) for note in notes)
        insert = "INSERT OR REPLACE INTO notes (id, created, note) VALUES (?, ?, ?)"
        connection.executemany(insert, rows)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """Yield what to read from, None where nothing was written yet. Raises StoreError."""
        with self._lock:
            try:
                yield self._open(writes=False)
            except (sqlite3.Error, SettingsError, ValueError) as error:
                raise self._unreadable(error) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Commit what is written within, or nothing. Raises StoreError."""
        with self._lock:
            try:
                connection = self._open(writes=True)
                assert connection is not None
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
                self._n_writes += 1
                if time.monotonic() >= self._next_backup:
                    self._next_backup = time.monotonic() + _DAY_S
                    back_up(connection, self.path, _DAY_S)
            except sqlite3.Error as error:
                raise self._unreadable(error) from error

    def _open(self, *, writes: bool) -> sqlite3.Connection | None:
        """Return the connection; None for a reader where nothing was written yet."""
        status = stat_database(self.path)
        same_file = status and self._opened and os.path.samestat(status, self._opened)
        if self._connection is not None and same_file:
            return self._connection
        self.close()
        if status is None:
            if not writes:
                return None
            create_private(self.path)  # SQLite gives its other files the mode of this one.
        self._connection = _connect(self.path)
        self._opened = self.path.stat()
        back_up(self._connection, self.path, _STARTS_S)
        return self._connection

    def _unreadable(self, error: Exception) -> StoreError:
        problem = f"the notes in '{self.path}' cannot be read or written: {error}"
        if not isinstance(error, sqlite3.OperationalError):  # Such as a busy file or a full disk.
            problem += "; 'packhound memory rescue' takes what can be read, and a backup's notes"
        return StoreError(problem)


def _notes_of(connection: sqlite3.Connection, identity: str) -> list[Note]:
    """Return the note of an id, nothing if there is none."""
    rows = connection.execute("SELECT note FROM notes WHERE id = ?", (identity,))
    return [note_from(json.loads(note)) for (note,) in rows]


def _connect(path: Path) -> sqlite3.Connection:
    """Return a connection to a database of notes, made ready if it is empty.

    Raises sqlite3.Error if it is damaged, foreign or of a later version.
    """
    connection = sqlite3.connect(path, _BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        [found_id] = connection.execute("PRAGMA application_id").fetchone()
        [version] = connection.execute("PRAGMA user_version").fetchone()
        if found_id == 0:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(_SCHEMA)
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {_FORMAT}")
            connection.execute("COMMIT")
        elif found_id != _APPLICATION_ID or version > _FORMAT:
            raise sqlite3.DatabaseError("it is of a later version, or no file of notes")
        # What was acknowledged survives a loss of power too.
        connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection
