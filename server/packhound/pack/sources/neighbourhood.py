"""Candidates around the strongest ones: in their files, and in the reference graph."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import chain

from packhound.core.trace import traced
from packhound.graph import Edge, EdgeKind
from packhound.pack.context import PackContext
from packhound.pack.pool import Candidate, Pool
from packhound.pack.request import Origin, PackRequest
from packhound.pack.uses import sure_edges

_SEEDS = 16
"""Nodes whose neighbours join."""
_MAX_REFERENCED = 24
"""Definitions that come along with the bodies that use them."""

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

_CHANGED_UTILITY, _CHANGED_FILE_UTILITY = 0.3, 2.4
"""What a change adds to a node near the topic, and to all nodes of one file at most."""
_REVIEW_UTILITY = 0.9
"""Of a change that the prompt asks for, like that of a pin."""
_CHANGES = r"(?:changes|edits|modifications|diff)\b"
_ALL_CHANGES = re.compile(
    rf"(?i)\b(?:uncommitted|unstaged|unsaved|staged)\s+(?:\w+\s+)?(?:{_CHANGES}|work\b)"
    rf"|\b(?:my|these)\s+(?:\w+\s+)?(?:pending|local|working|current|latest)\s+{_CHANGES}"
    r"|\b(?:review|check|explain|describe|summari[sz]e|test|look\s+(?:at|over)|message\s+for)"
    rf"\s+(?:all\s+)?(?:of\s+)?(?:my|these|the\s+current)\s+{_CHANGES}"
    r"|\bwhat\s+(?:did|have)\s+I\s+(?:just\s+)?changed?\b"
)
_OPEN_UTILITY = 0.05
_COMMON_USERS = 8
"""Nodes that may use a definition before it counts as common."""


def add_file_mates(pool: Pool) -> None:
    """Add the rest of the files with the strongest hits, which a large budget has space for."""
    files: dict[str, float] = {}
    for candidate in pool.by_rank():
        files[candidate.path] = files.get(candidate.path, 0.0) + candidate.utility
    best = sorted(files, key=lambda path: (-files[path], path))[: len(_FILE_SHARES)]
    for share, path in zip(_FILE_SHARES, best, strict=False):
        pool.share_out(path, _MATE_SHARE * share, f"in {path}, with other hits")


def add_changes(pool: Pool, context: PackContext) -> None:
    """Promote changed nodes near the topic: change alone makes none a candidate."""
    near = {candidate.path for candidate in pool.by_rank()[: 2 * _SEEDS]}
    for path in sorted(near):
        runs = (pool.innermost(path, lines) for lines in context.changed(path))
        changed = list(dict.fromkeys(candidate for run in runs for candidate in run))
        for candidate in changed:
            # A file that is new as a whole says less of each of its parts.
            utility = min(_CHANGED_UTILITY, _CHANGED_FILE_UTILITY / len(changed))
            candidate.add(Origin("change", utility, "changed and not committed"))
            candidate.changed = True


def asks_for_changes(prompt: str) -> bool:
    """Return True for a prompt that is about all uncommitted changes, such as a review."""
    return bool(_ALL_CHANGES.search(prompt))


def add_all_changes(pool: Pool, context: PackContext) -> bool:
    """Require every changed node; False if nothing is changed."""
    changed = [
        candidate
        for path, runs in sorted(context.all_changed().items())
        for lines in runs
        for candidate in pool.innermost(path, lines)
    ]
    for candidate in dict.fromkeys(changed):
        candidate.pinned = candidate.changed = True
        candidate.add(Origin("change", _REVIEW_UTILITY, "changed and not committed"))
    return bool(changed)


def add_open_files(pool: Pool, request: PackRequest) -> None:
    """Promote nodes near the topic in files that the user has open."""
    open_paths = set(request.focus.open_paths) if request.focus else set()
    for candidate in pool.by_rank()[: 2 * _SEEDS] if open_paths else ():
        if candidate.path in open_paths:
            candidate.add(Origin("open file", _OPEN_UTILITY, "in an open file"))


@traced("graph")
def add_neighbours(pool: Pool, context: PackContext) -> None:
    """Add the nodes that the strongest contain, use and are used by."""
    limit = context.graph_top_k
    for seed in pool.by_rank()[:_SEEDS]:
        by_kind: dict[EdgeKind, list[Edge]] = defaultdict(list)
        utility, seed_name = seed.utility, seed.display_name
        for edge in pool.graph.neighbors(seed.node_id, limit):
            by_kind[edge.kind].append(edge)
        heaviest = chain.from_iterable(edges[:limit] for edges in by_kind.values())
        for edge in sure_edges(pool, seed.node_id, heaviest):
            candidate = pool.get(edge.node_id)
            if candidate and candidate.kind != "file":
                share = _EDGE_SHARE[edge.kind] * edge.weight
                if edge.kind == "references":
                    share *= _rarity(pool.graph.n_users(edge.node_id))
                candidate.add(_by_edge(utility * share, edge.kind, seed_name))


_INVERSE: dict[EdgeKind, str] = {
    "references": "used by",
    "referenced-by": "uses",
    "contained-in": "contains",
    "contains": "member of",
    "imports": "imported by the file of",
}


def _by_edge(utility: float, edge: EdgeKind, seed_name: str) -> Origin:
    reason = f"{_INVERSE[edge]} {seed_name}"
    return Origin("graph", utility, reason, path=(seed_name, edge))


def _rarity(n_users: int) -> float:
    """Return a weight that falls with the users of a definition, as inverse document frequency."""
    return min(1.0, (_COMMON_USERS / n_users) ** 0.5) if n_users else 1.0


@traced("references")
def referenced_by(pool: Pool, context: PackContext, bodies: Iterable[Candidate]) -> list[Candidate]:
    """Return the definitions that chosen bodies use, best first."""
    referenced: dict[int, Candidate] = {}
    for body in bodies:
        edges = pool.graph.references(body.node_id, context.graph_top_k)
        for edge in sure_edges(pool, body.node_id, edges):
            candidate = pool.get(edge.node_id)
            if candidate:
                share = 0.3 * edge.weight * _rarity(pool.graph.n_users(edge.node_id))
                candidate.add(_by_edge(body.utility * share, "references", body.display_name))
                referenced[edge.node_id] = candidate
    best = sorted(referenced.values(), key=lambda c: (-c.utility, c.path, c.start))
    return best[:_MAX_REFERENCED]
