"""Node ids by the names that a query has: bare, qualified, or in a stack frame."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from packhound.core.arrays import NO_NODE_IDS, Floats, NodeIds, unique_sorted
from packhound.core.trace import traced
from packhound.index import Snapshot
from packhound.search.query.mentions import Frame

_MAX_NAMES = 60
_MAX_NODES = 200
"""Nodes of one name whose owner or path is compared."""


@traced("by name")
def nodes_by_name(snapshot: Snapshot, names: Sequence[str]) -> tuple[NodeIds, ...]:
    """Return the node ids of each name, letter for letter."""
    return tuple(snapshot.node_ids_named(name) for name in names[:_MAX_NAMES])


@traced("by name")
def nodes_by_folded_name(snapshot: Snapshot, names: Sequence[str]) -> NodeIds:
    """Return the node ids of all names in any letter case, ascending."""
    folded = dict.fromkeys(name.lower() for name in names[:_MAX_NAMES])
    return union(snapshot.node_ids_named_folded(name) for name in folded)


def nodes_by_qualified_name(snapshot: Snapshot, qualified: Iterable[tuple[str, ...]]) -> NodeIds:
    """Return the node ids of qualified names whose owner, or path, has the owner of the query."""
    matches: list[int] = []
    for parts in qualified:
        owner = parts[-2].lower()
        for node_id in snapshot.node_ids_named_folded(parts[-1].lower())[:_MAX_NODES].tolist():
            entry, position = snapshot.locate(node_id)
            owners = re.split(r"\W+", entry.qualname(position).lower())[:-1]
            if owner in owners or owner in re.split(r"[\W_]+", entry.path.lower()):
                matches.append(node_id)
    return np.array(matches, np.int32)


def frame_scores(snapshot: Snapshot, frames: Iterable[Frame]) -> Floats:
    """Return 1 / position of the innermost stack frame of each node id, 0 where it is in none."""
    scores = np.zeros(snapshot.n_node_ids, np.float32)
    for position, frame in enumerate(frames, 1):
        for node_id in snapshot.node_ids_named(frame.function)[:_MAX_NODES].tolist():
            path = snapshot.paths[snapshot.file_of[node_id]]
            below = path.split("/", 1)[-1]
            if f"/{frame.path}".endswith(f"/{below}") or path.endswith(f"/{frame.path}"):
                scores[node_id] = max(scores[node_id], np.float32(1 / position))
    return scores


def mention_scores(
    snapshot: Snapshot, named: Iterable[NodeIds], weights: Iterable[float]
) -> Floats:
    """Sum the weights of each node id's names, of which those of many nodes count less."""
    scores = np.zeros(snapshot.n_node_ids, np.float32)
    for node_ids, weight in zip(named, weights, strict=True):
        scores[node_ids] += np.float32(weight / (1 + np.log1p(len(node_ids))))
    return scores


def union(groups: Iterable[NodeIds]) -> NodeIds:
    """Return the distinct node ids of all groups, ascending."""
    return unique_sorted(np.concatenate([NO_NODE_IDS, *groups]))
