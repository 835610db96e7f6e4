"""Proposed patches of a folder: kept in the user's data folder, one file each, until discarded."""

from __future__ import annotations

import hashlib
import re
import time
from pathlib import Path

import msgspec

from packhound.core.errors import SettingsError, StoreError
from packhound.core.private_file import make_private_folder, read_private, write_private_atomic
from packhound.redact import visible_line
from packhound.service.notes import notes_folder

_ID = re.compile("[0-9a-f]{8}")
_MAX_KEPT = 1_000


class Overlay(msgspec.Struct, frozen=True, kw_only=True):
    """A patch with who proposed it and when, in seconds since 1970.

    `base` has a digest of each text that it was made for, "" for a file that there was not. `text`
    has bytes that are not UTF-8 as surrogates.
    """

    id: str
    text: str
    author: str
    message: str
    created: float
    base: dict[str, str]

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
        overlay = Overlay(
            id=identity,
            text=text,
            author=author,
            message=message,
            created=time.time(),
            base=base,
        )
        make_private_folder(self._folder)
        try:
            # As ASCII, since JSON in UTF-8 has no surrogates.
            values = {
                **msgspec.structs.asdict(overlay),
                "text": text.encode("unicode_escape").decode(),
            }
            write_private_atomic(self._path(identity), msgspec.json.encode(values))
        except OSError as error:
            raise StoreError(f"'{self._folder}' cannot be written: {error.strerror}") from None
        return overlay

    def all(self) -> list[Overlay]:
        """Return all that can be read, the newest first. Raises StoreError."""
        paths = sorted(self._folder.glob("*.json")) if self._folder.is_dir() else []
        found = (self._read(path.stem) for path in paths)
        return sorted(filter(None, found), key=lambda overlay: -overlay.created)

    def get(self, identity: str) -> Overlay:
        """Return one. Raises SettingsError: there is none of that id."""
        overlay = self._read(identity) if _ID.fullmatch(identity) else None
        if overlay is None:
            known = ", ".join(overlay.id for overlay in self.all()[:10]) or "there is none"
            raise SettingsError(f"no overlay '{visible_line(identity[:100])}'; known: {known}")
        return overlay

    def discard(self, identity: str) -> None:
        """Delete one. Raises SettingsError: there is none of that id."""
        self.get(identity)
        self._path(identity).unlink(missing_ok=True)

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


def patch_bytes(text: str) -> bytes:
    """Return the bytes of a patch as requests have it. Raises SettingsError."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise SettingsError(f"the patch has no UTF-8 at character {error.start:,}") from None
