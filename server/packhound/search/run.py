"""Time budget, cancellation and notes of one search, and what it leaves out for want of time."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

from packhound.core.errors import Cancelled
from packhound.core.settings import Settings
from packhound.core.settings_reader import changed
from packhound.core.types import ConfidenceWord, Facet, Hit, Mode, Note, Query, Results
from packhound.search.remarks import merge_stopped

_WORDS_SHARE, _RETRIEVAL_SHARE = 0.5, 0.75
"""Shares of the time budget after which meaning and most candidates are left out."""
_RANKING_MS = 3.0
"""Time that ranking all candidates takes on a laptop."""
_HURRIED_RANKING_MS, _HURRIED_CANDIDATES = 1.2, 40
"""The same for few candidates, and how many these are."""
_SCAN_MS, _SCAN_NODES = 0.5, 50_000
"""Time that meaning takes at least, and the nodes for which it takes twice that."""


class SearchRun:
    """State of one search. A budget that runs out truncates; only `cancel` raises."""

    def __init__(self, query: Query, cancel: threading.Event | None) -> None:
        self._started = time.perf_counter()
        self._query, self._cancel = query, cancel
        self.notes: list[Note] = []
        self.facets: tuple[Facet, ...] = ()
        self.truncated = False
        self._skipped: list[str] = []
        self.confidence: float | None = None
        self.confidence_word: ConfidenceWord | None = None

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since the search began."""
        return (time.perf_counter() - self._started) * 1_000

    @property
    def over_budget(self) -> bool:
        """True if the query's time budget is spent."""
        return self.elapsed_ms > self._query.budget.time_ms

    def has_spent(self, share: float) -> bool:
        """Return True if this share of the query's time budget is spent."""
        return self.elapsed_ms > share * self._query.budget.time_ms

    @property
    def remaining_ms(self) -> float:
        """Milliseconds left of the query's time budget."""
        return self._query.budget.time_ms - self.elapsed_ms

    def skip(self, part: str) -> None:
        """Note that a part of the search is left out for want of time."""
        self._skipped.append(part)
        self.truncated = True

    def check(self) -> None:
        """Note it if the time budget is spent. Raises Cancelled."""
        self.raise_if_cancelled()
        self.truncated |= self.over_budget

    def raise_if_cancelled(self) -> None:
        """Raise Cancelled if the caller asked for it."""
        if self._cancel is not None and self._cancel.is_set():
            raise Cancelled("the search was cancelled")

    def affordable_mode(self, mode: Mode, n_nodes: int) -> Mode:
        """Return the mode, words alone for hybrid where a scan of `n_nodes` takes too long."""
        scan_ms = _SCAN_MS * (1 + n_nodes / _SCAN_NODES)
        if mode == "hybrid" and (self.has_spent(_WORDS_SHARE) or self.remaining_ms < scan_ms):
            self.skip("meaning")
            return "lexical"
        return mode

    def affordable_query(self, query: Query) -> Query:
        """Return the query, with few candidates where ranking all of them takes too long."""
        is_late = self.has_spent(_RETRIEVAL_SHARE) or self.remaining_ms < _RANKING_MS
        if not is_late or query.budget.candidates <= _HURRIED_CANDIDATES:
            return query
        self.skip("most candidates")
        return replace(query, budget=replace(query.budget, candidates=_HURRIED_CANDIDATES))

    def affordable_settings(self, settings: Settings) -> Settings:
        """Return the settings, with a fuser that reads no signals where these take too long."""
        if settings.search.fuser != "linear" or self.remaining_ms >= _HURRIED_RANKING_MS:
            return settings
        self.skip("the learned ranker")
        return changed(settings, {"search.fuser": "blend"})

    def results(self, hits: tuple[Hit, ...], considered: int, generation: int) -> Results:
        """Return the answer: `hits` among `considered` candidates of a generation."""
        return Results(
            query=self._query.text,
            hits=hits,
            truncated=self.truncated,
            generation=generation,
            took_ms=self.elapsed_ms,
            candidates=considered,
            remarks=merge_stopped(self.notes, self._query.budget.time_ms, self._skipped),
            confidence=self.confidence,
            confidence_word=self.confidence_word,
            facets=self.facets,
        )
