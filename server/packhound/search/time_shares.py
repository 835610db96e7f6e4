"""Parts of a search that are left out where its time budget is short, each named in a note."""

from __future__ import annotations

from dataclasses import replace

from packhound.core.settings import Settings
from packhound.core.settings_reader import changed
from packhound.core.types import Mode, Query
from packhound.search.run import SearchRun

_WORDS_SHARE, _RETRIEVAL_SHARE = 0.5, 0.75
"""Shares of the time budget after which meaning and most candidates are left out."""
_RANKING_MS = 3.0
"""Time that ranking all candidates takes on a laptop."""
_HURRIED_RANKING_MS, _HURRIED_CANDIDATES = 1.2, 40
"""The same for few candidates, and how many these are."""
_SCAN_MS, _SCAN_NODES = 0.5, 50_000
"""Time that meaning takes at least, and the nodes for which it takes twice that."""


def affordable_mode(run: SearchRun, mode: Mode, n_nodes: int) -> Mode:
    """Return the mode, words alone in place of hybrid where a scan of `n_nodes` takes too long."""
    scan_ms = _SCAN_MS * (1 + n_nodes / _SCAN_NODES)
    if mode == "hybrid" and (run.has_spent(_WORDS_SHARE) or run.remaining_ms < scan_ms):
        run.skip("meaning")
        return "lexical"
    return mode


def affordable_query(run: SearchRun, query: Query) -> Query:
    """Return the query, with few candidates where ranking all of them takes too long."""
    is_late = run.has_spent(_RETRIEVAL_SHARE) or run.remaining_ms < _RANKING_MS
    if not is_late or query.budget.candidates <= _HURRIED_CANDIDATES:
        return query
    run.skip("most candidates")
    return replace(query, budget=replace(query.budget, candidates=_HURRIED_CANDIDATES))


def affordable_settings(run: SearchRun, settings: Settings) -> Settings:
    """Return the settings, with a fuser that reads no signals where these take too long."""
    if settings.search.fuser != "linear" or run.remaining_ms >= _HURRIED_RANKING_MS:
        return settings
    run.skip("the learned ranker")
    return changed(settings, {"search.fuser": "blend"})
