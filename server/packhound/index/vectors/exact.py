"""Vectors of one snapshot and their exact nearest neighbours, by a scan."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, Ints, Mask, NodeIds, Positions, top_k, unique_sorted
from packhound.index.vectors.int8_matmul import dot_products, offsets_of
from packhound.index.vectors.quantization import QUERY_OFFSET, Codes, QueryCode, quantize_query
from packhound.index.vectors.vector_column import (
    BLOCK_VECTORS,
    GROUP_VECTORS,
    VectorBlock,
    block_slices,
    gather_codes,
    gather_groups,
    gather_scales,
)

if TYPE_CHECKING:
    from packhound.index.vectors.hnsw import NeighbourGraph

_GATHER_BELOW, _GATHER_ROWS_BELOW = 32, 8
"""Fewer than one in this many are cheaper to gather than all vectors are to scan: groups of
vectors from blocks, and node ids from the rows that a graph keeps."""

_FEW = 200_000
"""Below so many nodes that pass a filter a scan is shorter than a search of the graph, in which
hnswlib calls Python for each node that it meets: 2 to 4 ms."""


@dataclass(frozen=True, eq=False)
class Vectors:
    """Vectors in blocks; `state` has the state of each node id's vector, see `blocks.py`.

    `present` are the node ids with a vector, `usable` those of them that are live.
    """

    dim: int
    blocks: tuple[VectorBlock, ...]
    state: NDArray[np.uint8]
    present: Mask
    usable: Mask
    graph: NeighbourGraph | None = None

    def row(self, node_id: int) -> Floats:
        """Return the unit vector of a node id."""
        row: Floats = self.rows(np.array([node_id], np.int32))[0]
        return row

    def rows(self, node_ids: NDArray[np.integer[Any]]) -> Floats:
        """Return the unit vectors of node ids, [len(node ids), dim]; zero where there is none."""
        codes, scales = self.take(node_ids)
        scales = np.where(self.present[node_ids], scales, np.float32(0))
        return codes.astype(np.float32) * scales[:, None]

    def take(self, node_ids: NDArray[np.integer[Any]]) -> tuple[Codes, Floats]:
        """Return the codes and scales of node ids, whatever their state."""
        return gather_codes(self.blocks, node_ids, self.dim)

    def columns(self, first: int, n: int) -> tuple[Codes, Floats]:
        """Return codes [dim, n] and scales of `n` node ids within one block, from `first` on."""
        number, start = divmod(first, BLOCK_VECTORS)
        block, group = self.blocks[number], start // GROUP_VECTORS
        groups = block.codes[group : group + -(-n // GROUP_VECTORS)]
        codes = groups.transpose(1, 0, 2).reshape(self.dim, -1)
        return codes[:, :n], block.scales[start : start + n]

    def similarities(
        self, query: Floats, node_ids: NDArray[np.integer[Any]] | None = None
    ) -> Floats:
        """Return exact cosines with all node ids or with these; 0 where there is no vector."""
        n = len(self.usable)
        n_asked = n if node_ids is None else len(node_ids)
        if not self.dim or not n_asked or not np.isfinite(query).all():
            return np.zeros(n_asked, np.float32)
        if query.shape != (self.dim,):
            raise ValueError(f"query has shape {query.shape}, the index {self.dim} dimensions")
        code = quantize_query(query)
        if node_ids is None:
            return self._scan(code)
        if self.graph is not None and len(node_ids) * _GATHER_ROWS_BELOW <= n:
            return self._gather_rows(code, node_ids, self.graph)
        n_groups = len(unique_sorted(node_ids // GROUP_VECTORS))
        if self.graph is None and n_groups * GROUP_VECTORS * _GATHER_BELOW <= n:
            return self._gather(code, node_ids)
        return self._scan(code).take(node_ids)

    def nearest(self, query: Floats, k: int, allowed: Mask | None = None) -> tuple[NodeIds, Floats]:
        """Return at most `k` usable node ids, nearest first, ties by node id, and their cosines."""
        if not self.dim or not np.isfinite(query).all() or not query.any():
            return np.zeros(0, np.int32), np.zeros(0, np.float32)
        eligible = self.usable if allowed is None else self.usable & allowed
        if self.graph is not None and (allowed is None or np.count_nonzero(eligible) > _FEW):
            neighbours = self.graph.candidates(query, k, eligible if allowed is not None else None)
            if neighbours is not None:
                neighbours = neighbours[neighbours < len(eligible)]
                known = neighbours[eligible[neighbours]]
                return self._best_of(query, np.union1d(known, self.graph.lacks(eligible)), k)
        return self._best_of(query, np.flatnonzero(eligible).astype(np.int32), k)

    def _best_of(self, query: Floats, node_ids: NodeIds, k: int) -> tuple[NodeIds, Floats]:
        cosines = self.similarities(query, node_ids)
        best = _nearest_first(cosines, node_ids, max(0, k))
        return node_ids[best], cosines[best]

    def _scan(self, code: QueryCode) -> Floats:
        cosines, first = np.empty(len(self.usable), np.float32), 0
        # A block at a time, whose products are still in the processor's cache.
        for block, n in block_slices(self.blocks, len(self.usable)):
            dots = dot_products(code.values, block.codes[: -(-n // GROUP_VECTORS)])[:n]
            inside = slice(first, first := first + n)
            _to_cosines(code, dots, block.offsets[:n], block.scales[:n], cosines[inside])
        cosines[self._unusable] = 0
        return cosines

    def _gather(self, code: QueryCode, node_ids: NDArray[np.integer[Any]]) -> Floats:
        groups, positions = gather_groups(self.blocks, node_ids)
        dots, cosines = dot_products(code.values, groups), np.empty(len(node_ids), np.float32)
        offsets = offsets_of(groups).ravel().take(positions)
        scales = gather_scales(self.blocks, node_ids)
        _to_cosines(code, dots.take(positions), offsets, scales, cosines)
        cosines[~self.usable[node_ids]] = 0
        return cosines

    @cached_property
    def _unusable(self) -> Positions:
        return np.flatnonzero(~self.usable)

    def _gather_rows(
        self, code: QueryCode, node_ids: NDArray[np.integer[Any]], graph: NeighbourGraph
    ) -> Floats:
        held, rows = graph.codes(node_ids)
        codes = np.empty((len(node_ids), self.dim), np.int8)
        codes[held], codes[~held] = rows, self.take(node_ids[~held])[0]
        # Floats of 24 bits hold sums of whole numbers up to 16 million exactly. A product by BLAS
        # would wake its threads, which take longer than the numbers.
        values = code.values[0].astype(np.float32) - np.float32(QUERY_OFFSET)
        scales = gather_scales(self.blocks, node_ids)
        cosines: Floats = np.einsum("ij,j->i", codes.astype(np.float32), values)
        cosines *= np.where(self.usable[node_ids], scales, np.float32(0))
        cosines *= code.scale
        return cosines


def _to_cosines(code: QueryCode, dots: Ints, offsets: Ints, scales: Floats, out: Floats) -> None:
    """Write the cosines that products with a query, offset and of any length, stand for."""
    np.subtract(dots, offsets, out=out)
    out *= scales
    out *= code.scale


def no_vectors(live: Mask) -> Vectors:
    """Return the vectors of an index without a model: none."""
    none = np.zeros(len(live), np.bool_)
    return Vectors(0, (), none.astype(np.uint8), none, none)


def _nearest_first(cosines: Floats, node_ids: NodeIds, k: int) -> Positions:
    """Return the positions of the k largest cosines, descending, ties by node id."""
    candidates = top_k(cosines, k)
    return candidates[np.lexsort((node_ids[candidates], -cosines[candidates]))][:k]
