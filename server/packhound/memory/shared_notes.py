"""Notes that a team shares: a file a note in `.packhound/notes` of the workspace, for git to hold.

Two people's files merge without conflict, and lines of a text are lines of its file, so a diff can
be reviewed. Whoever is cloned wrote them: they count in trusted folders alone, are checked like any
input, and are written without secrets.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from packhound.core.errors import SettingsError, StoreError
from packhound.core.file_lock import locked
from packhound.core.private_file import make_private_folder, write_private_atomic
from packhound.files import is_folder, read_bytes
from packhound.memory.notes import Anchor, Note, changed_note, moved_note, note_from, note_json
from packhound.redact import without_secrets

FOLDER = ".packhound/notes"
_NAME = re.compile(r"([0-9A-Za-z_-]{1,64})\.json")
_MAX_BYTES, _MAX_NOTES = 1 << 20, 10_000
"""Of a file, which a note of 100,000 characters with its code fits into, and of the folder."""
_MAX_ALL_BYTES = 64 << 20
"""Of all files together: ten thousand notes of the usual length."""
_TEXTS = ("content", "summary", "decision", "reasoning", "body")
"""Fields whose lines are lines of the file."""
_PLAIN = ("id", "type", "created_at", "expires_at", "digest", "kind", "language")
"""Fields that hold no text of people; a digest looks like a key."""
_SCAN_S = 1.0
"""Seconds for which a look counts at files that are changed in place; new ones are seen at once."""
_FOREIGN = "it belongs to another user; make it yours with chown if you trust it, or delete it"


class SharedNotes:
    """The shared notes of one folder. Any thread may call.

    Unless the folder is `trusted`, nothing of it is opened. The `lock_folder` is this user's own.
    """

    def __init__(self, root: Path, lock_folder: Path) -> None:
        self._root, self._lock_folder = root, lock_folder
        self.trusted = False
        self._lock = threading.RLock()
        self._stamp: tuple[object, ...] = ()
        self._scanned = -_SCAN_S
        self._n_changes = 0
        self._notes: dict[str, tuple[object, Note]] = {}
        self._problems: dict[str, str] = {}
        self._moved: dict[Anchor, Anchor] = {}

    def version(self) -> int:
        """Return a number that differs once a file changed."""
        with self._lock:
            stamp, now = self._folder_stamp(), time.monotonic()
            if stamp != self._stamp or (stamp and now - self._scanned >= _SCAN_S):
                self._stamp, self._scanned = stamp, now
                self._read(stamp)
            return self._n_changes

    def all(self) -> dict[str, Note]:
        """Return the notes by id, as of the last `version`."""
        with self._lock:
            notes = sorted(self._notes.items())
            return {key: moved_note(note, self._moved) for key, (_, note) in notes}

    def problems(self) -> Sequence[str]:
        """Return what was not read, in one line each."""
        if not self.trusted and self._is_there():
            return (f"'{FOLDER}' is ignored: {self._remedy()}",)
        if foreign := self._foreign_folder():
            return (f"'{foreign}' is ignored: {_FOREIGN}",)
        with self._lock:
            return tuple(self._problems.values())

    def put(self, note: Note) -> Note:
        """Write a note, and return it as it was written. Raises SettingsError or StoreError."""
        with self._writing():
            return self._write(note)

    def change(self, identity: str, changes: Mapping[str, object]) -> Note | None:
        """Change fields of a note; None if there is no such note. Raises SettingsError."""
        with self._writing():
            self.version()
            entry = self._notes.get(identity)
            return self._write(changed_note(entry[1], changes)) if entry else None

    def delete(self, identity: str) -> bool:
        """Delete a note; False if there is no such note."""
        with self._writing():
            self.version()
            if identity not in self._notes:
                return False
            self._path(identity).unlink(missing_ok=True)
            self._stamp = ()
            return True

    def follow(self, moved: Mapping[Anchor, Anchor]) -> None:
        """Remember where code is now; the files stay as they are."""
        with self._lock:
            # What moved before may have moved again.
            self._moved = {old: moved.get(now, now) for old, now in self._moved.items()}
            self._moved.update(moved)
            self._n_changes += 1

    def _write(self, note: Note) -> Note:
        if foreign := self._foreign_folder():
            raise StoreError(f"no note is written to '{foreign}': {_FOREIGN}")
        row = _without_secrets(note_json(note))
        written = replace(note_from(row), shared=True)
        text = json.dumps(_split_lines(row), ensure_ascii=False, indent=2) + "\n"
        data = text.encode("utf-8", "replace")
        if len(data) > _MAX_BYTES:
            raise SettingsError(
                f"the note has {len(data):,} bytes with its code; a shared one must have at most "
                f"{_MAX_BYTES:,}"
            )
        try:
            for name in (".packhound", FOLDER):
                (self._root / name).mkdir(exist_ok=True)
                if not is_folder(self._root, name):
                    raise StoreError(f"'{self._root / name}' is no folder; notes are not shared")
            write_private_atomic(self._path(note.id), data)
        except OSError as error:
            raise StoreError(f"'{self._path(note.id)}' cannot be written: {error}") from error
        self._stamp = ()
        return written

    def _writing(self) -> AbstractContextManager[None]:
        if not self.trusted:
            raise SettingsError(f"no note can be shared: {self._remedy()}")
        make_private_folder(self._lock_folder)
        return locked(self._lock_folder / "shared.lock")

    def _read(self, stamp: tuple[object, ...]) -> None:
        before, self._notes, self._problems = self._notes, {}, {}
        for name, status in self._files() if stamp else ():
            match = _NAME.fullmatch(name)
            if match is None:
                continue
            earlier = before.get(match[1])
            try:
                note = (
                    earlier[1] if earlier and earlier[0] == status else self._note(name, match[1])
                )
            except (SettingsError, OSError, ValueError, RecursionError) as problem:
                self._problems[name] = f"'{FOLDER}/{name}' is skipped: {problem}"
            else:
                self._notes[match[1]] = status, note
        self._n_changes += self._notes != before

    def _files(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield names and stamps, sorted so that a limit chooses the same ones each time."""
        files = []
        try:
            with os.scandir(self._root / FOLDER) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    with suppress(FileNotFoundError):  # It went a moment ago.
                        files.append((entry.name, entry.stat(follow_symlinks=False)))
        except OSError as error:
            self._problems[""] = f"'{FOLDER}' cannot be read: {error.strerror}"
            return
        n_bytes = 0
        for n_files, (name, status) in enumerate(files):
            n_bytes += min(status.st_size, _MAX_BYTES)
            if n_files == _MAX_NOTES or n_bytes > _MAX_ALL_BYTES:
                self._problems[""] = (
                    f"'{FOLDER}' has {len(files):,} files; of {_MAX_NOTES:,} at most, and of "
                    f"{_MAX_ALL_BYTES >> 20} MB, {n_files:,} are read"
                )
                return
            if self._is_foreign(status):
                self._problems[name] = f"'{FOLDER}/{name}' is ignored: {_FOREIGN}"
            else:
                yield name, (status.st_mtime_ns, status.st_size, status.st_ino)

    def _note(self, name: str, identity: str) -> Note:
        file = read_bytes(self._root, f"{FOLDER}/{name}", _MAX_BYTES)
        if file is None:
            raise SettingsError(f"it is no regular file of at most {_MAX_BYTES:,} bytes")
        row = json.loads(file[0].decode())
        if not isinstance(row, dict):
            raise SettingsError("must be an object")
        note = note_from(_join_lines(row))
        if note.id != identity:
            raise SettingsError(f"'id' is '{note.id}'; must be as the file is called")
        return replace(note, shared=True)

    def _folder_stamp(self) -> tuple[object, ...]:
        if not self.trusted or not self._is_there() or self._foreign_folder():
            return ()
        try:
            status = (self._root / FOLDER).lstat()
        except OSError:  # It went a moment ago.
            return ()
        return status.st_mtime_ns, status.st_ino

    def _is_there(self) -> bool:
        return all(is_folder(self._root, name) for name in (".packhound", FOLDER))

    def _foreign_folder(self) -> str:
        """Return which of the folders belongs to a stranger, "" if none does."""
        for name in (".packhound", FOLDER):
            with suppress(FileNotFoundError, NotADirectoryError):
                if self._is_foreign((self._root / name).lstat()):
                    return name
        return ""

    def _is_foreign(self, status: os.stat_result) -> bool:
        """Return True for what is neither this user's nor that of the workspace's owner."""
        owners = {os.geteuid(), self._root.stat().st_uid} if hasattr(os, "geteuid") else ()
        return bool(owners) and status.st_uid not in owners

    def _path(self, identity: str) -> Path:
        return self._root / FOLDER / f"{identity}.json"

    def _remedy(self) -> str:
        return f"'{self._root}' is not trusted; if you trust it, add it to 'folders.trusted'"


