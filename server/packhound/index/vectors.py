"""Vectors of one snapshot: the exact scan, which is the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from packhound.index.columns import VECTOR_BLOCK, gathered
from packhound.index.entries import Labels
from packhound.index.grid import Rows

Mask = NDArray[np.bool_]


class Graph(Protocol):
    """Approximate neighbours over some of the labels."""

    def covered(self, n_labels: int) -> Mask:
        """For the first `n_labels` labels whether the graph knows them."""

    def candidates(self, query: Rows, k: int) -> Labels | None:
        """About `k` labels near `query`, some of them dead; None where it cannot tell."""


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Rows in blocks of `VECTOR_BLOCK`; `state` says what each label has, see `labels.py`.

    `present` are the labels with a vector, `usable` those of them that are live.
    """

    dim: int
    blocks: tuple[Rows, ...]
    state: NDArray[np.uint8]
    present: Mask
    usable: Mask
    graph: Graph | None = None

    def row(self, label: int) -> NDArray[np.float32]:
        """The vector of a label."""
        if not self.present[label]:
            return np.zeros(self.dim, np.float32)
        row: NDArray[np.float32] = self.blocks[label // VECTOR_BLOCK][label % VECTOR_BLOCK]
        return row

    def similarities(self, query: NDArray[np.float32], labels: Labels | None = None) -> Rows:
        """Exact cosines with all labels or with those given; 0 where there is no vector."""
        query = _checked(query, self.dim)
        if not self.dim:
            return np.zeros(len(self.usable if labels is None else labels), np.float32)
        if labels is not None:
            return np.where(self.usable[labels], self._cosines_of(query, labels), np.float32(0))
        # einsum reads memory faster than BLAS here, needs no second thread, and on the grid both
        # give the same bits.
        found = [np.einsum("ij,j->i", block, query) for block in self.blocks]
        cosines = np.concatenate(found) if found else np.zeros(0, np.float32)
        return np.where(self.usable, cosines, np.float32(0))

    def nearest(
        self, query: NDArray[np.float32], k: int, allowed: Mask | None = None
    ) -> tuple[Labels, Rows]:
        """At most `k` usable labels, nearest first, ties by label, and their cosines."""
        query = _checked(query, self.dim)
        if not query.any():
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
        if len(labels) * _GATHER_BELOW > len(self.usable):
            cosines = self.similarities(query)[labels]
        else:
            cosines = self._cosines_of(query, labels)
        best = _largest(cosines, labels, max(0, k))
        return labels[best], cosines[best]

    def take(self, labels: Labels) -> Rows:
        """Rows of labels, whatever they hold."""
        return gathered(self.blocks, labels, self.dim)

    def _cosines_of(self, query: Rows, labels: Labels) -> Rows:
        return np.asarray(np.einsum("ij,j->i", self.take(labels), query))


_GATHER_BELOW = 8
"""Fewer labels than one in this many are cheaper to gather than all rows are to scan."""


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


def _checked(query: NDArray[np.float32], dim: int) -> Rows:
    if dim and query.shape != (dim,):
        raise ValueError(f"query has shape {query.shape}, the index {dim} dimensions")
    if not dim or not np.isfinite(query).all():
        return np.zeros(dim, np.float32)
    return query
