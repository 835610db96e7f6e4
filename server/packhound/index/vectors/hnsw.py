"""HNSW graph (Malkov and Yashunin 2016) for indexes too large to scan at every query.

It is derived from the vectors and never on disk: a damaged graph file can crash the process. Its
node ids are a superset of the live ones, so it serves any snapshot of its epoch; what it misses is
scanned. A few new vectors are added when they are published, many by a job in the background.
hnswlib must not add while it searches, so both hold one lock, and adding is done in steps short
enough that no search waits long.

hnswlib keeps floats, so it gets the first half of the dimensions where that suffices: 512 bytes
instead of 1,024 of 256 dimensions. It gives more neighbours than are asked for, and exact cosines
of all dimensions choose among them. Half of the memory, the same time and the same recall; a
quarter of the dimensions finds 94 % of the ten nearest instead of 98 (100,000 vectors of code).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, Ints, LongInts, Mask, NodeIds
from packhound.core.errors import Cancelled
from packhound.index.blocks import PENDING
from packhound.index.vectors.exact import Vectors
from packhound.index.vectors.quantization import Codes

if TYPE_CHECKING:
    import hnswlib

REMEDY = "pip install 'packhound[graph]'"

MIN_RECALL = 0.95
"""Recall@10; the width of the search is raised until a fresh graph has it."""

_LINKS = 16
_BUILD_WIDTH = 100
_SEARCH_WIDTHS = (512, 1_024, 2_048)
"""Neighbours that the graph gives at least, for exact cosines to choose from."""
_NEIGHBOURS_PER_HIT = 4
_SPARE_CAPACITY = 1.25
_EXTEND_STEP = 8
"""Vectors added while searches wait: 2 to 4 ms."""
_BUILD_STEP = 256
_SAMPLES = 32


@dataclass(frozen=True, eq=False)
class NeighbourGraph:
    """A graph as one epoch sees it: `node_id_of[i]` is the node id of item i, -1 if it has none.

    Values of one graph share its items; `extend` and `renumber` return new values. `_item_of` has
    the item of each node id, -1 for none; later values write theirs into the same array. No node id
    below `first_lacking` is missing.
    `average_length` is that of a node when the graph was built, `built_recall` its recall then;
    `recall` was measured when its items had changed `measured_changes` times.
    """

    node_id_of: NodeIds
    average_length: float
    recall: float
    built_recall: float
    _items: _Items
    _item_of: Ints
    first_lacking: int = 0
    measured_changes: int = 0

    @property
    def dead_share(self) -> float:
        """Share of the items whose node id died."""
        return self._items.n_deleted / max(1, self._items.size)

    @property
    def unmeasured_share(self) -> float:
        """Share of the items that came or died since the recall was measured."""
        return (self._items.n_changes - self.measured_changes) / max(1, self._items.size)

    @property
    def is_full(self) -> bool:
        """True if no item can be added without a rebuild."""
        return self._items.size >= self._items.capacity

    def lacks(self, usable: Mask) -> NodeIds:
        """Return the node ids of a mask that the graph does not hold."""
        later = np.flatnonzero(usable[self.first_lacking :]) + self.first_lacking
        return later[self._items_of(later) < 0].astype(np.int32)

    def _items_of(self, node_ids: NDArray[np.integer[Any]]) -> Ints:
        """Return the item of each node id, -1 if it has none."""
        if not len(self._item_of):
            return np.full(len(node_ids), -1, np.int32)
        items = self._item_of.take(node_ids, mode="clip")
        is_held = (node_ids < len(self._item_of)) & (items < len(self.node_id_of))
        return np.where(is_held, items, -1)

    def candidates(self, query: Floats, k: int, allowed: Mask | None) -> NodeIds | None:
        """Return some `k` node ids or more near `query`, None where there are too few.

        `allowed` is the mask of the node ids that count, None for all.
        """
        items = self._items.nearest(query, _NEIGHBOURS_PER_HIT * k, self._mask_of(allowed))
        if items is None:
            return None
        # Items that were added after this value was made are scanned instead.
        node_ids = self.node_id_of[items[items < len(self.node_id_of)]]
        return node_ids[node_ids >= 0]

    def _mask_of(self, allowed: Mask | None) -> Mask | None:
        """Return the mask of the items whose node ids are allowed."""
        if allowed is None:
            return None
        known = (self.node_id_of >= 0) & (self.node_id_of < len(allowed))
        mask: Mask = known & allowed[np.where(known, self.node_id_of, 0)]
        return mask

    def codes(self, node_ids: NDArray[np.integer[Any]]) -> tuple[Mask, Codes]:
        """Return the mask of the node ids that the graph holds, and their codes, row by row."""
        items = self._items_of(node_ids)
        return items >= 0, self._items.codes[items[items >= 0]]

    def delete(self, node_ids: NodeIds) -> None:
        """Leave node ids that died out of all answers."""
        items = self._items_of(node_ids)
        self._items.delete(items[items >= 0])

    def extend(
        self, vectors: Vectors, node_ids: NodeIds, stop: threading.Event | None = None
    ) -> NeighbourGraph:
        """Return the graph with `node_ids`, as far as its capacity goes.

        Only one thread may extend a graph. Raises Cancelled when `stop` is set meanwhile.
        """
        node_ids = node_ids[: self._items.capacity - self._items.size]
        self._items.add_all(vectors, node_ids, _EXTEND_STEP, stop)
        # Items of an earlier extension that was given up are not in `node_id_of`.
        first = self._items.size - len(node_ids)
        skipped = np.full(first - len(self.node_id_of), -1, np.int32)
        node_id_of = np.concatenate((self.node_id_of, skipped, node_ids))
        item_of, end = self._item_of, int(node_ids.max(initial=-1)) + 1
        if end > len(item_of):
            item_of = np.full(int(end * _SPARE_CAPACITY), -1, np.int32)
            item_of[: len(self._item_of)] = self._item_of
        item_of[node_ids] = np.arange(first, self._items.size)
        return replace(self, node_id_of=node_id_of, _item_of=item_of)

    def with_recall(self, vectors: Vectors) -> NeighbourGraph:
        """Return the graph with its present recall."""
        n_changes = self._items.n_changes
        return replace(self, recall=self.measure_recall(vectors), measured_changes=n_changes)

    def renumber(self, new_node_ids: NodeIds) -> NeighbourGraph:
        """Return the graph after its node ids got new numbers, -1 for those that are gone."""
        node_id_of = np.where(self.node_id_of >= 0, new_node_ids[self.node_id_of], -1)
        node_id_of = node_id_of.astype(np.int32)
        first_lacking = int(new_node_ids[: self.first_lacking].max(initial=-1)) + 1
        item_of = _item_of(node_id_of)
        return replace(self, node_id_of=node_id_of, _item_of=item_of, first_lacking=first_lacking)

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
    is_pending = np.flatnonzero(vectors.state == PENDING)
    first_lacking = int(is_pending[0]) if len(is_pending) else len(vectors.state)
    for dim in (-(-vectors.dim // 2), vectors.dim):
        items = _Items(vectors.dim, dim, int(len(node_ids) * _SPARE_CAPACITY) + 1_000)
        items.add_all(vectors, node_ids, _BUILD_STEP, stop)
        graph = NeighbourGraph(
            *(node_ids, average_length, 0.0, 0.0, items, _item_of(node_ids), first_lacking)
        )
        for width in _SEARCH_WIDTHS:
            items.width = width
            graph = graph.with_recall(vectors)
            if graph.recall >= MIN_RECALL:
                return replace(graph, built_recall=graph.recall)
    return replace(graph, built_recall=graph.recall)


def _item_of(node_id_of: NodeIds) -> Ints:
    """Return the item of each node id up to the greatest, -1 if it has none."""
    items = np.full(int(node_id_of.max(initial=-1)) + 1, -1, np.int32)
    held = np.flatnonzero(node_id_of >= 0)
    items[node_id_of[held]] = held
    return items


class _Items:
    """hnswlib behind its lock. Items are numbered as they come.

    `codes` [capacity, dim] has a row for each, while the scan's blocks have columns: 2,000 rows are
    gathered in a tenth of the time.
    """

    def __init__(self, dim: int, graph_dim: int, capacity: int) -> None:
        import hnswlib

        self._lock = threading.Lock()
        self._graph: hnswlib.Index = hnswlib.Index(space="ip", dim=graph_dim)
        self._graph.init_index(capacity, M=_LINKS, ef_construction=_BUILD_WIDTH, random_seed=1)
        self._dim = graph_dim
        self._deleted: set[int] = set()
        self.codes: Codes = np.zeros((capacity, dim), np.int8)
        self.width = _SEARCH_WIDTHS[0]
        self.capacity = capacity
        self.size = 0

    @property
    def n_deleted(self) -> int:
        return len(self._deleted)

    @property
    def n_changes(self) -> int:
        """Number of items that ever came or died."""
        return self.size + self.n_deleted

    def add_all(
        self, vectors: Vectors, node_ids: NodeIds, step: int, stop: threading.Event | None
    ) -> None:
        """Add the vectors of `node_ids`, `step` at a time; raise Cancelled once `stop` is set."""
        for start in range(0, len(node_ids), step):
            if stop is not None and stop.is_set():
                raise Cancelled("the graph was given up")
            codes, scales = vectors.take(node_ids[start : start + step])
            rows = codes[:, : self._dim].astype(np.float32) * scales[:, None]
            with self._lock:
                end = self.size + len(codes)
                self.codes[self.size : end] = codes
                self._graph.add_items(rows, np.arange(self.size, end), num_threads=1)
                self.size = end

    def delete(self, items: Ints) -> None:
        with self._lock:
            for item in items.tolist():
                if item not in self._deleted:
                    self._graph.mark_deleted(item)
                    self._deleted.add(item)

    def nearest(self, query: Floats, k: int, allowed: Mask | None) -> LongInts | None:
        """Return items near `query`; None where hnswlib finds fewer than it must.

        Of the items in `allowed`, a mask of the first ones, or of all.
        """
        with self._lock:
            k = max(self.width, k)
            if allowed is None:
                is_allowed, n = None, self.size - len(self._deleted)
            else:
                n = int(np.count_nonzero(allowed))
                is_allowed = allowed.tobytes().ljust(self.size, b"\0").__getitem__
            k = min(k, n)
            if k <= 0:
                return None
            self._graph.set_ef(k)
            try:
                ids, _ = self._graph.knn_query(query[: self._dim], k, 1, is_allowed)
            except RuntimeError:  # parts of the graph that deletions cut off
                return None
            return np.asarray(ids[0], np.int64)
