"""Texts of documents that several editors have open: the newest of each path counts."""

from __future__ import annotations

import threading

from packhound.core.types import Document
from packhound.service.indexed_folder import IndexedFolder


class EditorTexts:
    """Open documents by path and editor; thread-safe."""

    def __init__(self, folder: IndexedFolder) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._texts: dict[str, dict[object, Document]] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._texts

    def update(self, document: Document, editor: object) -> None:
        """Submit the text that an editor has; returns at once."""
        with self._lock:
            texts = self._texts.setdefault(document.path, {})
            texts.pop(editor, None)
            texts[editor] = document
            self._folder.update(document)

    def release(self, path: str, editor: object) -> None:
        """Submit that an editor has closed `path`: another one's text counts, or the file."""
        with self._lock:
            texts = self._texts.get(path, {})
            texts.pop(editor, None)
            if texts:
                self._folder.update([*texts.values()][-1])
            else:
                self._texts.pop(path, None)
                self._folder.release(path)
