"""Notes as a source of records."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from math import inf

from packhound.core.records import Record, SourceName
from packhound.memory.notebook import Notebook
from packhound.sources import Source


class NotesSource(Source):
    """The notes of one workspace that have not expired."""

    name: SourceName = "notes"

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook
        self._expires = inf

    def version(self) -> object:
        """Return the version of the store, which a note that expires changes too."""
        return self._notebook.version(), time.time() >= self._expires

    def records(self) -> Iterable[Record]:
        """Return all notes, and remember when the next one expires."""
        notes = self._notebook.all()
        dates = (note.expires_at for note in notes if note.expires_at is not None)
        self._expires = min(dates, default=inf)
        return [self._notebook.records[note.id] for note in notes]

    def problems(self) -> Sequence[str]:
        """Return the shared notes that were not read."""
        return self._notebook.shared.problems()

    def state(self, record: Record) -> str:
        """Return whether the code of a note has changed, moved or gone."""
        note = self._notebook.get(record.id) if record.metadata["code"] else None
        return self._notebook.state(note) if note else ""
