"""What the search finds for a prompt, as candidates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from packhound.core.types import Budget, Focus, Hit, Query
from packhound.pack.context import PackContext
from packhound.pack.pool import Pool
from packhound.pack.request import PackRequest

_HITS = 120
_SEARCH_MS = 400.0
_FILE_HITS = 12
"""Hits that rank anew within a file that is a hit as a whole."""
_FILE_OWN, _FILE_INNER = 0.4, 0.8
"""What a hit on a file as a whole is worth to its own text, and to the best of what it defines."""
_OF_ANY_QUERY = {
    *("node_size", "node_count", "node_is_rest", "node_is_type", "node_is_function", "depth"),
    *("entry_file", "grab_bag", "test_path", "example_path", "stale_path", "internal_path"),
    *("prose_file", "setting_file", "header_file", "same_file_above", "speaks_for_file"),
    "name_length",
}
"""Signals that say something of the code and nothing of the query: no reason for anyone."""


def hits_of(context: PackContext, request: PackRequest) -> Sequence[Hit]:
    """What the search finds."""
    if not request.prompt.strip():
        return ()
    focus = Focus(request.focus.path, request.focus.line) if request.focus else None
    budget = Budget(_SEARCH_MS, 4 * _HITS)
    return context.search(Query(request.prompt, _HITS, budget=budget, focus=focus)).hits


def add_hits(pool: Pool, hits: Sequence[Hit]) -> None:
    """Every hit, by its rank."""
    for hit in hits:
        candidate, chance = pool.get(int(hit.node.node_id)), chance_at(hit.rank)
        whole_file = hit.node.kind == "file"
        if candidate:
            candidate.add(chance * (_FILE_OWN if whole_file else 1.0), _told(hit))
        if whole_file:
            _add_hit_file(pool, hit, hits)


def _add_hit_file(pool: Pool, hit: Hit, hits: Sequence[Hit]) -> None:
    """A file that is found as a whole is found for what it defines, not for its imports."""
    path, chance = hit.node.path, chance_at(hit.rank)
    reason = f"in {path}, which is hit {hit.rank}"
    inner = [other for other in hits if other.node.path == path and other is not hit]
    for rank, other in enumerate(inner[:_FILE_HITS], 1):
        candidate = pool.get(int(other.node.node_id))
        if candidate:
            candidate.add(_FILE_INNER * chance * chance_at(rank) / chance_at(1), reason)
    if not inner:
        pool.share_out(path, _FILE_INNER * chance, reason)


def chance_at(rank: int) -> float:
    """How likely the hit at a rank is needed, as measured on bug reports and their fixes."""
    return float(0.42 / (1.0 + 0.45 * (rank - 1)) ** 1.15)


def _told(hit: Hit) -> str:
    """A hit with the signals of the query that speak for it most."""
    # The greatest reasons come first.
    speaking = (s for s in hit.why if s.contribution > 0 and s.signal not in _OF_ANY_QUERY)
    names = ", ".join(signal.signal for signal in islice(speaking, 3))
    return f"hit {hit.rank}" + (f" ({names})" if names else "")
