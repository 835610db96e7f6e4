"""Notes of a folder in the team's store: its own are sent, those of others read.

The local file is the truth. What the store has of this folder is made equal to it, so no write
waits, nothing is queued, and what a dead process or a dead store leaves undone the next round does.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from packhound import team
from packhound.core.backoff import RetryBackoff
from packhound.core.errors import SettingsError, StoreError
from packhound.core.private_file import make_private_folder, write_private_atomic
from packhound.core.user_folders import data_folder
from packhound.git import remote_names
from packhound.memory import Note, NoteStore, note_from, note_to_send
from packhound.redact import visible_line
from packhound.service.roots import index_folder

if TYPE_CHECKING:
    from packhound.service.indexed_folder import IndexedFolder

log = logging.getLogger("packhound")

UNAVAILABLE = "team search is unavailable; exact names and local results"
"""Said once each time that the store ceases to answer."""
_AT_ONCE = 50
"""Notes that are sent, or read, together."""
_MAX_BYTES = 64 << 20
"""Of all notes of others together, the newest first."""
_LOOK_S, _FIRST_RETRY_S, _LAST_RETRY_S = 30.0, 5.0, 300.0
_DEVICE = re.compile(rb"[0-9a-f]{16}")
_CLOSE_S = 3.0
"""Time that a last round has before its process ends."""


class TeamNotes:
    """The notes that others have pushed for the repository of a folder. Any thread may call.

    Unless the user's settings name a store and want its notes, nothing is asked.
    """

    def __init__(self, folder: IndexedFolder, local: NoteStore) -> None:
        self._folder, self._local = folder, local
        self._device_file = data_folder() / "team-device"
        self._lock, self._round_lock = threading.Lock(), threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_due = True
        self._looked_at = 0.0
        self._backoff = RetryBackoff(_FIRST_RETRY_S, _LAST_RETRY_S)
        self._send_backoff = RetryBackoff(_FIRST_RETRY_S, _LAST_RETRY_S)
        self._unsaid = ""
        self._notes: dict[str, Note] = {}
        self._read: dict[tuple[str, bytes], Note | None] = {}
        self._encoded: dict[str, tuple[Note, bytes, bytes]] = {}
        self._n_changes = 0
        self._problems: dict[str, str] = {}

    @property
    def problems(self) -> tuple[str, ...]:
        """Return why notes are not read or sent at present, a sentence each."""
        return tuple(self._problems.values()) if self.is_on else ()

    @property
    def is_on(self) -> bool:
        """Return True if the user wants notes to be sent and read."""
        settings = self._folder.settings.team
        return bool(settings.store and settings.notes)

    @cached_property
    def _repository(self) -> str:
        """Name of the folder's repository, "" if it has none that others know."""
        return next(iter(remote_names(self._folder.root)), "")

    def _device(self) -> str:
        """Return what tells the notes of this folder from those of the user's other clones.

        Each clone or worktree has a file of its own, on the same machine too.
        """
        folder = index_folder(self._folder.root).name.encode()
        return _device_id(self._device_file) + hashlib.blake2b(folder, digest_size=4).hexdigest()

    def version(self) -> int:
        """Return a number that differs once notes of others were read; looks for such behind."""
        if self.is_on and time.monotonic() - self._looked_at > _LOOK_S:
            self.start_round()
        return self._n_changes if self.is_on else 0

    def all(self) -> Mapping[str, Note]:
        """Return the notes of others by id, as of the last round."""
        return self._notes if self.is_on else {}

    def start_round(self) -> threading.Thread | None:
        """Have the store compared with the local file, now or after the round that goes on."""
        with self._lock:
            self._is_due = True
            if self._thread is None and self.is_on and self._backoff.due:
                self._thread = threading.Thread(
                    target=self._run, name="packhound-team-notes", daemon=True
                )
                self._thread.start()
            return self._thread

    def look(self, seconds: float) -> list[str]:
        """Read what others have pushed, for some seconds at most; return what to say once."""
        if not self.is_on:
            return []
        if thread := self._thread or self.start_round():
            thread.join(seconds)
        notes, self._unsaid = [*filter(None, (self._unsaid,))], ""
        return notes

    def rebuild(self) -> None:
        """Send all notes again and read those of others anew.

        Raises StoreError, or SettingsError where the user has no such notes.
        """
        if not (self.is_on and self._repository):
            raise SettingsError(
                "its notes are in no store: that takes a repository with a remote, and your"
                " settings team.store and team.notes"
            )
        self._round(anew=True)

    def close(self) -> None:
        """Give a round that goes on the time to end."""
        if thread := self._thread:
            thread.join(_CLOSE_S)

    def _run(self) -> None:
        while True:
            with self._lock:
                if not (self._is_due and self._backoff.due):
                    self._thread = None
                    return
                self._is_due, self._looked_at = False, time.monotonic()
            try:
                self._round(anew=False)
            except (StoreError, OSError) as problem:
                log.warning("%s: notes of the team: %s", self._folder.root, problem)
            except Exception:
                log.exception("%s: notes of the team", self._folder.root)

    def _round(self, *, anew: bool) -> None:
        """Read the notes of others, then make the store equal to the local file.

        Raises StoreError.
        """
        if not self._repository:
            self._problems["read"] = "the team has notes of repositories with a remote alone"
            return
        url = self._folder.settings.team.store
        with self._round_lock:
            if anew:
                self._read, self._encoded = {}, {}
            with self._attempt(self._backoff, "read", UNAVAILABLE), team.Store.open(url) as store:
                device = self._device()
                entries, me = store.note_entries(self._repository), (store.user, device)
                self._take(store, [each for each in entries if (each.owner, each.device) != me])
            stored = {e.id: e.digest for e in entries if (e.owner, e.device) == me}
            if anew or self._send_backoff.due:
                with self._attempt(self._send_backoff, "sent", ""):
                    self._send(url, device, {} if anew else stored, stored)

    @contextmanager
    def _attempt(self, backoff: RetryBackoff, done: str, unsaid: str) -> Iterator[None]:
        """Note why notes are not read or sent, and try again later; raises what is raised."""
        try:
            yield
        except Exception as problem:
            self._unsaid = self._unsaid if backoff.failures else unsaid
            backoff.fail()
            self._problems[done] = visible_line(f"notes of the team are not {done}: {problem}")
            raise
        self._problems.pop(done, None)
        backoff.reset()

    def _take(self, store: team.Store, entries: list[team.NoteEntry]) -> None:
        """Read the notes of some entries that were not read yet; drop those that are gone."""
        sizes = accumulate(entry.n_bytes for entry in entries)
        entries = [entry for entry, size in zip(entries, sizes, strict=True) if size <= _MAX_BYTES]
        lacking = [e.digest for e in entries if (e.owner, e.digest) not in self._read]
        texts: dict[tuple[str, bytes], bytes] = {}
        for first in range(0, len(lacking), _AT_ONCE):
            batch = lacking[first : first + _AT_ONCE]
            texts |= store.note_texts(self._repository, batch)
        before, self._read = self._read, {}
        for entry in entries:
            key = entry.owner, entry.digest
            self._read[key] = before[key] if key in before else _decode(entry, texts.get(key, b""))
        if self._read != before:
            notes = dict[str, Note]()
            for (owner, _), note in sorted(self._read.items()):
                if note and note.id in notes:  # By nobody's chance; it may hide nothing of others.
                    note = replace(note, id=f"{note.id}@{owner}")
                if note:
                    notes[note.id] = note
            self._notes = notes
            self._n_changes += 1

    def _send(
        self, url: str, device: str, unchanged: Mapping[str, bytes], stored: Mapping[str, bytes]
    ) -> None:
        """Send all but what is stored `unchanged`, and delete what is stored and not here."""
        now, before = time.time(), self._encoded
        notes = [note for note in self._local.all() if (note.expires_at or now) >= now]
        self._encoded = {
            note.id: encoded
            if (encoded := before.get(note.id)) and encoded[0] == note
            else (note, *_encode(note))
            for note in notes
        }
        rows = [
            (identity, digest, text)
            for identity, (_, digest, text) in self._encoded.items()
            if unchanged.get(identity) != digest
        ]
        deleted = [*stored.keys() - self._encoded.keys()]
        if not (rows or deleted):
            return
        with team.Store.open(url) as store:
            store.delete_notes(self._repository, device, deleted)
            for first in range(0, len(rows), _AT_ONCE):
                store.put_notes(self._repository, device, rows[first : first + _AT_ONCE])


def _device_id(path: Path) -> str:
    """Return what tells the notes of this machine from those of others of the same user."""
    if not (path.is_file() and _DEVICE.fullmatch(path.read_bytes().strip())):
        make_private_folder(path.parent)
        write_private_atomic(path, secrets.token_hex(8).encode())
    return path.read_text("ascii").strip()


def _encode(note: Note) -> tuple[bytes, bytes]:
    """Return the digest of a note as it leaves, without secrets and without code, and its text."""
    text = json.dumps(note_to_send(note)).encode()
    return hashlib.blake2b(text, digest_size=16).digest(), text


def _decode(entry: team.NoteEntry, text: bytes) -> Note | None:
    """Return the note of an entry; None if whoever pushed it has written something else."""
    try:
        note = note_from(json.loads(text))
    except (SettingsError, ValueError, RecursionError, AttributeError):
        return None
    return replace(note, owner=entry.owner) if note.id == entry.id else None
