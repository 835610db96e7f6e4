"""The notes of one folder: where they are kept, the code that they are about, and their recall."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from packhound import memory
from packhound.core.errors import SettingsError, StoreError
from packhound.core.records import NoteMark, byline, iso_date
from packhound.core.settings import DEEP_TIME_MS
from packhound.core.typed import convert_value
from packhound.core.types import Budget, Kind, NodeRef, Query, Remark, Results
from packhound.core.user_folders import data_folder
from packhound.index import Snapshot
from packhound.redact import safe_line, without_secrets
from packhound.service.folder_search import FolderSearch
from packhound.service.indexed_folder import IndexedFolder
from packhound.service.roots import index_folder
from packhound.service.team_notes import TeamNotes

if TYPE_CHECKING:
    from packhound.pack import Pack

_N_SIMILAR = 30
"""Nodes with the words of a body that is gone, among which it may be."""
_SIMILAR_CHARACTERS = 4_000
_PACK_CHARACTERS = 400
"""Of a note in a pack."""
_RECENT = 5
"""Names that are proposed where nothing was recalled."""


class NothingOf(Remark, template="nothing of type:{} yet; without it code is searched"):
    """Types of which there is no record."""


class NothingAmong(NothingOf, template="nothing of type:{} matches, among "):
    """Types of which no record matches, and how many there are."""


class Recalled(NamedTuple):
    """Notes that were recalled: by their exact name or by meaning, else a message."""

    notes: tuple[memory.Note, ...]
    match_type: str = ""
    message: str = ""
    problems: tuple[str, ...] = ()


class FolderNotes:
    """Notes of one folder. Any thread may call; nothing is opened before it is asked for."""

    def __init__(self, folder: IndexedFolder, search: FolderSearch) -> None:
        self._folder, self._search = folder, search
        store_folder = notes_folder(folder.root)
        store, shared = (
            memory.NoteStore(store_folder),
            memory.SharedNotes(folder.root, store_folder),
        )
        self.team = TeamNotes(folder, memory.NoteStore(store_folder))
        self.notebook = memory.Notebook(store, shared, self.team, self.view)

    def add(
        self,
        kind: memory.NoteType,
        values: Mapping[str, object],
        positions: Iterable[tuple[str, int]] = (),
    ) -> memory.Note:
        """Write a note on the nodes at some paths and 0-based lines. Raises SettingsError.

        `shared` among the values says whether others get it; without it the setting does.
        """
        shared = values.get("shared")
        if shared is None:
            shared = self._folder.settings.notes.shared
        shared = convert_value(bool, "'shared'", shared)
        view = self.view()
        anchors: list[memory.Anchor] = []
        for path, line in positions:
            anchor = memory.anchor_at(view, path, line)
            if anchor is None:
                raise SettingsError(f"there is no indexed code at '{path}:{line + 1}'")
            anchors.append(anchor)
        note = self.notebook.add(kind, values, anchors, shared=shared)
        self.team.start_round()
        return note

    def change(self, identity: str, changes: Mapping[str, object]) -> memory.Note | None:
        """Change fields of a note; None for an unknown id. Raises SettingsError."""
        note = self.notebook.change(identity, changes)
        self.team.start_round()
        return note

    def delete(self, identity: str) -> bool:
        """Delete a note; False for an unknown id. Raises SettingsError."""
        is_deleted = self.notebook.delete(identity)
        self.team.start_round()
        return is_deleted

    def view(self) -> memory.CodeView:
        """Return the newest generation of the code, to hold notes against."""
        folder, snapshot = self._folder, self._folder.snapshot
        return memory.CodeView(
            snapshot, lambda path: folder.source(path, snapshot), partial(self._similar, snapshot)
        )

    def mark(self, results: Results) -> Results:
        """Return results whose code has the fresh notes on it."""
        if not results.hits:
            return results
        try:
            marks = self.notebook.marks(hit.node for hit in results.hits)
        except StoreError as problem:
            return replace(results, remarks=(*results.remarks, str(problem)))
        fresh_marks = [tuple(m for m in on_node if not m.state) for on_node in marks]
        if not any(fresh_marks):
            return results
        pairs = zip(results.hits, fresh_marks, strict=True)
        hits = tuple(replace(hit, notes=notes) if notes else hit for hit, notes in pairs)
        return replace(results, hits=hits)

    def on(self, node: NodeRef) -> tuple[NoteMark, ...]:
        """Return the notes on a node with their states."""
        return self.notebook.marks([node])[0]

    def in_pack(self, packed: Pack) -> list[str]:
        """Return the notes on the code of a pack, fresh ones first and stale ones marked."""
        snapshot = self._folder.snapshot
        nodes = [
            node
            for item in packed.items
            for node in snapshot.refs_below(item.path, "")
            if item.start_line <= node.span.start_line <= item.end_line
        ]
        marks: dict[str, tuple[NodeRef, NoteMark]] = {}
        for node, on_node in zip(nodes, self.notebook.marks(nodes), strict=True):
            for mark in on_node:
                marks.setdefault(mark.record.id, (node, mark))
        ordered = sorted(marks.values(), key=lambda pair: bool(pair[1].state))
        return [_pack_line(node, mark) for node, mark in ordered]

    def recall(
        self,
        kind: memory.NoteType,
        name: str,
        limit: int,
        search: Callable[[Query], Results],
        seconds: float = 0.0,
    ) -> Recalled:
        """Return the notes of an id or exact name, else those that `search` finds by meaning.

        Of a name the newest of each person's, the user's own first. Waits some seconds for what
        others have pushed.
        """
        unsaid = self.team.look(seconds)
        notes = self.notebook.all([kind])
        exact = [note for note in notes if name in (note.id, note.name)]
        if exact:
            newest = {note.owner: note for note in reversed(exact)}
            own_first = sorted(newest.values(), key=lambda note: (note.owner, -note.created_at))
            further = [note.id for note in exact if note not in own_first[:limit]]
            return Recalled(
                tuple(own_first[:limit]), "exact", problems=(*unsaid, *_further_note(name, further))
            )
        budget, types = Budget(DEEP_TIME_MS), (memory.RECORD_TYPE[kind],)
        results = search(Query(name, limit=limit, types=types, budget=budget, deep=True))
        by_id = {note.id: note for note in notes}
        ids = [hit.record.id for hit in results.hits if hit.record]
        matches = tuple(by_id[identity] for identity in ids if identity in by_id)
        if matches:
            return Recalled(matches, "semantic", problems=(*unsaid, *results.notes))
        problems = (str(note) for note in results.remarks if not isinstance(note, NothingOf))
        return Recalled((), message=_message(kind, name, notes), problems=(*unsaid, *problems))

    def _similar(self, snapshot: Snapshot, body: str, kind: Kind) -> list[int]:
        query = Query(body[:_SIMILAR_CHARACTERS], limit=_N_SIMILAR, mode="lexical", kinds=(kind,))
        return [hit.node.node_id for hit in self._search(snapshot, query).hits]


def notes_folder(root: Path) -> Path:
    """Return the folder that the notes of `root` (a real path) are kept in."""
    return data_folder() / index_folder(root).name


def _pack_line(node: NodeRef, mark: NoteMark) -> str:
    """Return a note in one line: its type, its state, its code, its author and what it says."""
    record = mark.record
    state = f" [{mark.state}]" if mark.state else ""
    by = f"({byline(record.metadata)}, {iso_date(record.date)})"
    head = f"{record.type}{state} on {node.path}#{node.qualname} {by}"
    is_titled = not record.text.startswith(record.title)
    text = without_secrets(f"{record.title}: {record.text}" if is_titled else record.text)
    return safe_line(f"{head} {' '.join(text.split())[:_PACK_CHARACTERS]}")


def _further_note(name: str, ids: Sequence[str]) -> Iterator[str]:
    """Yield the note on further notes of a name, if there are any."""
    if ids:
        more = f" and {len(ids) - _RECENT:,} more" if len(ids) > _RECENT else ""
        yield f"'{name}' names other notes too: {', '.join(ids[:_RECENT])}{more}; recall them by id"


def _message(kind: memory.NoteType, name: str, notes: Sequence[memory.Note]) -> str:
    """Return the answer where nothing was recalled, with the newest names."""
    nouns, names_word = ("stashes", "names") if kind == "stash" else ("insights", "keys")
    if not notes:
        return f"No {nouns} yet."
    names = [note.name for note in notes if note.name][:_RECENT]
    if not names:
        return "No keyed insights."
    return f"No {nouns} found matching '{name}'. Recent {names_word}: {', '.join(names)}"
