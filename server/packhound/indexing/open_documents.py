"""The parser of open documents: one process, ready for the next edit of what is shown."""

from __future__ import annotations

from collections import deque

from packhound.core.types import Document
from packhound.index.writer import Index
from packhound.parsing.analysed_file import AnalysedFile
from packhound.parsing.pool.pool import ParsePool
from packhound.parsing.tree_cache import MOST_DOCUMENTS


class LiveParser:
    """Parses what an editor shows, for the thread that writes `index`."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self.pool = ParsePool(1, with_texts=index.needs_texts)
        self._shown: dict[str, Document] = {}
        self._ready: deque[tuple[int, Document]] = deque(maxlen=MOST_DOCUMENTS)

    def parse(self, document: Document) -> AnalysedFile:
        """Analyse a document for the index, without the words of nodes that it has."""
        self._shown.pop(document.path, None)
        return self.pool.parse(document, self._index.complete_digests(document.path))

    def show(self, document: Document) -> None:
        """A document was opened that the index has; `warm_up` when there is time."""
        self._shown.pop(document.path, None)
        if not self.is_ready(document):
            self._shown[document.path] = document
        while len(self._shown) > MOST_DOCUMENTS:
            del self._shown[next(iter(self._shown))]

    @property
    def waiting(self) -> bool:
        """Whether there is something to `warm_up`."""
        return bool(self._shown)

    def warm_up(self) -> None:
        """Parse the last shown document before its first edit, which then need not wait.

        The grammar has been read by then, and the tree is there to be changed.
        """
        document = self._shown[next(reversed(self._shown))]
        self.parse(document)
        self._ready.append((self.pool.n_started, document))

    def is_ready(self, document: Document) -> bool:
        """Whether the process that runs now has parsed this text; one that came after has not."""
        return (self.pool.n_started, document) in self._ready

    def close(self) -> None:
        """End the process."""
        self.pool.close()
