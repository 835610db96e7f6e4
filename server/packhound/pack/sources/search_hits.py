"""Candidates that the search returns for a prompt."""

from __future__ import annotations

from collections.abc import Sequence

from packhound.core.settings import DEEP_TIME_MS
from packhound.core.types import Budget, Focus, Hit, Query, Results
from packhound.pack.context import PackContext
from packhound.pack.pool import Pool
from packhound.pack.request import Origin, PackRequest

_HITS = 120
_FILE_HITS = 12
"""Hits that are ranked again within a file that is a hit as a whole."""
_FILE_NODE_FACTOR, _FILE_INNER_FACTOR = 0.4, 0.8
"""What a hit on a whole file is worth to its own text, and to the best of what it defines."""


def search_prompt(context: PackContext, request: PackRequest) -> Results | None:
    """Return the answer to the prompt, None where it has no words."""
    if not request.prompt.strip():
        return None
    focus = Focus(request.focus.path, request.focus.line) if request.focus else None
    budget = Budget(DEEP_TIME_MS, 4 * _HITS)
    query = Query(
        request.prompt, _HITS, budget=budget, focus=focus, deep=True, overlapping=True
    )  # The knapsack chooses among a class and its methods.
    return context.search(query)


def add_hits(pool: Pool, hits: Sequence[Hit]) -> None:
    """Add every hit, by its rank."""
    for hit in hits:
        candidate, probability = pool.get(int(hit.node.node_id)), probability_at(hit.rank)
        is_file = hit.node.kind == "file"
        if candidate:
            utility = probability * (_FILE_NODE_FACTOR if is_file else 1.0)
            candidate.add(Origin("search", utility, f"hit {hit.rank}", hit.rank, hit=hit))
        if is_file:
            _add_file_contents(pool, hit, hits)


def _add_file_contents(pool: Pool, hit: Hit, hits: Sequence[Hit]) -> None:
    """Add the definitions of a file that is a hit, which rarely is one for its imports."""
    path, probability = hit.node.path, _FILE_INNER_FACTOR * probability_at(hit.rank)
    reason = f"in {path}, which is hit {hit.rank}"
    nodes = [inner for inner in hits if inner.node.path == path and inner is not hit]
    for rank, inner in enumerate(nodes[:_FILE_HITS], 1):
        candidate = pool.get(int(inner.node.node_id))
        if candidate:
            utility = probability * probability_at(rank) / probability_at(1)
            candidate.add(Origin("file", utility, reason))
    if not nodes:
        pool.share_out(path, probability, reason)


def probability_at(rank: int) -> float:
    """Return how likely the hit at a rank is needed, as measured on bug reports and their fixes."""
    return float(0.42 / (1.0 + 0.45 * (rank - 1)) ** 1.15)
