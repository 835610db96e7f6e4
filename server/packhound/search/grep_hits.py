"""Hits of a query that is nothing but regular expressions: what matches, in the order of paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from packhound.core.types import Explanation, Hit, NodeRef
from packhound.index import Snapshot
from packhound.search.environment import SearchEnvironment
from packhound.search.order import rank_hits
from packhound.search.query.filters import allowed_node_ids
from packhound.search.query.parse import ParsedQuery

_MAX_LINES = 5
"""Numbers of lines in a reason."""


def hits_by_path(
    snapshot: Snapshot,
    query: ParsedQuery,
    environment: SearchEnvironment,
    lines: Mapping[int, Sequence[int]],
    limit: int,
) -> tuple[tuple[Hit, ...], int]:
    """Return the first nodes that pass the filters of a query, and the number of all.

    `lines` are those that match, by node id.
    """
    allowed = allowed_node_ids(snapshot, environment.cache.stats(snapshot), query)
    node_ids = [node_id for node_id in lines if allowed is None or allowed[node_id]]
    refs = [snapshot.ref(node_id, environment.root) for node_id in node_ids]
    hits = (
        Hit(ref, 0, 0.0, (), explanation=partial(_explain, ref, lines[ref.node_id])) for ref in refs
    )
    return rank_hits(hits, limit), len(refs)


def _explain(node: NodeRef, lines: Sequence[int]) -> Explanation:
    numbers = ", ".join(f"{line + 1:,}" for line in lines[:_MAX_LINES])
    more = ", ..." if len(lines) > _MAX_LINES else ""
    noun = "line matches" if len(lines) == 1 else "lines match"
    return Explanation((f"{len(lines):,} {noun}: {numbers}{more}",), line=node.signature)
