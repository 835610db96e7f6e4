"""A stage that ranks hits that repeat a better one lower; off by default."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from packhound.core.types import Hit, SignalValue
from packhound.index import Snapshot
from packhound.search.query.parse import ParsedQuery
from packhound.search.stages import StageContext, with_reasons

_DEPTH = 3
"""Hits that compete for each one that was asked for."""


class Diversity:
    """Maximal marginal relevance (Carbonell and Goldstein 1998) over one snapshot's vectors.

    Each hit loses (1 - lambda) / lambda times its highest cosine to a hit above it, which orders
    hits by lambda times relevance less (1 - lambda) times redundancy.
    """

    name = "diversity"

    def __init__(self, snapshot: Snapshot, mmr_lambda: float) -> None:
        self._snapshot = snapshot
        self._weight = -(1 - mmr_lambda) / mmr_lambda

    def applies(self, _query: ParsedQuery) -> bool:
        """Return True: any query can have repetitive hits."""
        return True

    def depth(self, limit: int, _query: ParsedQuery) -> int:
        """Return how many hits it needs to find the best `limit`."""
        return limit * _DEPTH

    def rerank(self, hits: Sequence[Hit], _context: StageContext) -> Sequence[Hit]:
        """Subtract redundancy from the scores, from the best hit down."""
        if not hits:
            return hits
        node_ids = np.array([hit.node.node_id for hit in hits], np.int32)
        rows = self._snapshot.vectors.rows(node_ids)
        rows = np.where(self._snapshot.has_vector[node_ids][:, None], rows, 0)
        cosines = np.asarray(rows @ rows.T, np.float64)
        scores = np.array([hit.score for hit in hits])
        highest, remaining = np.zeros(len(hits)), [*range(len(hits))]
        for _ in hits:
            best = max(remaining, key=lambda i: (scores[i] + self._weight * highest[i], -i))
            remaining.remove(best)
            highest[remaining] = np.maximum(highest[remaining], cosines[best, remaining])
        reasons = [
            SignalValue("repeats_above", cosine, self._weight) for cosine in highest.tolist()
        ]
        return [
            with_reasons(hit, reason) if reason.value else hit
            for hit, reason in zip(hits, reasons, strict=True)
        ]
