"""Documents that an editor has open: which of them are indexed, and the warm parser of them."""

from __future__ import annotations

from collections import deque
from pathlib import Path

from packhound.core.types import Document
from packhound.files import WalkLimits, is_included, is_searched_text
from packhound.index import Index
from packhound.parsing import MOST_DOCUMENTS, AnalysedFile, SharedPool, source_digest


class OpenDocumentParser:
    """Parser of what an editor shows, for the thread that writes `index`."""

    def __init__(self, index: Index, pool: SharedPool) -> None:
        self._index = index
        self.pool = pool
        self._cold: dict[str, Document] = {}
        self._warm: deque[tuple[int, Document]] = deque(maxlen=MOST_DOCUMENTS)

    def is_indexed(self, document: Document) -> bool:
        """Return True if the index holds this very text, as when a file is opened unchanged."""
        entry = self._index.snapshot.files.get(document.path)
        return entry is not None and entry.digest == source_digest(document.source)

    def parse(self, document: Document) -> AnalysedFile:
        """Analyse a document for the index, without the words of nodes that it has."""
        self._cold.pop(document.path, None)
        return self.pool.parse(document, self._index.complete_digests(document.path))

    def prewarm(self, document: Document) -> None:
        """Note an opened document that the index has already; `prewarm_next` when idle."""
        self._cold.pop(document.path, None)
        if not self.is_warm(document):
            self._cold[document.path] = document
        while len(self._cold) > MOST_DOCUMENTS:
            del self._cold[next(iter(self._cold))]

    @property
    def has_prewarm_work(self) -> bool:
        """Return True if there is a document to `prewarm_next`."""
        return bool(self._cold)

    def prewarm_next(self) -> None:
        """Parse the last opened document, so that its first edit finds grammar and tree loaded."""
        document = self._cold[next(reversed(self._cold))]
        self.parse(document)
        self._warm.append((self.pool.n_started, document))

    def is_warm(self, document: Document) -> bool:
        """Return True if the current process has parsed this very text."""
        return (self.pool.n_started, document) in self._warm

    def close(self) -> None:
        """End the process."""
        self.pool.close()


class OpenDocumentFilter:
    """Filter of open documents: indexed are those whose files would be; secrets are not."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._included: dict[str, bool] = {}

    def admits(self, document: Document, limits: WalkLimits) -> bool:
        """Return True if the file of a document with this text would be indexed."""
        path = document.path
        if path not in self._included:
            self._included[path] = is_included(self._root, path, limits)
        return self._included[path] and is_searched_text(document.source, limits.max_file_bytes)

    def clear(self) -> None:
        """Read ignore files again."""
        self._included.clear()
