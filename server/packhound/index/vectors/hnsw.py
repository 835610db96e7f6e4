"""The hnswlib graph: approximate neighbours for indexes too large to scan at every query.

It is a cache of the vectors and never on disk: a damaged graph file can crash the process. Its
labels are a superset of the live ones, so it serves any snapshot of its epoch; what it misses is
scanned. hnswlib must not add while it searches, so both hold one lock, and adding is done in
steps short enough that no search waits long.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from packhound.core.errors import Cancelled
from packhound.index.file_entry import Labels
from packhound.index.vectors.exact import Mask, Vectors
from packhound.index.vectors.quantization import Rows

if TYPE_CHECKING:
    import hnswlib

GRAPH_FROM = 150_000
"""Vectors from which on the graph is kept. Measured at 256 dimensions, in one thread of a busy
machine: a scan takes 1.1 ms at 100,000, 2.9 ms at 213,000 and 5.4 ms at 400,000; what a search does
instead with the graph takes 2.2 ms at 100,000, of which 1.5 ms are hnswlib's for 256 neighbours and
the rest the cosines of these and of the candidates, and hardly more in a larger index. Building it
takes 40 s of a core at 100,000, and five times the memory of the vectors, which smaller indexes
need not pay."""

ENOUGH_RECALL = 0.95
"""Recall@10 that is kept; the width of the search is raised until a fresh graph has it."""

_LINKS = 16
_BUILD_WIDTH = 100
_SEARCH_WIDTHS = (96, 192, 384, 768)
_ROOM = 1.25
_STEP = 8
"""Vectors added while searches wait: 2 to 4 ms."""
_SAMPLES = 32
_SPARE = 10


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourGraph:
    """A graph as one epoch sees it: `label_of[i]` is the label of item i, -1 if it has none.

    Values of one graph share its items; `extended` and `renumbered` make new values.
    """

    label_of: Labels
    length_then: float
    """Average length of a node when the graph was built; `recall_then` its recall at that time."""
    recall: float
    recall_then: float
    _items: _Items
    _covered: list[Mask] = field(default_factory=list)

    @property
    def dead_share(self) -> float:
        """Share of the items whose label died."""
        return self._items.n_deleted / max(1, self._items.size)

    @property
    def has_room(self) -> bool:
        """Whether items can be added without building anew."""
        return self._items.size < self._items.capacity

    def covered(self, n_labels: int) -> Mask:
        """For the first `n_labels` labels whether the graph knows them."""
        if not self._covered or len(self._covered[0]) != n_labels:
            known = np.zeros(n_labels, np.bool_)
            labels = self.label_of[self.label_of >= 0]
            known[labels[labels < n_labels]] = True
            self._covered[:] = [known]
        return self._covered[0]

    def candidates(self, query: Rows, k: int) -> Labels | None:
        """About `k` labels near `query`; None where there are too few to ask for."""
        items = self._items.nearest(query, k + _SPARE)
        if items is None:
            return None
        # Items that were added after this value was made are scanned instead.
        labels = self.label_of[items[items < len(self.label_of)]]
        return labels[labels >= 0]

    def bury(self, labels: Labels) -> None:
        """Let labels that died no longer be found."""
        self._items.delete(np.flatnonzero(np.isin(self.label_of, labels)))

    def extended(self, vectors: Vectors, stop: threading.Event | None = None) -> NeighbourGraph:
        """The graph with all usable vectors that it lacks, as far as there is room.

        Raises Cancelled when `stop` is set meanwhile.
        """
        missing = np.flatnonzero(vectors.usable & ~self.covered(len(vectors.usable)))
        room = self._items.capacity - self._items.size
        labels = missing[:room].astype(np.int32)
        self._items.add_all(vectors, labels, _STEP, stop)
        # Items of an earlier extension that was given up are not in `label_of`.
        skipped = np.full(self._items.size - len(self.label_of) - len(labels), -1, np.int32)
        label_of = np.concatenate((self.label_of, skipped, labels))
        measured = recall_of(self._items, label_of, vectors)
        return NeighbourGraph(label_of, self.length_then, measured, self.recall_then, self._items)

    def renumbered(self, new_labels: Labels) -> NeighbourGraph:
        """The same graph after its labels got new numbers, -1 for those that are gone."""
        label_of = np.where(self.label_of >= 0, new_labels[self.label_of], -1).astype(np.int32)
        return NeighbourGraph(
            label_of, self.length_then, self.recall, self.recall_then, self._items
        )


def graph_problem() -> str | None:
    """Why there can be no graph, if so."""
    try:
        import hnswlib  # noqa: F401
    except ImportError as error:
        return f"hnswlib cannot be used ({error}), so every search by meaning scans all vectors"
    return None


def build_graph(
    vectors: Vectors, average_length: float, stop: threading.Event | None = None
) -> NeighbourGraph:
    """A graph over all usable vectors, wide enough to be right; takes long.

    Raises Cancelled when `stop` is set meanwhile.
    """
    labels = np.flatnonzero(vectors.usable).astype(np.int32)
    items = _Items(vectors.dim, int(len(labels) * _ROOM) + 1_000)
    items.add_all(vectors, labels, 256, stop)
    measured = 0.0
    for width in _SEARCH_WIDTHS:
        items.width = width
        measured = recall_of(items, labels, vectors)
        if measured >= ENOUGH_RECALL:
            break
    return NeighbourGraph(labels, average_length, measured, measured, items)


def recall_of(items: _Items, label_of: Labels, vectors: Vectors) -> float:
    """Share of the exact ten nearest that the graph finds, over a sample of the vectors."""
    usable = np.flatnonzero(vectors.usable)
    sample = np.random.default_rng(len(usable)).choice(usable, min(_SAMPLES, len(usable)), False)
    found = wanted = 0
    exact = Vectors(vectors.dim, vectors.blocks, vectors.state, vectors.present, vectors.usable)
    for label in sample.tolist():
        query = vectors.row(label)
        truth, cosines = exact.nearest(query, 10)
        near = items.nearest(query, 10 + _SPARE)
        labels = label_of[near] if near is not None else truth
        # Equal cosines are equally right.
        close = exact.similarities(query, labels[labels >= 0])
        found += min(len(truth), int(np.count_nonzero(close >= cosines[-1])))
        wanted += len(truth)
    return found / wanted if wanted else 1.0


class _Items:
    """hnswlib behind its lock. Items are numbered as they come."""

    def __init__(self, dim: int, capacity: int) -> None:
        import hnswlib

        self._lock = threading.Lock()
        self._graph: hnswlib.Index = hnswlib.Index(space="ip", dim=dim)
        self._graph.init_index(capacity, M=_LINKS, ef_construction=_BUILD_WIDTH, random_seed=1)
        self._deleted: set[int] = set()
        self.width = _SEARCH_WIDTHS[0]
        self.capacity = capacity
        self.size = 0

    @property
    def n_deleted(self) -> int:
        return len(self._deleted)

    def add_all(
        self, vectors: Vectors, labels: Labels, step: int, stop: threading.Event | None
    ) -> None:
        """Add the vectors of `labels`, `step` at a time; raises Cancelled once `stop` is set."""
        for start in range(0, len(labels), step):
            if stop is not None and stop.is_set():
                raise Cancelled("the graph was given up")
            self.add(vectors.rows(labels[start : start + step]))

    def add(self, rows: Rows) -> None:
        with self._lock:
            ids = np.arange(self.size, self.size + len(rows))
            self._graph.add_items(rows, ids, num_threads=1)
            self.size += len(rows)

    def delete(self, items: NDArray[np.intp]) -> None:
        with self._lock:
            for item in items.tolist():
                if item not in self._deleted:
                    self._graph.mark_deleted(item)
                    self._deleted.add(item)

    def nearest(self, query: Rows, k: int) -> NDArray[np.int64] | None:
        """Items near `query`; None where hnswlib finds fewer than it must."""
        with self._lock:
            k = min(k, self.size - len(self._deleted))
            if k <= 0:
                return None
            self._graph.set_ef(max(self.width, 2 * k))
            try:
                ids, _ = self._graph.knn_query(query, k=k, num_threads=1)
            except RuntimeError:  # parts of the graph that deletions cut off
                return None
            return np.asarray(ids[0], np.int64)
