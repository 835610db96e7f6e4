"""State that searches of one index share."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock

from packhound.index import Snapshot
from packhound.search.retrieve.corpus_stats import CorpusStats, update_stats
from packhound.search.retrieve.term_matches import BM25, Bm25


class SearchCache:
    """The corpus statistics of one index, brought up to date by the first search of a generation.

    Whoever owns the index owns one; with another index it begins anew. Thread-safe.
    """

    def __init__(self, k1: float = BM25.k1, b: float = BM25.b) -> None:
        self.bm25 = Bm25(k1, b)
        self._lock = Lock()
        self._stats: CorpusStats | None = None

    def stats(self, snapshot: Snapshot) -> CorpusStats:
        """Return the statistics of a snapshot."""
        stats = self._stats
        if stats is None or not stats.describes(snapshot):
            with self._lock:
                stats = self._stats = update_stats(self._stats, snapshot, self.bm25)
        return stats

    def prepare(self, snapshot: Snapshot) -> Iterator[None]:
        """Compute ahead what searches would per file and per name, a few at each step."""
        yield from self.stats(snapshot).prepare(snapshot)
