"""The hnswlib graph: approximate neighbours for indexes too large to scan at every query.

It is a cache of the vectors and never on disk: a damaged graph file can crash the process. Its
node ids are a superset of the live ones, so it serves any snapshot of its epoch; what it misses is
scanned. hnswlib must not add while it searches, so both hold one lock, and adding is done in
steps short enough that no search waits long.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, Mask, NodeIds
from packhound.core.errors import Cancelled
from packhound.index.vectors.exact import Vectors

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
    """A graph as one epoch sees it: `node_id_of[i]` is the node id of item i, -1 if it has none.

    Values of one graph share its items; `extended` and `renumbered` make new values.
    """

    node_id_of: NodeIds
    length_then: float
    """Average length of a node when the graph was built; `recall_then` its recall at that time."""
    recall: float
    recall_then: float
    _items: _Items
    _covered: list[Mask] = field(default_factory=list)

    @property
    def dead_share(self) -> float:
        """Share of the items whose node id died."""
        return self._items.n_deleted / max(1, self._items.size)

    @property
    def has_room(self) -> bool:
        """Whether items can be added without building anew."""
        return self._items.size < self._items.capacity

    def covered(self, n_node_ids: int) -> Mask:
        """For the first `n_node_ids` node ids whether the graph knows them."""
        if not self._covered or len(self._covered[0]) != n_node_ids:
            known = np.zeros(n_node_ids, np.bool_)
            node_ids = self.node_id_of[self.node_id_of >= 0]
            known[node_ids[node_ids < n_node_ids]] = True
            self._covered[:] = [known]
        return self._covered[0]

    def candidates(self, query: Floats, k: int) -> NodeIds | None:
        """About `k` node ids near `query`; None where there are too few to ask for."""
        items = self._items.nearest(query, k + _SPARE)
        if items is None:
            return None
        # Items that were added after this value was made are scanned instead.
        node_ids = self.node_id_of[items[items < len(self.node_id_of)]]
        return node_ids[node_ids >= 0]

    def bury(self, node_ids: NodeIds) -> None:
        """Let node ids that died no longer be found."""
        self._items.delete(np.flatnonzero(np.isin(self.node_id_of, node_ids)))

    def extended(self, vectors: Vectors, stop: threading.Event | None = None) -> NeighbourGraph:
        """The graph with all usable vectors that it lacks, as far as there is room.

        Raises Cancelled when `stop` is set meanwhile.
        """
        missing = np.flatnonzero(vectors.usable & ~self.covered(len(vectors.usable)))
        room = self._items.capacity - self._items.size
        node_ids = missing[:room].astype(np.int32)
        self._items.add_all(vectors, node_ids, _STEP, stop)
        # Items of an earlier extension that was given up are not in `node_id_of`.
        skipped = np.full(self._items.size - len(self.node_id_of) - len(node_ids), -1, np.int32)
        node_id_of = np.concatenate((self.node_id_of, skipped, node_ids))
        measured = recall_of(self._items, node_id_of, vectors)
        return NeighbourGraph(node_id_of, self.length_then, measured, self.recall_then, self._items)

    def renumbered(self, new_node_ids: NodeIds) -> NeighbourGraph:
        """The same graph after its node ids got new numbers, -1 for those that are gone."""
        node_id_of = np.where(self.node_id_of >= 0, new_node_ids[self.node_id_of], -1).astype(
            np.int32
        )
        return NeighbourGraph(
            node_id_of, self.length_then, self.recall, self.recall_then, self._items
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
    node_ids = np.flatnonzero(vectors.usable).astype(np.int32)
    items = _Items(vectors.dim, int(len(node_ids) * _ROOM) + 1_000)
    items.add_all(vectors, node_ids, 256, stop)
    measured = 0.0
    for width in _SEARCH_WIDTHS:
        items.width = width
        measured = recall_of(items, node_ids, vectors)
        if measured >= ENOUGH_RECALL:
            break
    return NeighbourGraph(node_ids, average_length, measured, measured, items)


def recall_of(items: _Items, node_id_of: NodeIds, vectors: Vectors) -> float:
    """Share of the exact ten nearest that the graph finds, over a sample of the vectors."""
    usable = np.flatnonzero(vectors.usable)
    sample = np.random.default_rng(len(usable)).choice(usable, min(_SAMPLES, len(usable)), False)
    found = wanted = 0
    exact = Vectors(vectors.dim, vectors.blocks, vectors.state, vectors.present, vectors.usable)
    for node_id in sample.tolist():
        query = vectors.row(node_id)
        truth, cosines = exact.nearest(query, 10)
        near = items.nearest(query, 10 + _SPARE)
        node_ids = node_id_of[near] if near is not None else truth
        # Equal cosines are equally right.
        close = exact.similarities(query, node_ids[node_ids >= 0])
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
        self, vectors: Vectors, node_ids: NodeIds, step: int, stop: threading.Event | None
    ) -> None:
        """Add the vectors of `node_ids`, `step` at a time; raises Cancelled once `stop` is set."""
        for start in range(0, len(node_ids), step):
            if stop is not None and stop.is_set():
                raise Cancelled("the graph was given up")
            self.add(vectors.rows(node_ids[start : start + step]))

    def add(self, rows: Floats) -> None:
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

    def nearest(self, query: Floats, k: int) -> NDArray[np.int64] | None:
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
