"""Proposed patches of a folder, and what was decided on them: files in the user's data folder."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

import msgspec

from packhound.core.errors import SettingsError, StoreError, os_error_as
from packhound.core.file_lock import FileLock
from packhound.core.private_file import make_private_folder, read_private, write_private_atomic
from packhound.files import take_back
from packhound.redact import visible_line
from packhound.service.notes import notes_folder

_ID = re.compile("[0-9a-f]{8}")
_MAX_KEPT = 1_000
"""Open ones, and as many of those that were decided on."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """That a patch was accepted, rejected or stopped by its check: by whom, when, why, on what.

    `verdict` is its summary then, `base` has a digest of each text as it was, `commit` the commit
    that was made of it, if one was, and `check` the outcome of the check, if there was one.
    """

    decision: Literal["accepted", "rejected", "stopped"]
    by: str
    date: float
    reason: str = ""
    verdict: str = ""
    base: dict[str, str] = {}
    commit: str = ""
    check: str = ""


class Overlay(msgspec.Struct, frozen=True, kw_only=True):
    """A patch with who proposed it and when, in seconds since 1970.

    `base` has a digest of each text that it was made for, "" for a file that there was not. `text`
    has bytes that are not UTF-8 as surrogates. One that was decided on is no longer open, unless it
    is proposed again.
    """

    id: str
    text: str
    author: str
    message: str
    created: float
    base: dict[str, str]
    decisions: tuple[Decision, ...] = ()
    is_open: bool = True

    @property
    def patch(self) -> bytes:
        """The patch itself."""
        return patch_bytes(self.text)


class Overlays:
    """The overlays of one folder. Any thread and process may call."""

    def __init__(self, root: Path) -> None:
        self._folder = notes_folder(root) / "overlays"

    def add(self, text: str, author: str, message: str, base: dict[str, str]) -> Overlay:
        """Keep a patch; the same one again is the same overlay. Raises StoreError."""
        if len(self.all()) >= _MAX_KEPT:
            raise StoreError(f"{_MAX_KEPT:,} overlays are kept; discard some")
        identity = hashlib.blake2b(patch_bytes(text), digest_size=4).hexdigest()
        while (previous := self._read(identity)) and previous.text != text:  # It was edited since.
            identity = hashlib.blake2b(identity.encode(), digest_size=4).hexdigest()
        overlay = Overlay(
            id=identity,
            text=text,
            author=author,
            message=message,
            created=time.time(),
            base=base,
            decisions=previous.decisions if previous else (),
        )
        self._write(overlay)
        return overlay

    def edit(self, overlay: Overlay, text: str, base: dict[str, str]) -> Overlay:
        """Replace the patch of an overlay. Raises StoreError."""
        edited = msgspec.structs.replace(overlay, text=text, base=base)
        self._write(edited)
        return edited

    def decide(self, overlay: Overlay, decision: Decision) -> Overlay:
        """Record a decision, after which only a stopped overlay is open. Raises StoreError."""
        decisions, is_open = (*overlay.decisions, decision), decision.decision == "stopped"
        decided = msgspec.structs.replace(overlay, decisions=decisions, is_open=is_open)
        self._write(decided)
        for oldest in [each for each in self.all(decided=True) if not each.is_open][_MAX_KEPT:]:
            self._path(oldest.id).unlink(missing_ok=True)
        return decided

    def all(self, *, decided: bool = False) -> list[Overlay]:
        """Return all that are open, or all, the newest first. Raises StoreError."""
        paths = sorted(self._folder.glob("*.json")) if self._folder.is_dir() else []
        overlays = [each for path in paths if (each := self._read(path.stem))]
        selected = [each for each in overlays if decided or each.is_open]
        return sorted(selected, key=lambda overlay: -overlay.created)

    def get(self, identity: str) -> Overlay:
        """Return one. Raises SettingsError: there is none of that id."""
        overlay = self._read(identity) if _ID.fullmatch(identity) else None
        if overlay is None:
            known = ", ".join(overlay.id for overlay in self.all()[:10]) or "there is none"
            raise SettingsError(f"no overlay '{visible_line(identity[:100])}'; known: {known}")
        return overlay

    def discard(self, identity: str) -> None:
        """Delete one, and what was decided on it. Raises SettingsError: there is none."""
        self.get(identity)
        self._path(identity).unlink(missing_ok=True)

    def _write(self, overlay: Overlay) -> None:
        make_private_folder(self._folder)
        with os_error_as(StoreError, f"'{self._folder}' cannot be written"):
            # As ASCII, since JSON in UTF-8 has no surrogates.
            text = overlay.text.encode("unicode_escape").decode()
            values = msgspec.structs.replace(overlay, text=text)
            write_private_atomic(self._path(overlay.id), msgspec.json.encode(values))

    def _path(self, identity: str) -> Path:
        return self._folder / f"{identity}.json"

    def _read(self, identity: str) -> Overlay | None:
        data = read_private(self._path(identity))
        try:
            overlay = msgspec.json.decode(data or b"", type=Overlay)
            text = overlay.text.encode("ascii").decode("unicode_escape")
        except (msgspec.MsgspecError, ValueError):
            return None
        return msgspec.structs.replace(overlay, text=text)


@contextmanager
def deciding(root: Path, run: str) -> Iterator[str]:
    """Yield the author of what a run proposes; it decides on all of that before it leaves.

    What it proposed and did not decide on is rejected if it fails, and by the next start if it is
    killed. Raises StoreError.
    """
    _reject_undecided(root)
    folder = _runs_folder(root)
    make_private_folder(folder)
    path = folder / f"{run}.lock"
    lock = FileLock(path)
    if not lock.acquire():
        raise StoreError(f"'{folder}' cannot be used: a new lock is taken")
    try:
        yield _author_of(run)
        path.unlink(missing_ok=True)
    finally:
        lock.release()
        _reject_undecided(root)


def _reject_undecided(root: Path) -> None:
    """Reject what runs proposed that ended before they decided on it."""
    overlays = Overlays(root)
    for path in sorted(_runs_folder(root).glob("*.lock")):
        lock, author = FileLock(path), _author_of(path.stem)
        with suppress(StoreError):
            if not lock.acquire():
                continue
            reason = "its run ended before it was decided on"
            ended = Decision(decision="rejected", by=author, date=time.time(), reason=reason)
            for overlay in overlays.all():
                if overlay.author == author:
                    overlays.decide(overlay, ended)
            path.unlink(missing_ok=True)
            lock.release()


def _author_of(run: str) -> str:
    return f"run {run}"


def _runs_folder(root: Path) -> Path:
    return notes_folder(root) / "runs"


def take_back_interrupted(root: Path) -> list[str]:
    """Take back acceptances that were killed halfway, and proposals of runs that were.

    Return a note on each acceptance.
    """
    _reject_undecided(root)
    notes = []
    for each in take_back(root, journals_folder(root)):
        if each.damaged:
            journal = visible_line(str(each.damaged))
            notes.append(
                "a patch was being accepted when its process was killed, and what would take it"
                f" back cannot be read: compare the files with git; its journal stays, '{journal}'"
            )
            continue
        note = "a patch was accepted by half when its process was killed; taken back: "
        note += visible_line(", ".join(each.taken_back)) or "nothing on the disk"
        if each.changed:
            note += f"; as it is since it was changed: {visible_line(', '.join(each.changed))}"
        notes.append(f"{note}; what an editor has of it and did not save, undo there")
    return notes


def journals_folder(root: Path) -> Path:
    """Return the private folder of what takes back acceptances that are not done."""
    return notes_folder(root) / "accepting"


def patch_of(root: Path, written: str) -> bytes:
    """Return a diff, or the patch of the overlay of that id. Raises SettingsError."""
    if "\n" in written.strip():
        return patch_bytes(written)
    return Overlays(root).get(written.strip().removeprefix("overlay:")).patch


def patch_bytes(text: str) -> bytes:
    """Return the bytes of a patch as requests have it. Raises SettingsError."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise SettingsError(f"the patch has no UTF-8 at character {error.start:,}") from None


def text_digest(text: bytes | None) -> str:
    """Return the digest of a text that a patch is made for, "" where there is none."""
    return "" if text is None else hashlib.blake2b(text, digest_size=8).hexdigest()
