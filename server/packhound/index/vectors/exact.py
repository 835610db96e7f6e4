"""Vectors of one snapshot: the exact scan, which is the truth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, Mask, NodeIds, Positions, top_k
from packhound.index.columns import VectorBlock, gathered, groups_of
from packhound.index.vectors.int8_matmul import dot_products
from packhound.index.vectors.quantization import QUERY_OFFSET, Codes, QueryCode, query_code


class Graph(Protocol):
    """Approximate neighbours over some of the node ids."""

    def covered(self, n_node_ids: int) -> Mask:
        """For the first `n_node_ids` node ids whether the graph knows them."""

    def candidates(self, query: Floats, k: int) -> NodeIds | None:
        """About `k` node ids near `query`, some of them dead; None where it cannot tell."""


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Vectors in blocks; `state` says what each node id has, see `node_ids.py`.

    `present` are the node ids with a vector, `usable` those of them that are live.
    """

    dim: int
    blocks: tuple[VectorBlock, ...]
    state: NDArray[np.uint8]
    present: Mask
    usable: Mask
    graph: Graph | None = None
    _kept: list[tuple[NDArray[np.int32], Floats]] = field(default_factory=list)

    def row(self, node_id: int) -> Floats:
        """The unit vector of a node id."""
        row: Floats = self.rows(np.array([node_id], np.int32))[0]
        return row

    def rows(self, node_ids: NDArray[np.integer[Any]]) -> Floats:
        """The unit vectors of node ids, [len(node ids), dim]; zero where there is none."""
        codes, scales = self.take(node_ids)
        scales = np.where(self.present[node_ids], scales, np.float32(0))
        return codes.astype(np.float32) * scales[:, None]

    def take(self, node_ids: NDArray[np.integer[Any]]) -> tuple[Codes, NDArray[np.float32]]:
        """Codes and scales of node ids, whatever they hold."""
        return gathered(self.blocks, node_ids, self.dim)

    def similarities(
        self, query: Floats, node_ids: NDArray[np.integer[Any]] | None = None
    ) -> Floats:
        """Exact cosines with all node ids or with those given; 0 where there is no vector."""
        n = len(self.usable)
        asked = n if node_ids is None else len(node_ids)
        if not self.dim or not asked or not np.isfinite(query).all():
            return np.zeros(asked, np.float32)
        code = query_code(_checked(query, self.dim))
        if node_ids is None or len(node_ids) * _GATHER_BELOW > n:
            return self._scanned(code, node_ids)
        return self._gathered(code, node_ids)

    def nearest(
        self, query: NDArray[np.float32], k: int, allowed: Mask | None = None
    ) -> tuple[NodeIds, Floats]:
        """At most `k` usable node ids, nearest first, ties by node id, and their cosines."""
        if not self.dim or not np.isfinite(query).all() or not query.any():
            return np.zeros(0, np.int32), np.zeros(0, np.float32)
        if allowed is None and self.graph is not None:
            near = self.graph.candidates(query, k)
            if near is not None:
                return self._best_of(query, self._with_tail(near, self.graph), k)
        wanted = self.usable if allowed is None else self.usable & allowed
        return self._best_of(query, np.flatnonzero(wanted).astype(np.int32), k)

    def _with_tail(self, near: NodeIds, graph: Graph) -> NodeIds:
        """Usable ones of `near`, and all node ids that the graph does not know."""
        near = near[near < len(self.usable)]
        tail = np.flatnonzero(self.usable & ~graph.covered(len(self.usable))).astype(np.int32)
        return np.union1d(near[self.usable[near]], tail)

    def _best_of(self, query: Floats, node_ids: NodeIds, k: int) -> tuple[NodeIds, Floats]:
        cosines = self.similarities(query, node_ids)
        best = _nearest_first(cosines, node_ids, max(0, k))
        return node_ids[best], cosines[best]

    def _scanned(self, code: QueryCode, node_ids: NDArray[np.integer[Any]] | None) -> Floats:
        offsets, scales = self._joined()
        dots = dot_products(code.values, [block.columns for block in self.blocks])
        if node_ids is None:
            return _cosines(code, dots[: len(offsets)], offsets, scales)
        return _cosines(code, dots[node_ids], offsets[node_ids], scales[node_ids])

    def _gathered(self, code: QueryCode, node_ids: NDArray[np.integer[Any]]) -> Floats:
        offsets, scales = self._joined()
        groups, places = groups_of(self.blocks, node_ids)
        dots = dot_products(code.values, [groups])[places]
        return _cosines(code, dots, offsets[node_ids], scales[node_ids])

    def _joined(self) -> tuple[NDArray[np.int32], Floats]:
        """What a query's offset adds to each product; scales, 0 where a node id is not usable."""
        if not self._kept:
            n = len(self.usable)
            sums = np.concatenate([block.sums for block in self.blocks])[:n]
            scales = np.concatenate([block.scales for block in self.blocks])[:n]
            offsets = np.int32(QUERY_OFFSET) * sums
            self._kept.append((offsets, np.where(self.usable, scales, np.float32(0))))
        return self._kept[0]


_GATHER_BELOW = 16
"""Fewer node ids than one in this many are cheaper to gather than all vectors are to scan."""


def _cosines(
    code: QueryCode, dots: NDArray[np.int32], offsets: NDArray[np.int32], scales: Floats
) -> Floats:
    cosines: Floats = (dots - offsets).astype(np.float32)
    cosines *= scales
    cosines *= code.scale
    return cosines


def no_vectors(live: Mask) -> Vectors:
    """Vectors of an index without a model: none."""
    none = np.zeros(len(live), np.bool_)
    return Vectors(0, (), none.astype(np.uint8), none, none)


def _checked(query: Floats, dim: int) -> Floats:
    if query.shape != (dim,):
        raise ValueError(f"query has shape {query.shape}, the index {dim} dimensions")
    return query


def _nearest_first(cosines: Floats, node_ids: NodeIds, k: int) -> Positions:
    """Positions of the k largest cosines, falling, ties by node id."""
    inside = top_k(cosines, k)
    return inside[np.lexsort((node_ids[inside], -cosines[inside]))][:k]
