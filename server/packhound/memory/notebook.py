"""The notes of one workspace: written, read, and held against the code that they are about."""

from __future__ import annotations

import getpass
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias

from packhound.core.errors import SettingsError
from packhound.core.records import NoteMark, Record
from packhound.core.types import NodeRef
from packhound.index import FileEntry
from packhound.memory.anchors import MOVED, ORPHANED, STALE, CodeView, Resolution, follow, resolve
from packhound.memory.notes import Anchor, Note, NoteType, check_expiry, new_note
from packhound.memory.shared_notes import SharedNotes
from packhound.memory.store import NoteStore

_WORST_FIRST = (STALE, MOVED, ORPHANED)
_MAX_RESOLUTIONS = 2_000

Key: TypeAlias = tuple[Anchor, "FileEntry | None", int]


class NotesOfOthers(Protocol):
    """Notes that others have pushed. Any thread may call."""

    def version(self) -> int:
        """Return a number that differs once a note does; in a millisecond."""

    def all(self) -> Mapping[str, Note]:
        """Return the notes by id."""


class Notebook:
    """Notes with their anchors. Any thread may call; methods may raise StoreError.

    `view_of` returns the newest generation of the code.
    """

    def __init__(
        self,
        store: NoteStore,
        shared: SharedNotes,
        team: NotesOfOthers,
        view_of: Callable[[], CodeView],
    ) -> None:
        self.store, self.shared, self._team, self._view_of = store, shared, team, view_of
        self._lock = threading.Lock()
        self._version: tuple[object, ...] = ()
        self._versions_of_others = 0, 0
        self._revision = 0
        self._personal: dict[str, Note] = {}
        self._notes: dict[str, Note] = {}
        self.records: dict[str, Record] = {}
        self._by_path: dict[str, list[tuple[Note, Anchor]]] = {}
        self._names: dict[str, tuple[FileEntry, frozenset[str]]] = {}
        self._resolutions: dict[Key, Resolution] = {}

    def add(
        self,
        kind: NoteType,
        values: Mapping[str, object],
        anchors: Sequence[Anchor] = (),
        *,
        shared: bool = False,
    ) -> Note:
        """Write a note, for oneself or for all. Raises SettingsError for a bad field."""
        return write_note(self.shared if shared else self.store, kind, values, anchors)

    def change(self, identity: str, changes: Mapping[str, object]) -> Note | None:
        """Change fields of a note; None for an unknown id. Raises SettingsError."""
        return self._home_of(identity).change(identity, changes)

    def delete(self, identity: str) -> bool:
        """Delete a note; False for an unknown id."""
        return self._home_of(identity).delete(identity)

    def version(self) -> tuple[object, ...]:
        """Return a value that differs once any process has written a note."""
        return self.store.version(), self.shared.version(), self._team.version()

    def _home_of(self, identity: str) -> NoteStore | SharedNotes:
        note = self.get(identity)
        if note and note.owner:
            raise SettingsError(
                f"note '{identity}' is in the team's store alone: {note.owner}, who pushed it, can"
                " change or forget it where it was written"
            )
        return self.shared if note and note.shared else self.store

    def get(self, identity: str) -> Note | None:
        """Return the note of an id."""
        return self._read().get(identity)

    def all(self, kinds: Iterable[NoteType] = ()) -> list[Note]:
        """Return the notes that have not expired, the newest first; of some types, or of all."""
        now, chosen = time.time(), set(kinds)
        notes = (note for note in self._read().values() if not chosen or note.type in chosen)
        return [note for note in notes if note.expires_at is None or note.expires_at > now]

    def marks(self, nodes: Iterable[NodeRef]) -> list[tuple[NoteMark, ...]]:
        """Return the notes on each node with their states, the newest first.

        An anchor whose name its file has no more is followed within the file.
        """
        self._read()
        view = self._view_of() if self._by_path else None
        return [self._marks(node, view) if view else () for node in nodes]

    def _marks(self, node: NodeRef, view: CodeView) -> tuple[NoteMark, ...]:
        anchored = self._by_path.get(node.path)
        if not anchored:
            return ()
        names = self._names_in(view.snapshot.files.get(node.path))
        marks = {
            note.id: NoteMark(note.record(), resolution.state)
            for note, anchor in anchored
            if anchor.qualname == node.qualname or anchor.qualname not in names
            for resolution in [self._resolve(anchor, view, thorough=False)]
            if (resolution.path, resolution.qualname) == (node.path, node.qualname)
        }
        return tuple(marks.values())

    def _names_in(self, entry: FileEntry | None) -> frozenset[str]:
        """Return the qualified names of a file, from memory while the file is the same."""
        if entry is None:
            return frozenset()
        cached, names = self._names.get(entry.path, (None, frozenset[str]()))
        if cached is not entry:
            names = frozenset(entry.qualname(p) for p in range(len(entry.node_ids)))
            self._names[entry.path] = entry, names
        return names

    def resolutions(self, note: Note) -> list[Resolution]:
        """Return where each anchor of a note is now; one that was followed stays there."""
        view = self._view_of()
        resolved = [self._resolve(anchor, view, thorough=True) for anchor in note.anchors]
        # Code that is as it was, under another name.
        moved = {
            anchor: follow(anchor, found)
            for anchor, found in zip(note.anchors, resolved, strict=True)
            if not found.state and found.reference != anchor.reference
        }
        if moved:
            if note.shared:
                self.shared.follow(moved)
            elif not note.owner:
                self.store.follow(note.id, moved)
        return resolved

    def state(self, note: Note) -> str:
        """Return the worst state of a note's anchors, empty if all are fresh."""
        if not note.anchors:
            return ""
        states = {resolution.state for resolution in self.resolutions(note)}
        return next((state for state in _WORST_FIRST if state in states), "")

    def _read(self) -> dict[str, Note]:
        """Return all notes by id, the newest first, read again if any process wrote."""
        with self._lock:
            version = self.store.version()
            versions_of_others = self.shared.version(), self._team.version()
            if version != self._version:
                self._read_personal(version)
            elif versions_of_others == self._versions_of_others:
                return self._notes
            # Nothing of others replaces a note of the user's own.
            notes = [*({**self._team.all(), **self.shared.all(), **self._personal}).values()]
            # The sort is stable: of equal dates, the one written last comes first.
            newest_first = sorted(notes[::-1], key=lambda note: -note.created_at)
            before, self._notes = self._notes, {note.id: note for note in newest_first}
            self.records = {
                key: self.records[key] if note is before.get(key) else note.record()
                for key, note in self._notes.items()
            }
            by_path = defaultdict(list)
            for note in newest_first:
                for anchor in note.anchors:
                    by_path[anchor.path].append((note, anchor))
            self._version, self._versions_of_others = version, versions_of_others
            self._by_path = dict(by_path)
            return self._notes

    def _read_personal(self, version: tuple[object, ...]) -> None:
        """Read what was written to the store since the last time, all of another file."""
        is_same_file = version[-1:] == self._version[-1:]
        written, ids, self._revision = self.store.changes(self._revision if is_same_file else 0)
        before = self._personal if is_same_file else {}
        changed = {note.id: note for note in written}
        remaining = {k: note for k, note in before.items() if k in ids and k not in changed}
        self._personal = {**remaining, **changed}

    def _resolve(self, anchor: Anchor, view: CodeView, *, thorough: bool) -> Resolution:
        """Resolve an anchor, from memory while its file is the same."""
        entry = view.snapshot.files.get(anchor.path)
        key = (anchor, entry, view.snapshot.generation if thorough else -1)
        direct = self._resolutions.get((anchor, entry, -1))
        if direct is not None and direct.state in ("", STALE):
            return direct
        resolution = self._resolutions.get(key)
        if resolution is None:
            resolution = resolve(anchor, view, thorough=thorough)
            if len(self._resolutions) >= _MAX_RESOLUTIONS:
                self._resolutions.clear()
            is_direct = resolution.path == anchor.path and resolution.state in ("", STALE)
            self._resolutions[(anchor, entry, -1) if is_direct else key] = resolution
        return resolution


def write_note(
    store: NoteStore | SharedNotes,
    kind: NoteType,
    values: Mapping[str, object],
    anchors: Sequence[Anchor] = (),
) -> Note:
    """Write a note of this user's, unless it names its author. Raises SettingsError."""
    values = {**values, "author": values.get("author") or _user()}
    note = new_note(kind, values, tuple(anchors))
    check_expiry(note)
    return store.put(note)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"
