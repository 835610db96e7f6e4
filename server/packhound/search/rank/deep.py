"""A stage that adds the similarity of a small transformer to the scores of the best hits.

All of them are read or none: what would be left of the order of a half is no order.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats
from packhound.core.caching import ByteLru
from packhound.core.errors import ModelError
from packhound.core.types import Hit, Signal
from packhound.encoder import REMEDY, DeepEncoder, model_path, node_text
from packhound.search.query.parse import ParsedQuery, QueryKind
from packhound.search.stages import StageContext

DEPTH = 50
"""Hits that are read; those below count as the least similar of these."""

WEIGHTS: dict[QueryKind, float] = {"phrase": 2.0, "prose": 6.0}
"""Weights of the cosine by kind of query; the other kinds are not read.

Fitted by benchmarks/quality/fit_deep.py; figures in benchmarks/quality/results/deep.json.
"""

_TYPICAL_COSINE = 0.23
"""Of a good hit of the first pass: a score with the signal compares with one without it."""

_CACHE_BYTES = 8_000_000
"""Vectors of 10,000 nodes, of 768 bytes each."""

_MAX_THREADS = 4


class DeepRanker:
    """The deep model's part of a ranking, with the vectors of nodes by digest. Thread-safe."""

    name = "the deep model"

    def __init__(self, load_encoder: Callable[[], DeepEncoder] | None = None) -> None:
        """`load_encoder` returns the model, the installed one by default. Raises ModelError."""
        self._load_encoder = load_encoder or _load_shared_encoder
        self._vectors = ByteLru[bytes, NDArray[np.float16]](_CACHE_BYTES, lambda row: row.nbytes)

    def applies(self, query: ParsedQuery) -> bool:
        """Return True for a kind of query that has a weight."""
        return query.kind in WEIGHTS

    def depth(self, limit: int, query: ParsedQuery) -> int:
        """Return how many hits it needs to find the best `limit`."""
        return max(limit, DEPTH) if query.kind in WEIGHTS else limit

    def rerank(self, hits: Sequence[Hit], context: StageContext) -> Sequence[Hit]:
        """Add the similarity to the scores, unless the time budget ends first. Raises Cancelled."""
        weight = WEIGHTS.get(context.query.kind)
        if not hits or weight is None:
            return hits
        try:
            cosines = self._cosines(hits[:DEPTH], context)
        except ModelError as problem:
            context.run.notes.append(str(problem))
            return hits
        if cosines is None:
            return hits
        weight *= context.settings.meaning_weight
        cosines -= _TYPICAL_COSINE
        values = cosines.tolist() + [float(cosines.min())] * (len(hits) - len(cosines))
        return [
            _rescore(hit, Signal("deep_similarity", value, weight))
            for hit, value in zip(hits, values, strict=True)
        ]

    def _cosines(self, hits: Sequence[Hit], context: StageContext) -> Floats | None:
        """Return the cosine of each hit to the query, None if the time budget is spent."""
        run, encoder = context.run, self._load_encoder()
        rows: list[NDArray[np.float16]] = []
        for hit in hits:
            source = context.text_of(hit.node).partition("\n")[2]
            text = node_text(hit.node.qualname, source)
            digest = blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
            row = self._vectors.get(digest)
            if row is None:
                run.raise_if_cancelled()
                if run.over_budget:
                    run.skip(f"the deep model, which read {len(rows)} of {len(hits)} hits")
                    return None
                row = encoder.encode(text).astype(np.float16)
            self._vectors.put({digest: row})
            rows.append(row)
        query = encoder.encode(context.query.text)
        return np.asarray(np.stack(rows).astype(np.float32) @ query, np.float32)


def missing_deep_model() -> str:
    """Return a note with the remedy if the extra is not installed, or nothing."""
    return "" if model_path() else f"the deep model is not installed; install it by {REMEDY}"


@lru_cache(maxsize=1)
def _load_shared_encoder() -> DeepEncoder:
    """Return the model, which all folders share. Raises ModelError."""
    return DeepEncoder.open(threads=min(_MAX_THREADS, os.cpu_count() or 1))


def _rescore(hit: Hit, reason: Signal) -> Hit:
    return replace(hit, score=hit.score + reason.contribution, why=(*hit.why, reason))
