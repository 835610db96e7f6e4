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
from packhound.core.status import (
    MAX_DEAD_SHARE,
    MAX_GRAPH_DEAD_SHARE,
    MAX_LENGTH_SHIFT,
    MAX_TAIL,
    MIN_DEAD,
    Drift,
)
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

_MEASURE_AGAIN = 0.05
"""Share of a graph's items that come or die until its recall is measured again."""
_SHRUNK = 2
"""A graph is dropped below the threshold over this, lest it come and go at the threshold."""

Adopt = Callable[[IndexState], NodeIds | None]
"""Puts the result of a job into the state; returns the new node ids if they were renumbered."""


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of maintenance. `run` raises Cancelled where it takes long and the event is set.

    `reason` says in the status why it runs; "" where that is of no interest.
    """

    run: Callable[[Event], Adopt]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes at which maintenance begins.

    From `graph_from` vectors on neighbours are searched in a graph, never if it is 0. A dead node
    id costs a kilobyte; below `min_dead` of them a compaction is not worth its work. `max_tail`
    vectors that the graph lacks are added to it when they are published, 0.1 ms each, and more by
    a job; until then every search scans them.
    """

    graph_from: int = GRAPH_FROM
    min_dead: int = MIN_DEAD
    max_tail: int = MAX_TAIL
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
    outside = graph.lacks(snapshot.vectors.usable)
    length = node_length(snapshot)
    shift = abs(length / graph.average_length - 1) if graph.average_length else 0.0
    return Drift(dead, len(outside), graph.dead_share, shift)


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
    if n_dead > limits.min_dead and drift.dead_share > MAX_DEAD_SHARE:
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

    dead = 1 - snapshot.n_nodes / snapshot.n_node_ids
    return Job(job, f"the index is compacted, since {dead:.0%} of its nodes are deleted")


def _merge_job(state: IndexState, snapshot: Snapshot, run: tuple[int, int]) -> Job:
    segments = state.segments[slice(*run)]
    state.merge_floor = segments[-1].base + segments[-1].n_node_ids

    def job(_: Event) -> Adopt:
        merged = merge_neighbours(segments, snapshot.live)
        return lambda state: state.replace_run(segments, merged)

    return Job(job)


def _graph_job(
    graph: NeighbourGraph | None, snapshot: Snapshot, drift: Drift, limits: Limits
) -> Job | None:
    vectors = snapshot.vectors
    n_vectors = int(np.count_nonzero(vectors.usable))
    if graph is not None and not limits.wants_graph(_SHRUNK * n_vectors):
        return Job(lambda _: _adopt_graph(None))
    if not limits.wants_graph(n_vectors) or graph_problem():
        return None
    reason = _rebuild_reason(graph, drift, limits) if graph is not None else "none was there"
    if graph is None or reason:
        length = node_length(snapshot)
        return Job(
            lambda stop: _adopt_graph(build_graph(vectors, length, stop)),
            f"a graph of neighbours is built, since {reason}",
        )
    if drift.tail > limits.max_tail:
        missing = graph.lacks(vectors.usable)
        return Job(lambda stop: _adopt_graph(graph.extend(vectors, missing, stop)))
    if graph.unmeasured_share > _MEASURE_AGAIN:
        return Job(lambda _: _adopt_graph(graph.with_recall(vectors)))
    return None


def _rebuild_reason(graph: NeighbourGraph, drift: Drift, limits: Limits) -> str:
    """Return why a graph is worn out, "" if it is not; one whose recall was never better is not."""
    if graph.is_full and drift.tail > limits.max_tail:
        return "the one there is full"
    if graph.recall < min(MIN_RECALL, graph.built_recall) - 0.02:
        return (
            f"the recall of the one there fell from {graph.built_recall:.3f} to {graph.recall:.3f}"
        )
    if drift.length_shift > MAX_LENGTH_SHIFT:
        return f"the average length of a node moved by {drift.length_shift:.0%}"
    if drift.graph_dead_share > MAX_GRAPH_DEAD_SHARE:
        return f"{drift.graph_dead_share:.0%} of the one there are deleted"
    return ""


def _adopt_graph(graph: NeighbourGraph | None) -> Adopt:
    def adopt(state: IndexState) -> None:
        state.graph = graph
        if graph is None:
            return
        graph.delete(np.flatnonzero(~state.columns.live).astype(np.int32))

    return adopt
