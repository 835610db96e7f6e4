"""The generations that a saving child process writes, made again in this process."""

from __future__ import annotations

from packhound.index.writer import Index
from tests.support.index_check import contents
from tests.support.index_child import edits
from tests.support.index_corpus import BagOfWords


class History:
    """Contents of the index of `tests.support.index_child` at each generation."""

    def __init__(self) -> None:
        self._index = Index(BagOfWords())
        self._steps = edits(self._index)
        self._known: dict[int, dict[str, object]] = {}

    def at(self, generation: int) -> dict[str, object]:
        while generation not in self._known:
            next(self._steps)
            self._known[self._index.snapshot.generation] = contents(self._index.snapshot)
            assert max(self._known) <= generation or generation in self._known
        return self._known[generation]
