"""The one order of hits: by falling score, ties by path and start.

Scores are compared rounded, because sums of floats in another order differ in their last bits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from packhound.core.types import Hit

SCORE_DIGITS = 9


def sort_key(hit: Hit) -> tuple[float, str, int, str]:
    """Return the key that sorts hits best first; the root decides between workspace folders."""
    node = hit.node
    return -round(hit.score, SCORE_DIGITS), node.path, node.span.start, node.root


def rank_hits(hits: Iterable[Hit], limit: int, first_root: str = "") -> tuple[Hit, ...]:
    """Return the best `limit` hits in order, numbered from 1; `first_root` goes before equals."""

    def key(hit: Hit) -> tuple[float, bool, str, int, str]:
        score, path, start, root = sort_key(hit)
        return score, root != first_root, path, start, root

    best = sorted(hits, key=key if first_root else sort_key)[: max(0, limit)]
    return tuple(
        hit if hit.rank == rank else replace(hit, rank=rank) for rank, hit in enumerate(best, 1)
    )
