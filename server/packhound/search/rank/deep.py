"""A stage that adds the similarity of a small transformer to the scores of the best hits.

All of them are read or none: what would be left of the order of a half is no order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, NodeIds, top_k
from packhound.core.caching import ByteLru
from packhound.core.errors import Cancelled, ModelError
from packhound.core.settings import Settings
from packhound.core.types import Hit, NodeRef, SignalValue
from packhound.core.vector_cache import VectorCache
from packhound.encoder import (
    READ_CHARACTERS,
    DeepEncoder,
    Interruption,
    node_text,
)
from packhound.index import Codes, Snapshot, quantize, scales_of
from packhound.search.query.parse import ParsedQuery, QueryKind
from packhound.search.rank.deferred_load import DeferredLoad
from packhound.search.run import SearchRun
from packhound.search.signals.registry import DEEP_SIMILARITY
from packhound.search.stages import StageContext, TextOf

DEPTH = 50
"""Hits that are read; those below count as the least similar of these."""

WEIGHTS: dict[QueryKind, float] = {"phrase": 6.0, "prose": 12.0}
"""Weights of the cosine by kind of query; the other kinds are not read.

Of 2 and 6 to 8 and 20, chosen with all nodes read: benchmarks/quality/README.md, "Deep mode".
"""

_TYPICAL_COSINE = 0.23
"""Of a good hit of the first pass: a score with the signal compares with one without it."""

_CACHE_BYTES = 8_000_000
"""Vectors of 20,000 nodes, of 384 bytes each."""

_POLL_S = 0.05
"""Between looks at whether a search that waits for the model was cancelled."""

_LOAD_S = 60.0
"""Time to load the model in the background; half a second is usual."""

_SHARED = DeferredLoad(DeepEncoder.open)
"""The model, which all folders share. With one thread, so that one in idle time bothers nobody."""


class DeepText(NamedTuple):
    """Text of a hit that the model reads; `is_on_disk` tells if its vector may be saved."""

    name: str
    source: str
    is_on_disk: Callable[[], bool] = bool

    @property
    def digest(self) -> bytes:
        """The key of its vector."""
        text = f"{self.name}\0{self.source[:READ_CHARACTERS]}"
        return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()

    def encode(self, encoder: DeepEncoder, interruption: Interruption | None = None) -> Codes:
        """Return its vector in eight bits, as it is kept. Raises ModelError or Cancelled."""
        text = node_text(self.name, self.source)
        codes: Codes = quantize(encoder.encode(text, interruption)[None])[0]
        return codes


class ReadNodes(NamedTuple):
    """Nodes that were read in advance: codes [n, dim] of `node_ids`, ascending, of one epoch.

    `scales` are 1 / length of the codes. `n_wanted` nodes are to be read in all.
    """

    epoch: int
    n_wanted: int
    node_ids: NodeIds
    codes: Codes
    scales: Floats


class Likeness(NamedTuple):
    """The part of the similarity to the query in the score of each of `node_ids`, ascending."""

    node_ids: NodeIds
    scores: Floats

    def best(self, k: int) -> NodeIds:
        """Return the k most similar."""
        return self.node_ids[top_k(self.scores, k)]

    def of(self, node_ids: NDArray[np.integer[Any]]) -> Floats:
        """Return what it adds to nodes; nothing to those that were not read, as to usual ones."""
        rows = np.minimum(self.node_ids.searchsorted(node_ids), len(self.node_ids) - 1)
        return np.where(self.node_ids[rows] == node_ids, self.scores[rows], np.float32(0))


class _Vector(NamedTuple):
    """A vector, and the caches of folders that have it: trees of a process ask for the same."""

    codes: Codes
    caches: set[VectorCache]


class DeepRanker:
    """The deep model's part of a ranking, with the vectors of nodes by digest. Thread-safe."""

    name = "the deep model"

    def __init__(self, load_encoder: Callable[[], DeepEncoder] | None = None) -> None:
        """`load_encoder` returns the model, the installed one by default. Raises ModelError."""
        self._model = DeferredLoad(load_encoder) if load_encoder else _SHARED
        self._vectors = ByteLru[bytes, _Vector](_CACHE_BYTES, lambda vector: vector.codes.nbytes)

    def applies(self, query: ParsedQuery) -> bool:
        """Return True for a kind of query that has a weight."""
        return query.kind in WEIGHTS

    def depth(self, limit: int, query: ParsedQuery) -> int:
        """Return how many hits it needs to find the best `limit`."""
        return max(limit, DEPTH) if query.kind in WEIGHTS else limit

    def compare(
        self,
        query: ParsedQuery,
        read: ReadNodes,
        snapshot: Snapshot,
        settings: Settings,
        run: SearchRun,
    ) -> Likeness | None:
        """Compare the query with the nodes that were read, all at once.

        Return None if it is of a kind that is not read, or the time budget is spent. Raises
        Cancelled.
        """
        weight = WEIGHTS.get(query.kind)
        live = snapshot.live[read.node_ids] if read.epoch == snapshot.epoch else None
        if weight is None or live is None or not live.any():
            return None
        try:
            encoder = self._encoder(run)
            vector = encoder.encode_query(query.text) if encoder else None
        except ModelError:
            return None  # The stage says so.
        if vector is None:
            return None
        cosines = (read.codes.astype(np.float32) @ vector * read.scales)[live]
        weight *= settings.meaning.weight
        return Likeness(read.node_ids[live], np.float32(weight) * (cosines - _TYPICAL_COSINE))

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
        weight *= context.settings.meaning.weight
        cosines -= _TYPICAL_COSINE
        values = cosines.tolist() + [float(cosines.min())] * (len(hits) - len(cosines))
        return [
            _rescore(hit, SignalValue(DEEP_SIMILARITY, value, weight))
            for hit, value in zip(hits, values, strict=True)
        ]

    def _cosines(self, hits: Sequence[Hit], context: StageContext) -> Floats | None:
        """Return the cosine of each hit to the query, None if the time budget is spent."""
        cache, is_on_disk = context.vectors or (None, bool)
        texts = [
            deep_text(hit.node, context.text_of, partial(is_on_disk, hit.node)) for hit in hits
        ]
        return self.similarities(texts, context.query.text, context.run, cache)

    def similarities(
        self, texts: Sequence[DeepText], query: str, run: SearchRun, cache: VectorCache | None
    ) -> Floats | None:
        """Return the cosine of each text to the query, None if the time budget is spent.

        `cache` has the vectors of earlier processes. Raises ModelError or Cancelled.
        """
        encoder = self._encoder(run)
        if encoder is None:
            return None
        digests = [text.digest for text in texts]
        vectors = self._earlier(encoder.fingerprint, digests, cache)
        new: dict[bytes, bytes] = {}
        try:
            for text, digest in zip(texts, digests, strict=True):
                if digest not in vectors:
                    run.raise_if_cancelled()
                    if run.over_budget:
                        n_read = sum(map(vectors.__contains__, digests))
                        run.skip(f"the deep model, which read {n_read} of {len(texts)} hits")
                        return None
                    vectors[digest] = _Vector(text.encode(encoder), set())
                codes, caches = vectors[digest]
                if cache and cache not in caches and text.is_on_disk():
                    new[digest] = codes.tobytes()
                    caches.add(cache)
        finally:
            self._vectors.put(vectors)
            if cache:
                cache.put(encoder.fingerprint, new)
        rows = np.array([vectors[digest].codes for digest in digests])
        cosines = rows.astype(np.float32) @ encoder.encode_query(query) * scales_of(rows)
        return np.asarray(cosines, np.float32)

    def read_ahead(
        self,
        texts: Sequence[DeepText],
        cache: VectorCache,
        may_go_on: Callable[[], bool],
        interruption: Interruption,
    ) -> Codes | None:
        """Save the vectors of texts that have none, and return all; None if it may not go on.

        It asks so before each of them, and after `interruption` of one. Raises ModelError.
        """
        encoder = self._model.result(_LOAD_S)
        if encoder is None:
            return None
        by_digest = {text.digest: text for text in texts}
        cached, new = cache.get(encoder.fingerprint, by_digest), dict[bytes, bytes]()
        try:
            for digest in by_digest.keys() - cached.keys():
                while digest not in new:
                    if not may_go_on():
                        return None
                    with suppress(Cancelled):
                        new[digest] = by_digest[digest].encode(encoder, interruption).tobytes()
        finally:
            cache.put(encoder.fingerprint, new)
        rows = [np.frombuffer((cached | new)[text.digest], np.int8) for text in texts]
        return np.array(rows, np.int8)

    def _encoder(self, run: SearchRun) -> DeepEncoder | None:
        """Return the model, None if it is not loaded in time. Raises ModelError or Cancelled."""
        while (encoder := self._model.result(min(run.remaining_ms / 1_000, _POLL_S))) is None:
            run.raise_if_cancelled()
            if run.over_budget:
                run.skip("the deep model, which is being loaded")
                return None
        return encoder

    def _earlier(
        self, model: str, digests: Iterable[bytes], cache: VectorCache | None
    ) -> dict[bytes, _Vector]:
        """Return the vectors that this process or one before has made."""
        in_memory = {digest: self._vectors.get(digest) for digest in digests}
        vectors = {digest: vector for digest, vector in in_memory.items() if vector is not None}
        missing = in_memory.keys() - vectors.keys()
        if missing and cache:
            for digest, row in cache.get(model, missing).items():
                vectors[digest] = _Vector(np.frombuffer(row, np.int8), {cache})
        return vectors


def deep_text(node: NodeRef, text_of: TextOf, is_on_disk: Callable[[], bool]) -> DeepText:
    """Return what the model reads of a node."""
    return DeepText(node.qualname, text_of(node).partition("\n")[2], is_on_disk)


def _rescore(hit: Hit, reason: SignalValue) -> Hit:
    return replace(hit, score=hit.score + reason.contribution, why=(*hit.why, reason))
