"""What stands around the strongest candidates: in their files, and in the graph."""

from __future__ import annotations

from collections.abc import Iterable

from packhound.graph.graph import EdgeKind
from packhound.pack.context import PackContext
from packhound.pack.pool import Candidate, Pool
from packhound.pack.request import PackRequest

_SEEDS = 16
"""Nodes whose neighbours join."""
_COMPANIONS = 24
"""Definitions that come along with the bodies that use them."""
_NEIGHBOURS = 12
"""Neighbours of each seed and kind."""

_FILE_SHARES = (0.5, 0.2, 0.12, 0.08, 0.05, 0.03)
"""How likely the files with the most and best hits are to hold what is needed."""
_MATE_SHARE = 0.5
"""Of which this much falls on the definitions of a file, evenly."""

_EDGE_SHARE: dict[EdgeKind, float] = {
    "references": 0.30,
    "referenced-by": 0.20,
    "contained-in": 0.25,
    "contains": 0.15,
    "imports": 0.05,
}
"""The share of a node's utility that its neighbour gets."""

_CHANGED, _CHANGED_FILE = 0.3, 2.4
"""What a change adds to a node near the topic, and to all nodes of one file at most."""
_OPEN = 0.05
_COMMON = 8
"""Nodes that may use a definition before it counts as common."""


def add_file_mates(pool: Pool) -> None:
    """What stands beside the strongest hits: with a large budget the rest of a file is worth it."""
    files: dict[str, float] = {}
    for candidate in pool.ranked():
        files[candidate.path] = files.get(candidate.path, 0.0) + candidate.utility
    best = sorted(files, key=lambda path: (-files[path], path))[: len(_FILE_SHARES)]
    for share, path in zip(_FILE_SHARES, best, strict=False):
        pool.share_out(path, _MATE_SHARE * share, f"in {path}, with other hits")


def add_changes(pool: Pool, context: PackContext) -> None:
    """Changed nodes count more, but only near the topic: change alone makes none a candidate."""
    near = {candidate.path for candidate in pool.ranked()[: 2 * _SEEDS]}
    for path in sorted(near):
        runs = (pool.at(path, lines) for lines in context.changed(path))
        found = list(dict.fromkeys(candidate for run in runs for candidate in run))
        for candidate in found:
            # A file that is new as a whole says less of each of its parts.
            candidate.add(min(_CHANGED, _CHANGED_FILE / len(found)), "changed and not committed")
            candidate.changed = True


def add_open_files(pool: Pool, request: PackRequest) -> None:
    """What is near the topic and in a file that the user has open counts a little more."""
    shown = set(request.focus.open_paths) if request.focus else set()
    for candidate in pool.ranked()[: 2 * _SEEDS] if shown else ():
        if candidate.path in shown:
            candidate.add(_OPEN, "in an open file")


def add_neighbours(pool: Pool, context: PackContext) -> None:
    """What the strongest contain, use and are used by."""
    for seed in pool.ranked()[:_SEEDS]:
        seen: dict[EdgeKind, int] = {}
        utility, called = seed.utility, seed.called
        for edge in context.graph.neighbors(seed.node_id, _NEIGHBOURS):
            seen[edge.kind] = seen.get(edge.kind, 0) + 1
            candidate = pool.get(edge.node_id) if seen[edge.kind] <= _NEIGHBOURS else None
            if candidate and candidate.kind != "file":
                share = _EDGE_SHARE[edge.kind] * edge.weight
                if edge.kind == "references":
                    share *= _rarity(context.graph.n_users(edge.node_id))
                candidate.add(utility * share, f"{_BACKWARD[edge.kind]} {called}")


_BACKWARD: dict[EdgeKind, str] = {
    "references": "used by",
    "referenced-by": "uses",
    "contained-in": "contains",
    "contains": "member of",
    "imports": "imported by the file of",
}


def _rarity(n_users: int) -> float:
    """What everyone uses says little about a task, and the reader knows it."""
    return min(1.0, (_COMMON / n_users) ** 0.5) if n_users else 1.0


def references_of(pool: Pool, context: PackContext, bodies: Iterable[Candidate]) -> list[Candidate]:
    """The definitions that chosen bodies use, which come along as signatures."""
    found: dict[int, Candidate] = {}
    for body in bodies:
        reason = f"used by {body.called}"
        for edge in context.graph.references(body.node_id, _NEIGHBOURS):
            candidate = pool.get(edge.node_id)
            if candidate:
                share = 0.3 * edge.weight * _rarity(context.graph.n_users(edge.node_id))
                candidate.add(body.utility * share, reason)
                found[edge.node_id] = candidate
    best = sorted(found.values(), key=lambda c: (-c.utility, c.path, c.start))
    return best[:_COMPANIONS]
