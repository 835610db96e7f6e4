"""HNSW graph (Malkov and Yashunin 2016) for indexes too large to scan at every query.

It is derived from the vectors and never on disk: a damaged graph file can crash the process. Its
node ids are a superset of the live ones, so it serves any snapshot of its epoch; what it misses is
scanned. hnswlib must not add while it searches, so both hold one lock, and adding is done in
steps short enough that no search waits long.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from packhound.core.arrays import Floats, LongInts, Mask, NodeIds, Positions
from packhound.core.errors import Cancelled
from packhound.index.vectors.exact import Vectors

if TYPE_CHECKING:
    import hnswlib

REMEDY = "pip install 'packhound[graph]'"

MIN_RECALL = 0.95
"""Recall@10; the width of the search is raised until a fresh graph has it."""

_LINKS = 16
_BUILD_WIDTH = 100
_SEARCH_WIDTHS = (96, 192, 384, 768)
_SPARE_CAPACITY = 1.25
_EXTEND_STEP = 8
"""Vectors added while searches wait: 2 to 4 ms."""
_BUILD_STEP = 256
_SAMPLES = 32
_SPARE_NEIGHBOURS = 10


@dataclass(frozen=True, eq=False)
class NeighbourGraph:
    """A graph as one epoch sees it: `node_id_of[i]` is the node id of item i, -1 if it has none.

    Values of one graph share its items; `extend` and `renumber` return new values.
    `average_length` is that of a node when the graph was built, `built_recall` its recall then;
    `recall` was measured when `measured_dead_share` of its items had died.
    """

    node_id_of: NodeIds
    average_length: float
    recall: float
    built_recall: float
    _items: _Items
    measured_dead_share: float = 0.0

    @property
    def dead_share(self) -> float:
        """Share of the items whose node id died."""
        return self._items.n_deleted / max(1, self._items.size)

    @property
    def is_full(self) -> bool:
        """True if no item can be added without a rebuild."""
        return self._items.size >= self._items.capacity

    def coverage(self, n_node_ids: int) -> Mask:
        """Return the mask of the first `n_node_ids` node ids that the graph holds."""
        mask = np.zeros(n_node_ids, np.bool_)
        prefix = self._node_mask[:n_node_ids]
        mask[: len(prefix)] = prefix
        return mask

    @cached_property
    def _node_mask(self) -> Mask:
        """Mask of the node ids in the graph, as long as the greatest of them needs."""
        mask = np.zeros(int(self.node_id_of.max(initial=-1)) + 1, np.bool_)
        mask[self.node_id_of[self.node_id_of >= 0]] = True
        return mask

    def candidates(self, query: Floats, k: int) -> NodeIds | None:
        """Return about `k` node ids near `query`; None where there are too few to ask for."""
        items = self._items.nearest(query, k + _SPARE_NEIGHBOURS)
        if items is None:
            return None
        # Items that were added after this value was made are scanned instead.
        node_ids = self.node_id_of[items[items < len(self.node_id_of)]]
        return node_ids[node_ids >= 0]

    def delete(self, node_ids: NodeIds) -> None:
        """Leave node ids that died out of all answers."""
        self._items.delete(np.flatnonzero(np.isin(self.node_id_of, node_ids)))

    def extend(self, vectors: Vectors, stop: threading.Event | None = None) -> NeighbourGraph:
        """Return the graph with the vectors it lacks, as far as its capacity goes.

        Raises Cancelled when `stop` is set meanwhile.
        """
        missing = np.flatnonzero(vectors.usable & ~self.coverage(len(vectors.usable)))
        n_free = self._items.capacity - self._items.size
        node_ids = missing[:n_free].astype(np.int32)
        self._items.add_all(vectors, node_ids, _EXTEND_STEP, stop)
        # Items of an earlier extension that was given up are not in `node_id_of`.
        skipped = np.full(self._items.size - len(self.node_id_of) - len(node_ids), -1, np.int32)
        node_id_of = np.concatenate((self.node_id_of, skipped, node_ids))
        return replace(self, node_id_of=node_id_of).with_recall(vectors)

    def with_recall(self, vectors: Vectors) -> NeighbourGraph:
        """Return the graph with its present recall."""
        dead_share = self.dead_share
        return replace(self, recall=self.measure_recall(vectors), measured_dead_share=dead_share)

    def renumber(self, new_node_ids: NodeIds) -> NeighbourGraph:
        """Return the graph after its node ids got new numbers, -1 for those that are gone."""
        node_id_of = np.where(self.node_id_of >= 0, new_node_ids[self.node_id_of], -1)
        return replace(self, node_id_of=node_id_of.astype(np.int32))

    def measure_recall(self, vectors: Vectors) -> float:
        """Return recall@10 of searches with the graph, against a scan, over a sample of vectors."""
        usable = np.flatnonzero(vectors.usable)
        rng = np.random.default_rng(len(usable))
        exact, approximate = replace(vectors, graph=None), replace(vectors, graph=self)
        n_hits = n_relevant = 0
        for node_id in rng.choice(usable, min(_SAMPLES, len(usable)), False).tolist():
            query = vectors.row(node_id)
            _, truth = exact.nearest(query, 10)
            _, cosines = approximate.nearest(query, 10)
            # Equal cosines are equally right.
            n_hits += int(np.count_nonzero(cosines >= truth[-1]))
            n_relevant += len(truth)
        return n_hits / n_relevant if n_relevant else 1.0


def graph_problem() -> str | None:
    """Return the reason why no graph can be built, None if one can."""
    try:
        import hnswlib  # noqa: F401
    except ImportError as error:
        return (
            f"hnswlib cannot be used ({error}), so every search by meaning scans all vectors;"
            f" with a C++ compiler, {REMEDY}"
        )
    return None


def build_graph(
    vectors: Vectors, average_length: float, stop: threading.Event | None = None
) -> NeighbourGraph:
    """Return a graph over all usable vectors whose search is wide enough; takes long.

    Raises Cancelled when `stop` is set meanwhile.
    """
    node_ids = np.flatnonzero(vectors.usable).astype(np.int32)
    items = _Items(vectors.dim, int(len(node_ids) * _SPARE_CAPACITY) + 1_000)
    items.add_all(vectors, node_ids, _BUILD_STEP, stop)
    graph = NeighbourGraph(node_ids, average_length, 0.0, 0.0, items)
    recall = 0.0
    for width in _SEARCH_WIDTHS:
        items.width = width
        recall = graph.measure_recall(vectors)
        if recall >= MIN_RECALL:
            break
    return replace(graph, recall=recall, built_recall=recall)


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
        """Add the vectors of `node_ids`, `step` at a time; raise Cancelled once `stop` is set."""
        for start in range(0, len(node_ids), step):
            if stop is not None and stop.is_set():
                raise Cancelled("the graph was given up")
            self._add(vectors.rows(node_ids[start : start + step]))

    def _add(self, rows: Floats) -> None:
        with self._lock:
            ids = np.arange(self.size, self.size + len(rows))
            self._graph.add_items(rows, ids, num_threads=1)
            self.size += len(rows)

    def delete(self, items: Positions) -> None:
        with self._lock:
            for item in items.tolist():
                if item not in self._deleted:
                    self._graph.mark_deleted(item)
                    self._deleted.add(item)

    def nearest(self, query: Floats, k: int) -> LongInts | None:
        """Return items near `query`; None where hnswlib finds fewer than it must."""
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
