"""A stage that adds the similarity of a small transformer to the scores of the best hits.

All of them are read or none: what would be left of the order of a half is no order.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from packhound.core.arrays import Floats
from packhound.core.caching import ByteLru
from packhound.core.errors import ModelError
from packhound.core.types import Hit, Signal
from packhound.core.vector_cache import HalfFloats, VectorCache
from packhound.encoder import REMEDY, DeepEncoder, model_path, node_text
from packhound.search.query.parse import ParsedQuery, QueryKind
from packhound.search.run import SearchRun
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


class DeepText(NamedTuple):
    """What the model reads of a hit; `is_on_disk` tells if its vector may be saved."""

    text: str
    is_on_disk: Callable[[], bool]


class DeepRanker:
    """The deep model's part of a ranking, with the vectors of nodes by digest. Thread-safe."""

    name = "the deep model"

    def __init__(self, load_encoder: Callable[[], DeepEncoder] | None = None) -> None:
        """`load_encoder` returns the model, the installed one by default. Raises ModelError."""
        self._load_encoder = load_encoder or _load_shared_encoder
        self._vectors = ByteLru[bytes, HalfFloats](_CACHE_BYTES, lambda row: row.nbytes)

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
        cache, is_on_disk = context.vectors or (None, bool)
        texts = [DeepText(_text_of(hit, context), partial(is_on_disk, hit.node)) for hit in hits]
        return self.similarities(texts, context.query.text, context.run, cache)

    def similarities(
        self, texts: Sequence[DeepText], query: str, run: SearchRun, cache: VectorCache | None
    ) -> Floats | None:
        """Return the cosine of each text to the query, None if the time budget is spent.

        `cache` has the vectors of earlier processes. Raises ModelError or Cancelled.
        """
        encoder = self._load_encoder()
        digests = [
            blake2b(text.encode("utf-8", "replace"), digest_size=16).digest() for text, _ in texts
        ]
        rows = self._earlier(encoder.fingerprint, digests, cache)
        new: dict[bytes, HalfFloats] = {}
        try:
            for (text, is_on_disk), digest in zip(texts, digests, strict=True):
                if digest in rows:
                    continue
                run.raise_if_cancelled()
                if run.over_budget:
                    n_read = sum(map(rows.__contains__, digests))
                    run.skip(f"the deep model, which read {n_read} of {len(texts)} hits")
                    return None
                rows[digest] = encoder.encode(text).astype(np.float16)
                if cache and is_on_disk():
                    new[digest] = rows[digest]
        finally:
            self._vectors.put(rows)
            if cache:
                cache.put(encoder.fingerprint, new)
        matrix = np.array([rows[digest] for digest in digests], np.float32)
        return np.asarray(matrix @ encoder.encode(query), np.float32)

    def _earlier(
        self, model: str, digests: Iterable[bytes], cache: VectorCache | None
    ) -> dict[bytes, HalfFloats]:
        """Return the vectors that this process or one before has made."""
        in_memory = {digest: self._vectors.get(digest) for digest in digests}
        rows = {digest: row for digest, row in in_memory.items() if row is not None}
        missing = in_memory.keys() - rows.keys()
        if missing and cache:
            rows |= cache.get(model, missing)
        return rows


def missing_deep_model() -> str:
    """Return a note with the remedy if the extra is not installed, or nothing."""
    return "" if model_path() else f"the deep model is not installed; install it by {REMEDY}"


@lru_cache(maxsize=1)
def _load_shared_encoder() -> DeepEncoder:
    """Return the model, which all folders share. Raises ModelError."""
    return DeepEncoder.open(threads=min(_MAX_THREADS, os.cpu_count() or 1))


def _text_of(hit: Hit, context: StageContext) -> str:
    return node_text(hit.node.qualname, context.text_of(hit.node).partition("\n")[2])


def _rescore(hit: Hit, reason: Signal) -> Hit:
    return replace(hit, score=hit.score + reason.contribution, why=(*hit.why, reason))
