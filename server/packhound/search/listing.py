"""Hits of a query that is nothing but filters: what passes them, in the order of paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

import numpy as np

from packhound.core.arrays import Mask
from packhound.core.types import Explanation, Hit, NodeId, NodeRef
from packhound.index import Snapshot
from packhound.search.environment import SearchEnvironment
from packhound.search.order import rank_hits

_MAX_LINES = 5
"""Numbers of lines in a reason."""


def hits_by_path(
    snapshot: Snapshot,
    allowed: Mask,
    environment: SearchEnvironment,
    lines: Mapping[int, Sequence[int]],
    limit: int,
    *,
    files: bool,
) -> tuple[tuple[Hit, ...], int]:
    """Return the first of the `allowed` nodes, with `files` one a file, and the number of all.

    `lines` are those that a regular expression matches, by node id.
    """
    node_ids = _in_order(snapshot, allowed, files=files)
    refs = (snapshot.ref(node_id, environment.root) for node_id in islice(node_ids, limit))
    hits = (
        Hit(ref, 0, 0.0, (), explanation=partial(_explain, ref, lines.get(ref.node_id, ())))
        for ref in refs
    )
    return rank_hits(hits, limit), int(np.count_nonzero(allowed))


def _in_order(snapshot: Snapshot, allowed: Mask, *, files: bool) -> Iterator[NodeId]:
    """Yield the allowed nodes by path and start, with `files` the first of each file."""
    for path in sorted(snapshot.files):
        node_ids = snapshot.files[path].node_ids
        matches = node_ids[allowed[node_ids]].tolist()
        yield from map(NodeId, matches[:1] if files else matches)


def _explain(node: NodeRef, lines: Sequence[int]) -> Explanation:
    return Explanation((matching_lines(lines),) if lines else (), line=node.signature)


def matching_lines(lines: Sequence[int]) -> str:
    """Return the reason of a hit that some of its lines match, which are 0-based."""
    numbers = ", ".join(f"{line + 1:,}" for line in lines[:_MAX_LINES])
    more = ", ..." if len(lines) > _MAX_LINES else ""
    noun = "line matches" if len(lines) == 1 else "lines match"
    return f"{len(lines):,} {noun}: {numbers}{more}"
