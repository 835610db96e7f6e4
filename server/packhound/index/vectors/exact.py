"""Vectors of one snapshot: the exact scan, which is the truth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from packhound.index.columns import VectorBlock, gathered, groups_of
from packhound.index.file_entry import Labels
from packhound.index.vectors.int8_matmul import dot_products
from packhound.index.vectors.quantization import QUERY_OFFSET, Codes, QueryCode, Rows, query_code

Mask = NDArray[np.bool_]


class Graph(Protocol):
    """Approximate neighbours over some of the labels."""

    def covered(self, n_labels: int) -> Mask:
        """For the first `n_labels` labels whether the graph knows them."""

    def candidates(self, query: Rows, k: int) -> Labels | None:
        """About `k` labels near `query`, some of them dead; None where it cannot tell."""


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Vectors in blocks; `state` says what each label has, see `labels.py`.

    `present` are the labels with a vector, `usable` those of them that are live.
    """

    dim: int
    blocks: tuple[VectorBlock, ...]
    state: NDArray[np.uint8]
    present: Mask
    usable: Mask
    graph: Graph | None = None
    _kept: list[tuple[NDArray[np.int32], Rows]] = field(default_factory=list)

    def row(self, label: int) -> Rows:
        """The unit vector of a label."""
        row: Rows = self.rows(np.array([label], np.int32))[0]
        return row

    def rows(self, labels: NDArray[np.integer[Any]]) -> Rows:
        """The unit vectors of labels, [len(labels), dim]; zero where there is none."""
        codes, scales = self.take(labels)
        scales = np.where(self.present[labels], scales, np.float32(0))
        return codes.astype(np.float32) * scales[:, None]

    def take(self, labels: NDArray[np.integer[Any]]) -> tuple[Codes, NDArray[np.float32]]:
        """Codes and scales of labels, whatever they hold."""
        return gathered(self.blocks, labels, self.dim)

    def similarities(self, query: Rows, labels: NDArray[np.integer[Any]] | None = None) -> Rows:
        """Exact cosines with all labels or with those given; 0 where there is no vector."""
        n = len(self.usable)
        asked = n if labels is None else len(labels)
        if not self.dim or not asked or not np.isfinite(query).all():
            return np.zeros(asked, np.float32)
        code = query_code(_checked(query, self.dim))
        if labels is None or len(labels) * _GATHER_BELOW > n:
            return self._scanned(code, labels)
        return self._gathered(code, labels)

    def nearest(
        self, query: NDArray[np.float32], k: int, allowed: Mask | None = None
    ) -> tuple[Labels, Rows]:
        """At most `k` usable labels, nearest first, ties by label, and their cosines."""
        if not self.dim or not np.isfinite(query).all() or not query.any():
            return np.zeros(0, np.int32), np.zeros(0, np.float32)
        if allowed is None and self.graph is not None:
            near = self.graph.candidates(query, k)
            if near is not None:
                return self._best_of(query, self._with_tail(near, self.graph), k)
        wanted = self.usable if allowed is None else self.usable & allowed
        return self._best_of(query, np.flatnonzero(wanted).astype(np.int32), k)

    def _with_tail(self, near: Labels, graph: Graph) -> Labels:
        """Usable ones of `near`, and all labels that the graph does not know."""
        near = near[near < len(self.usable)]
        tail = np.flatnonzero(self.usable & ~graph.covered(len(self.usable))).astype(np.int32)
        return np.union1d(near[self.usable[near]], tail)

    def _best_of(self, query: Rows, labels: Labels, k: int) -> tuple[Labels, Rows]:
        cosines = self.similarities(query, labels)
        best = _largest(cosines, labels, max(0, k))
        return labels[best], cosines[best]

    def _scanned(self, code: QueryCode, labels: NDArray[np.integer[Any]] | None) -> Rows:
        offsets, scales = self._joined()
        dots = dot_products(code.values, [block.columns for block in self.blocks])
        if labels is None:
            return _cosines(code, dots[: len(offsets)], offsets, scales)
        return _cosines(code, dots[labels], offsets[labels], scales[labels])

    def _gathered(self, code: QueryCode, labels: NDArray[np.integer[Any]]) -> Rows:
        offsets, scales = self._joined()
        groups, places = groups_of(self.blocks, labels)
        dots = dot_products(code.values, [groups])[places]
        return _cosines(code, dots, offsets[labels], scales[labels])

    def _joined(self) -> tuple[NDArray[np.int32], Rows]:
        """What a query's offset adds to each product; scales, 0 where a label is not usable."""
        if not self._kept:
            n = len(self.usable)
            sums = np.concatenate([block.sums for block in self.blocks])[:n]
            scales = np.concatenate([block.scales for block in self.blocks])[:n]
            offsets = np.int32(QUERY_OFFSET) * sums
            self._kept.append((offsets, np.where(self.usable, scales, np.float32(0))))
        return self._kept[0]


_GATHER_BELOW = 16
"""Fewer labels than one in this many are cheaper to gather than all vectors are to scan."""


def _cosines(
    code: QueryCode, dots: NDArray[np.int32], offsets: NDArray[np.int32], scales: Rows
) -> Rows:
    cosines: Rows = (dots - offsets).astype(np.float32)
    cosines *= scales
    cosines *= code.scale
    return cosines


def no_vectors(live: Mask) -> Vectors:
    """Vectors of an index without a model: none."""
    none = np.zeros(len(live), np.bool_)
    return Vectors(0, (), none.astype(np.uint8), none, none)


def _largest(cosines: Rows, labels: Labels, k: int) -> NDArray[np.intp]:
    if k < len(cosines):
        # All that tie with the k-th stay in, so that labels decide between them.
        floor = -np.partition(-cosines, k - 1)[k - 1] if k else np.inf
        inside = np.flatnonzero(cosines >= floor)
    else:
        inside = np.arange(len(cosines))
    return inside[np.lexsort((labels[inside], -cosines[inside]))][:k]


def _checked(query: Rows, dim: int) -> Rows:
    if query.shape != (dim,):
        raise ValueError(f"query has shape {query.shape}, the index {dim} dimensions")
    return query