def note_to_send(note: Note) -> dict[str, Any]:
    """Return a note as one JSON object for others: without secrets, and without code."""
    row = _without_secrets(note_json(note))
    return {**row, "anchors": [{**anchor, "body": ""} for anchor in row["anchors"]]}


def _without_secrets(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object of a note whose texts have no secrets."""
    anchors = [_without_secrets(anchor) for anchor in row.get("anchors", ())]
    safe = {key: v if key in _PLAIN else without_secrets(v) for key, v in row.items()}
    return {**safe, "anchors": anchors} if anchors else safe


def _split_lines(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object of a note with texts of several lines as lists of lines."""
    anchors = {"anchors": [*map(_split_lines, row["anchors"])]} if "anchors" in row else {}
    texts = {key: row[key].split("\n") for key in _TEXTS if "\n" in (row.get(key) or "")}
    return {**row, **texts, **anchors}


def _join_lines(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `_split_lines` was made from. Raises SettingsError."""
    joined = dict(row)
    for key in _TEXTS:
        if isinstance(lines := row.get(key), list):
            if not all(isinstance(line, str) for line in lines):
                raise SettingsError(f"'{key}' must be a text or a list of lines")
            joined[key] = "\n".join(lines)
    anchors = row.get("anchors")
    if isinstance(anchors, list):
        joined["anchors"] = [_join_lines(a) if isinstance(a, dict) else a for a in anchors]
    return joined
