"""What drifts in an index that lives through edits, and the jobs that bring it back.

Nothing here changes what an exact search finds; jobs save memory and time. Each reads a snapshot
in a thread of its own, and the writer adopts the result between two edits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Literal

import numpy as np

from packhound.core.arrays import NodeIds
from packhound.index.compaction import compact as compact_snapshot
from packhound.index.postings.merge_policy import merged_run
from packhound.index.snapshot import Snapshot
from packhound.index.state import IndexState
from packhound.index.vectors.hnsw import ENOUGH_RECALL, NeighbourGraph, build_graph, graph_problem

_DEAD_SHARE = 0.3
_FEWEST_DEAD = 2_000
"""Dead node ids cost a kilobyte each; below this a compaction saves nothing worth its work."""
_TAIL = 2_048
"""Vectors outside the graph that are scanned at every search: 0.1 ms."""
_GRAPH_DEAD_SHARE = 0.25
_LENGTH_SHIFT = 0.3

Adopt = Callable[[IndexState], NodeIds | None]
"""Puts the result of a job into the state; returns what became of each node id if that changed."""

Job = Callable[[Event], Adopt]
"""Raises Cancelled where it takes long and the event is set."""


@dataclass(frozen=True, slots=True)
class Drift:
    """How far an index has moved from one built anew; all zero for such a one.

    `tail` counts vectors outside the graph, `length_shift` is the relative change of a node's
    average length since the graph was built.
    """

    dead_share: float
    tail: int
    graph_dead_share: float
    length_shift: float


@dataclass(frozen=True, slots=True)
class Health:
    """The state of the vectors. `recall` is that of the ten nearest, 1 where scans are exact."""

    vectors: int
    dense: Literal["none", "exact", "hnsw"]
    recall: float | None
    dead_share: float
    drift: Drift
    notes: tuple[str, ...]


def drift_of(snapshot: Snapshot, graph: NeighbourGraph | None) -> Drift:
    """The drift of a snapshot."""
    dead = 1 - snapshot.n_nodes / snapshot.n_node_ids if snapshot.n_node_ids else 0.0
    if graph is None:
        return Drift(dead, 0, 0.0, 0.0)
    outside = snapshot.vectors.usable & ~graph.covered(snapshot.n_node_ids)
    shift = abs(node_length(snapshot) / graph.length_then - 1) if graph.length_then else 0.0
    return Drift(dead, int(np.count_nonzero(outside)), graph.dead_share, shift)


def health_of(snapshot: Snapshot, graph: NeighbourGraph | None, graph_from: int) -> Health:
    """The health of a snapshot."""
    drift = drift_of(snapshot, graph)
    n_vectors = int(np.count_nonzero(snapshot.vectors.usable))
    problem = graph_problem() if n_vectors >= graph_from else None
    notes = (problem,) if problem else ()
    if not snapshot.vectors.dim:
        return Health(0, "none", None, drift.dead_share, drift, notes)
    if graph is None:
        return Health(n_vectors, "exact", 1.0, drift.dead_share, drift, notes)
    return Health(n_vectors, "hnsw", graph.recall, drift.dead_share, drift, notes)


def due_job(state: IndexState, snapshot: Snapshot, graph_from: int) -> Job | None:
    """The most urgent job; None if nothing has drifted."""
    drift = drift_of(snapshot, state.graph)
    n_dead = snapshot.n_node_ids - snapshot.n_nodes
    if n_dead > _FEWEST_DEAD and drift.dead_share > _DEAD_SHARE:
        return _compaction(state, snapshot)
    run = state.due_run()
    if run is not None:
        return _merge(state, snapshot, run)
    return _graph_job(state.graph, snapshot, drift, graph_from)


def node_length(snapshot: Snapshot) -> float:
    """Terms of a live node in all fields, on average."""
    return sum(snapshot.average_length)


def _compaction(state: IndexState, snapshot: Snapshot) -> Job:
    state.merge_floor = snapshot.n_node_ids

    def job(_: Event) -> Adopt:
        compacted = compact_snapshot(snapshot)
        return lambda state: state.adopt(compacted)

    return job


def _merge(state: IndexState, snapshot: Snapshot, run: tuple[int, int]) -> Job:
    segments = state.segments[slice(*run)]
    state.merge_floor = segments[-1].base + segments[-1].n_node_ids

    def job(_: Event) -> Adopt:
        merged = merged_run(segments, snapshot.live)
        return lambda state: state.replace_run(segments, merged)

    return job


def _graph_job(
    graph: NeighbourGraph | None, snapshot: Snapshot, drift: Drift, graph_from: int
) -> Job | None:
    vectors = snapshot.vectors
    if np.count_nonzero(vectors.usable) < graph_from or graph_problem():
        return None
    if graph is None or _is_worn(graph, drift):
        length = node_length(snapshot)
        return lambda stop: _adopting(build_graph(vectors, length, stop), snapshot)
    if drift.tail > _TAIL:
        return lambda stop: _adopting(graph.extended(vectors, stop), snapshot)
    return None


def _is_worn(graph: NeighbourGraph, drift: Drift) -> bool:
    """Whether a graph should be built anew; one whose recall was never better is left alone."""
    full = not graph.has_room and drift.tail > _TAIL
    poor = graph.recall < min(ENOUGH_RECALL, graph.recall_then) - 0.02
    moved = drift.length_shift > _LENGTH_SHIFT
    return full or poor or moved or drift.graph_dead_share > _GRAPH_DEAD_SHARE


def _adopting(graph: NeighbourGraph, snapshot: Snapshot) -> Adopt:
    def adopt(state: IndexState) -> None:
        state.graph = graph
        known = np.flatnonzero(graph.covered(len(state.columns)))
        graph.bury(known[~state.columns.live[known]].astype(np.int32))

    return adopt
