"""Texts of documents that several editors have open: the newest of each path counts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeAlias

from packhound.core.types import Document
from packhound.service.indexed_folder import IndexedFolder

TextListener: TypeAlias = "Callable[[str, Document | None], None]"
"""Takes the newest text of a path, None where the file on disk counts again."""


class EditorTexts:
    """Open documents by path and editor; thread-safe."""

    def __init__(self, folder: IndexedFolder) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._texts: dict[str, dict[object, Document]] = {}
        self._listener: TextListener = _ignore

    def __contains__(self, path: str) -> bool:
        return path in self._texts

    def share(self, listener: TextListener | None) -> None:
        """Call `listener` for each text that is open, and for every change from now on."""
        with self._lock:
            self._listener = listener or _ignore
            for path, texts in self._texts.items():
                self._listener(path, [*texts.values()][-1])

    def update(self, document: Document, editor: object) -> None:
        """Submit the text that an editor has; returns at once."""
        with self._lock:
            texts = self._texts.setdefault(document.path, {})
            texts.pop(editor, None)
            texts[editor] = document
            self._folder.update(document)
            self._listener(document.path, document)

    def release(self, path: str, editor: object) -> None:
        """Submit that an editor has closed `path`: another one's text counts, or the file."""
        with self._lock:
            texts = self._texts.get(path, {})
            texts.pop(editor, None)
            if texts:
                newest = [*texts.values()][-1]
                self._folder.update(newest)
                self._listener(path, newest)
            else:
                self._texts.pop(path, None)
                self._folder.release(path)
                self._listener(path, None)


def _ignore(path: str, document: Document | None) -> None:
    """Share a text with nobody."""
