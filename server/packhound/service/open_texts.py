"""Texts of documents that several editors have open: the newest of each path counts."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import NamedTuple

from packhound.core.types import Document
from packhound.files import decode, read_text
from packhound.service.indexed_folder import IndexedFolder
from packhound.service.seen_texts import read_saved


class OpenText(NamedTuple):
    """The text that an editor has, and since when: of the monotonic clock, one for all processes.

    A text opened as it is on disk has no time: it never hides what another editor has not saved.
    """

    document: Document
    since_ns: int


class OpenTexts:
    """Open documents by path and editor; thread-safe."""

    def __init__(self, folder: IndexedFolder) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._texts: dict[str, Mapping[object, OpenText]] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._texts

    def move_to(self, folder: IndexedFolder) -> None:
        """Submit the newest text of each path to another index of the folder, from now on."""
        with self._lock:
            self._folder = folder
            for newest in filter(None, map(_newest, self._texts.values())):
                folder.update(newest.document)

    def update(self, document: Document, editor: object) -> None:
        """Submit the text that an editor has now; returns at once."""
        is_open = editor in self._texts.get(document.path, {})
        since_ns = time.monotonic_ns() if is_open or not self._is_saved(document) else 0
        with self._lock:
            self._replace(document.path, editor, OpenText(document, since_ns))

    def release(self, path: str, editor: object) -> None:
        """Submit that an editor has closed `path`: another one's text counts, or the file."""
        with self._lock:
            self._replace(path, editor, None)

    def unsaved(self, path: str) -> list[object]:
        """Return the editors whose text of a path is not that of its file."""
        texts = self._texts.get(path, {})
        if not texts:
            return []
        saved = read_saved(self._folder.root, path)
        as_shown = [] if saved is None else [decode(path, saved), _as_text(saved)]
        return [editor for editor, text in texts.items() if text.document.source not in as_shown]

    def _replace(self, path: str, editor: object, text: OpenText | None) -> None:
        before = self._texts.get(path, {})
        texts = {other: before[other] for other in before if other != editor}
        if text:
            texts[editor] = text
        newest = _newest(texts)
        if newest is None:
            self._texts.pop(path, None)
            self._folder.release(path)
        else:
            self._texts[path] = texts
            if newest is not _newest(before):
                self._folder.update(newest.document)

    def _is_saved(self, document: Document) -> bool:
        if not self._folder.settings.index.enabled:
            return True  # Nothing is read.
        text = decode(document.path, document.source)
        return read_text(self._folder.root, document.path) == text


def _as_text(saved: bytes) -> bytes:
    """Return a file as editors show it that take it for UTF-8."""
    return saved.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").encode()


def _newest(texts: Mapping[object, OpenText]) -> OpenText | None:
    """Return the newest text; of equally new ones the one that came last."""
    return max(reversed([*texts.values()]), key=lambda text: text.since_ns, default=None)
