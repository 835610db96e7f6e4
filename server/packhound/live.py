"""The parser of open documents: one process, with the grammars ready for what is shown."""

from __future__ import annotations

from packhound.analysed import AnalysedFile
from packhound.index.index import Index
from packhound.syntax.worker import ParsePool
from packhound.types import Document


class LiveParser:
    """Parses what an editor shows, for the thread that writes `index`."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self.pool = ParsePool(1, with_texts=index.needs_texts)
        self.shown: Document | None = None
        """A document that was opened and not edited yet; `warm_up` when there is time."""
        self._warm: set[tuple[int, str]] = set()

    def parse(self, document: Document) -> AnalysedFile:
        """Analyse a document for the index, without the words of nodes that it has."""
        return self.pool.parse(document, self._index.known(document.path))

    def warm_up(self) -> None:
        """Parse the shown document before its first edit, which then need not wait."""
        shown, self.shown = self.shown, None
        entry = shown and self._index.snapshot.files.get(shown.path)
        if not shown or not entry or self._is_warm(entry.language):
            return
        self.parse(shown)
        self._warm.add((self.pool.n_started, entry.language))

    def _is_warm(self, language: str) -> bool:
        """Whether the process that runs now has the grammar; one that came after may not."""
        return (self.pool.n_started, language) in self._warm

    def close(self) -> None:
        """End the process."""
        self.pool.close()
