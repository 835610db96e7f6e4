"""Maintenance of an index that lives through edits: compaction, merges, and the HNSW graph.

Nothing here changes what an exact search finds; jobs save memory and time. Each reads a snapshot
in a thread of its own, and the writer adopts the result between two edits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import Literal

import numpy as np

from packhound.core.arrays import NodeIds
from packhound.core.settings import GRAPH_FROM
from packhound.core.status import Drift
from packhound.index.compaction import compact
from packhound.index.postings.merge_policy import MergePolicy, merge_neighbours
from packhound.index.snapshot import Snapshot
from packhound.index.state import IndexState
from packhound.index.vectors.hnsw import (
    MIN_RECALL,
    NeighbourGraph,
    build_graph,
    graph_problem,
)

_MAX_DEAD_SHARE = 0.3
_MAX_GRAPH_DEAD_SHARE = 0.25
_MAX_LENGTH_SHIFT = 0.3
_MEASURE_AGAIN = 0.05
"""Share of a graph's items that die until its recall is measured again."""
_SHRUNK = 2
"""A graph is dropped below the threshold over this, lest it come and go at the threshold."""

Adopt = Callable[[IndexState], NodeIds | None]
"""Puts the result of a job into the state; returns the new node ids if they were renumbered."""

Job = Callable[[Event], Adopt]
"""Raises Cancelled where it takes long and the event is set."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes at which maintenance begins.

    From `graph_from` vectors on neighbours are searched in a graph, never if it is 0. A dead node
    id costs a kilobyte; below `min_dead` of them a compaction is not worth its work. `max_tail`
    vectors outside the graph are scanned at every search: 0.1 ms.
    """

    graph_from: int = GRAPH_FROM
    min_dead: int = 2_000
    max_tail: int = 2_048
    merge_policy: MergePolicy = field(default_factory=MergePolicy)

    def wants_graph(self, n_vectors: int) -> bool:
        """Return True if so many vectors are searched in a graph."""
        return 0 < self.graph_from <= n_vectors


@dataclass(frozen=True, slots=True)
class Health:
    """State of the vectors. `recall` is recall@10, 1 where scans are exact."""

    vectors: int
    dense: Literal["none", "exact", "hnsw"]
    recall: float | None
    dead_share: float
    drift: Drift
    notes: tuple[str, ...]


def drift_of(snapshot: Snapshot, graph: NeighbourGraph | None) -> Drift:
    """Return the drift of a snapshot."""
    dead = 1 - snapshot.n_nodes / snapshot.n_node_ids if snapshot.n_node_ids else 0.0
    if graph is None:
        return Drift(dead)
    outside = snapshot.vectors.usable & ~graph.coverage(snapshot.n_node_ids)
    length = node_length(snapshot)
    shift = abs(length / graph.average_length - 1) if graph.average_length else 0.0
    return Drift(dead, int(np.count_nonzero(outside)), graph.dead_share, shift)


def health_of(snapshot: Snapshot, graph: NeighbourGraph | None, limits: Limits) -> Health:
    """Return the health of a snapshot."""
    drift = drift_of(snapshot, graph)
    n_vectors = int(np.count_nonzero(snapshot.vectors.usable))
    problem = graph_problem() if limits.wants_graph(n_vectors) else None
    notes = (problem,) if problem else ()
    if not snapshot.vectors.dim:
        return Health(0, "none", None, drift.dead_share, drift, notes)
    if graph is None:
        return Health(n_vectors, "exact", 1.0, drift.dead_share, drift, notes)
    return Health(n_vectors, "hnsw", graph.recall, drift.dead_share, drift, notes)


def due_job(state: IndexState, snapshot: Snapshot, limits: Limits) -> Job | None:
    """Return the most urgent job; None if nothing has drifted."""
    drift = drift_of(snapshot, state.graph)
    n_dead = snapshot.n_node_ids - snapshot.n_nodes
    if n_dead > limits.min_dead and drift.dead_share > _MAX_DEAD_SHARE:
        return _compaction_job(state, snapshot)
    run = state.run_to_merge()
    if run is not None:
        return _merge_job(state, snapshot, run)
    return _graph_job(state.graph, snapshot, drift, limits)


def node_length(snapshot: Snapshot) -> float:
    """Return the average number of terms of a live node, over all fields."""
    return sum(snapshot.average_length)


def _compaction_job(state: IndexState, snapshot: Snapshot) -> Job:
    state.merge_floor = snapshot.n_node_ids

    def job(_: Event) -> Adopt:
        compacted = compact(snapshot)
        return lambda state: state.adopt(compacted)

    return job


def _merge_job(state: IndexState, snapshot: Snapshot, run: tuple[int, int]) -> Job:
    segments = state.segments[slice(*run)]
    state.merge_floor = segments[-1].base + segments[-1].n_node_ids

    def job(_: Event) -> Adopt:
        merged = merge_neighbours(segments, snapshot.live)
        return lambda state: state.replace_run(segments, merged)

    return job


def _graph_job(
    graph: NeighbourGraph | None, snapshot: Snapshot, drift: Drift, limits: Limits
) -> Job | None:
    vectors = snapshot.vectors
    n_vectors = int(np.count_nonzero(vectors.usable))
    if graph is not None and not limits.wants_graph(_SHRUNK * n_vectors):
        return lambda _: _adopt_graph(None)
    if not limits.wants_graph(n_vectors) or graph_problem():
        return None
    if graph is None or _needs_rebuild(graph, drift, limits.max_tail):
        length = node_length(snapshot)
        return lambda stop: _adopt_graph(build_graph(vectors, length, stop))
    if drift.tail > limits.max_tail:
        return lambda stop: _adopt_graph(graph.extend(vectors, stop))
    if drift.graph_dead_share - graph.measured_dead_share > _MEASURE_AGAIN:
        return lambda _: _adopt_graph(graph.with_recall(vectors))
    return None


def _needs_rebuild(graph: NeighbourGraph, drift: Drift, max_tail: int) -> bool:
    """Return True if a graph is worn out; one whose recall was never better is left alone."""
    full = graph.is_full and drift.tail > max_tail
    poor = graph.recall < min(MIN_RECALL, graph.built_recall) - 0.02
    moved = drift.length_shift > _MAX_LENGTH_SHIFT
    return full or poor or moved or drift.graph_dead_share > _MAX_GRAPH_DEAD_SHARE


def _adopt_graph(graph: NeighbourGraph | None) -> Adopt:
    def adopt(state: IndexState) -> None:
        state.graph = graph
        if graph is None:
            return
        covered = np.flatnonzero(graph.coverage(len(state.columns)))
        graph.delete(covered[~state.columns.live[covered]].astype(np.int32))

    return adopt
