"""A stage that reads the best hits again with a cross-encoder; off by default.

Its log-odds are one more reason for a score, beside those of the ranker.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from packhound.core.errors import ModelError
from packhound.core.types import Hit, SignalValue
from packhound.encoder import CrossEncoder
from packhound.search.query.parse import ParsedQuery
from packhound.search.stages import StageContext, with_reasons

DEPTH = 40
"""Hits that are read; those below count as the worst of these."""

_BATCH = 8
"""Hits between two looks at the clock."""

_MAX_THREADS = 4

_QUERY_CHARACTERS = 600
"""Read of a long report: most models take some 2,000 characters of both texts."""


class Reranker:
    """A cross-encoder and the weight of its log-odds. Thread-safe."""

    name = "the reranker"

    def __init__(self, model: CrossEncoder, weight: float) -> None:
        self._model, self._weight = model, weight

    @classmethod
    def open(cls, folder: Path, weight: float) -> Reranker:
        """Load the cross-encoder of `folder`. Raises ModelError."""
        threads = min(_MAX_THREADS, os.cpu_count() or 1)
        return cls(CrossEncoder.open(folder, threads=threads), weight)

    def applies(self, query: ParsedQuery) -> bool:
        """Return True for a query in words."""
        return _is_worth_reading(query)

    def depth(self, limit: int, query: ParsedQuery) -> int:
        """Return how many hits it needs to find the best `limit`."""
        return max(limit, DEPTH) if _is_worth_reading(query) else limit

    def rerank(self, hits: Sequence[Hit], context: StageContext) -> Sequence[Hit]:
        """Add the log-odds to the scores, as far as the time budget reaches. Raises Cancelled."""
        if not hits or not _is_worth_reading(context.query):
            return hits
        try:
            logits = self._read(hits[:DEPTH], context)
        except ModelError as problem:
            context.run.notes.append(str(problem))
            return hits
        logits += [min(logits)] * (len(hits) - len(logits))
        return [
            with_reasons(hit, SignalValue("cross_encoder", logit, self._weight))
            for hit, logit in zip(hits, logits, strict=True)
        ]

    def _read(self, hits: Sequence[Hit], context: StageContext) -> list[float]:
        """Return the log-odds of the hits, or of the first of them if the time budget is spent."""
        run, text = context.run, context.query.text[:_QUERY_CHARACTERS]
        logits: list[float] = []
        for start in range(0, len(hits), _BATCH):
            run.raise_if_cancelled()
            if logits and run.over_budget:
                note = f"no time to rerank more than {len(logits)} of {len(hits)} hits"
                run.notes.append(note)
                run.truncated = True
                break
            texts = [context.text_of(hit.node) for hit in hits[start : start + _BATCH]]
            logits += map(float, self._model.logits(text, texts))
        return logits


def _is_worth_reading(query: ParsedQuery) -> bool:
    """Return False for a name, whose definition ranks first already."""
    return query.kind != "symbol"
