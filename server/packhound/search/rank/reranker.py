"""An optional second reading of the best hits by a cross-encoder; off by default.

Its log-odds are one more reason for a score, beside those of the ranker.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from packhound.core.errors import Cancelled, ModelError
from packhound.core.types import Hit, NodeRef, Query, Results, Signal
from packhound.encoder.cross_encoder import CrossEncoder
from packhound.search.query.parse import parse_query

DEPTH = 40
"""Hits that are read; those below count as the worst of these."""

_AT_ONCE = 8
"""Hits between two looks at the clock."""

_MOST_THREADS = 4

_QUERY_CHARACTERS = 600
"""Read of a long report: most models have room for some 2,000 characters of both texts."""

TextOf = Callable[[NodeRef], str]


class Reranker:
    """A cross-encoder and what its word is worth. Methods may be called from any thread."""

    def __init__(self, model: CrossEncoder, weight: float) -> None:
        self._model = model
        self._weight = weight

    @classmethod
    def open(cls, folder: Path, weight: float) -> Reranker:
        """Load the cross-encoder of `folder`. Raises ModelError."""
        threads = min(_MOST_THREADS, os.cpu_count() or 1)
        return cls(CrossEncoder.open(folder, threads=threads), weight)

    def depth(self, query: Query) -> int:
        """How many hits `applied` needs to return the best `query.limit`."""
        return max(query.limit, DEPTH) if _worth_reading(query) else query.limit

    def applied(
        self,
        results: Results,
        query: Query,
        text_of: TextOf,
        cancel: threading.Event | None = None,
    ) -> Results:
        """The best `query.limit` by score and second reading, as far as the query's time reaches.

        Raises Cancelled when `cancel` is set meanwhile.
        """
        if not results.hits or not _worth_reading(query):
            return results
        started = time.perf_counter()
        logits: list[float] = []
        notes = results.notes
        top = results.hits[:DEPTH]
        while len(logits) < len(top):
            if cancel is not None and cancel.is_set():
                raise Cancelled("the search was cancelled")
            if logits and _ms_since(started) + results.took_ms > query.budget.time_ms:
                notes = (*notes, f"no time to rerank more than {len(logits)} of {len(top)} hits")
                break
            batch = top[len(logits) : len(logits) + _AT_ONCE]
            try:
                logits += self._read(query, [text_of(hit.node) for hit in batch])
            except ModelError as problem:
                best = results.hits[: query.limit]
                return replace(results, hits=best, notes=(*notes, str(problem)))
        unread = [min(logits)] * (len(results.hits) - len(logits))
        hits = [
            self._with(hit, logit)
            for hit, logit in zip(results.hits, [*logits, *unread], strict=True)
        ]
        hits.sort(key=lambda hit: (-hit.score, hit.node.path, hit.node.span.start))
        return replace(
            results,
            hits=tuple(replace(hit, rank=i) for i, hit in enumerate(hits[: query.limit], 1)),
            truncated=results.truncated or len(logits) < len(top),
            took_ms=results.took_ms + _ms_since(started),
            notes=notes,
        )

    def explained(self, hit: Hit, query: Query, text_of: TextOf) -> Hit:
        """The hit with what a second reading adds to its score."""
        if not _worth_reading(query):
            return hit
        try:
            return self._with(hit, self._read(query, [text_of(hit.node)])[0])
        except ModelError:
            return hit

    def _read(self, query: Query, texts: Sequence[str]) -> list[float]:
        asked = parse_query(query).text[:_QUERY_CHARACTERS]
        return [float(logit) for logit in self._model.logits(asked, texts)]

    def _with(self, hit: Hit, logit: float) -> Hit:
        reason = Signal("cross_encoder", logit, self._weight)
        return replace(hit, score=hit.score + reason.contribution, why=(*hit.why, reason))


def _worth_reading(query: Query) -> bool:
    """A name that is typed has its definition first already."""
    return query.mode != "symbol" and parse_query(query).kind != "symbol"


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1_000
