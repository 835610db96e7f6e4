"""Copies of a file of notes, each checked when it is made, and the notes that a damaged one has."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from packhound.core.errors import PackhoundError, StoreError
from packhound.core.private_file import stat_database
from packhound.memory.notes import Note, note_from

N_BACKUPS = 5
_PATTERN = "notes.backup-*.sqlite"


def backups_of(database: Path) -> list[Path]:
    """Return the backups of a database, the newest first."""
    return sorted(database.parent.glob(_PATTERN), reverse=True)


def back_up(connection: sqlite3.Connection, database: Path, min_age_s: float) -> None:
    """Copy a database if its newest backup is as old; a copy that is not sound replaces none.

    Backups are for the day that a disk or a person damages the file: what fails here is not what
    its caller was asked for, so nothing is raised.
    """
    with suppress(OSError, sqlite3.Error, StoreError):
        before = backups_of(database)
        if before and time.time() - before[0].stat().st_mtime < min_age_s:
            return
        if connection.execute("SELECT 1 FROM notes LIMIT 1").fetchone() is None:
            return
        date = time.strftime("%Y-%m-%d-%H%M%S", time.gmtime())
        moment = f"{date}-{time.time_ns() % 1_000_000_000:09}"
        path = database.with_name(_PATTERN.replace("*", moment))
        temporary = path.with_suffix(f".{os.getpid()}")
        try:
            os.close(os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            with closing(sqlite3.connect(temporary)) as copy:
                connection.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")
                if _damage_of(copy):
                    return
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        for old in before[N_BACKUPS - 1 :]:
            old.unlink()


def readable_notes(database: Path) -> tuple[list[Note], str]:
    """Return the notes of a database that can be read, and what is wrong with it, "" if nothing.

    Each row is read by itself: damage to one page loses the notes on it, and no other.
    """
    notes: list[Note] = []
    try:
        if stat_database(database) is None:
            return [], "it is not there"
        uri = f"{database.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            problem = _damage_of(connection)
            for row in _rows(connection):
                try:
                    notes.append(note_from(json.loads(row)))
                except (PackhoundError, ValueError, TypeError) as error:
                    problem = problem or str(error)
    except (sqlite3.Error, StoreError) as error:
        return notes, str(error)
    return notes, problem


def _damage_of(connection: sqlite3.Connection) -> str:
    """Return what SQLite finds wrong with a database first, "" if nothing."""
    try:
        [found] = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if found == "ok" else str(found)


def _rows(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield the notes in a table, past those that cannot be read."""
    [last] = connection.execute("SELECT max(seq) FROM sqlite_sequence").fetchone()
    for revision in range(1, (last or 0) + 1):
        with suppress(sqlite3.DatabaseError):
            query = "SELECT note FROM notes WHERE revision = ?"
            yield from (note for (note,) in connection.execute(query, (revision,)))
