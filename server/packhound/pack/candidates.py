"""The nodes that could go into a pack, each with its utility and the reasons for it.

Stages: what the prompt, the user and the search name; then neighbours in the graph of the strongest
of these; then near-duplicates lose. A utility is meant as the chance that the node is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from packhound.graph.graph import EdgeKind
from packhound.pack.mentions import Files, Mention, MentionKind, mentions
from packhound.pack.pool import Candidate, Pool
from packhound.pack.types import Lines, PackContext, PackRequest
from packhound.types import Budget, Focus, Hit, Query

_HITS = 120
_FILE_HITS = 12
"""Hits that rank anew within each file that the prompt names."""
_FILE_OWN, _FILE_INNER = 0.4, 0.8
"""What a hit on a file as a whole is worth to its own text, and to the best of what it defines."""
_OF_ANY_QUERY = {
    *("node_size", "node_count", "node_is_rest", "node_is_type", "node_is_function", "depth"),
    *("entry_file", "grab_bag", "test_path", "example_path", "stale_path", "internal_path"),
    *("prose_file", "setting_file", "header_file", "same_file_above", "name_length"),
}
"""Signals that say something of the code and nothing of the query: no reason for anyone."""
_NAMED_FILES = 4
_NAMED_SHARE = 0.3
_SEARCH_MS = 400.0

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
_MATE_MOST = 0.12

_EDGE_SHARE: dict[EdgeKind, float] = {
    "references": 0.30,
    "referenced-by": 0.20,
    "contained-in": 0.25,
    "contains": 0.15,
    "imports": 0.05,
}
"""The share of a node's utility that its neighbour gets."""

_MENTION_UTILITY: dict[MentionKind, float] = {
    "stack frame": 0.5,
    "line": 0.5,
    "diff": 0.6,
    "path": 0.0,
}
_FRAME_DECAY = 0.75
"""Each stack frame further from the end of the trace is worth this much less."""

_CHANGED, _CHANGED_FILE = 0.3, 2.4
"""What a change adds to a node near the topic, and to all nodes of one file at most."""

_OPEN = 0.05

_COMMON = 8
"""Nodes that may use a definition before it counts as common."""
_TEST_SHARE = 0.5
_TESTING = re.compile(r"(?i)\btests?\b")
_TEST_NAME = re.compile(r"(?:^|::|\.)tests?(?:::|\.|$)")

_COMPARED = 64
_ALIKE = 0.90
"""Cosine from which a node begins to repeat a better one."""


def gather(context: PackContext, request: PackRequest) -> Pool:
    """All candidates of a request."""
    pool = Pool(context, request)
    named = mentions(request.prompt)
    pins = [_pin(pin) for pin in request.pinned]
    written = [*(mention.path for mention in named), *(path for path, _ in pins)]
    files = Files(context.snapshot.files, written)
    _add_pinned(pool, pins, files)
    _add_focus(pool, request)
    hits = _search(context, request)
    _add_hits(pool, context, hits)
    _add_mentions(pool, named, files)
    _add_named_files(pool, context, hits, named, files)
    _add_file_mates(pool, context)
    _add_changes(pool, context)
    _add_open_files(pool, request)
    _add_neighbours(pool, context)
    _demote_tests(pool, request.prompt)
    _demote_duplicates(pool, context)
    return pool


def chance_at(rank: int) -> float:
    """How likely the hit at a rank is needed, as measured on bug reports and their fixes."""
    return float(0.42 / (1.0 + 0.45 * (rank - 1)) ** 1.15)


def references_of(pool: Pool, context: PackContext, bodies: Iterable[Candidate]) -> list[Candidate]:
    """The definitions that chosen bodies use, which come along as signatures."""
    found: dict[int, Candidate] = {}
    for body in bodies:
        for edge in context.graph.references(body.label)[:_NEIGHBOURS]:
            candidate = pool.get(edge.label)
            if candidate:
                share = 0.3 * edge.weight * _rarity(context.graph.n_users(edge.label))
                candidate.add(body.utility * share, f"used by {_called(body)}")
                found[edge.label] = candidate
    best = sorted(found.values(), key=lambda c: (-c.utility, c.path, c.node.span.start))
    return best[:_COMPANIONS]


def _search(context: PackContext, request: PackRequest) -> Sequence[Hit]:
    if not request.prompt.strip():
        return ()
    focus = Focus(request.focus.path, request.focus.line) if request.focus else None
    budget = Budget(_SEARCH_MS, 4 * _HITS)
    return context.search(Query(request.prompt, _HITS, budget=budget, focus=focus)).hits


def _add_hits(pool: Pool, context: PackContext, hits: Sequence[Hit]) -> None:
    for hit in hits:
        candidate, chance = pool.get(int(hit.node.label)), chance_at(hit.rank)
        whole_file = hit.node.kind == "file"
        if candidate:
            candidate.add(chance * (_FILE_OWN if whole_file else 1.0), _told(hit))
        if whole_file:
            _add_hit_file(pool, context, hit, hits)


def _add_hit_file(pool: Pool, context: PackContext, hit: Hit, hits: Sequence[Hit]) -> None:
    """A file that is found as a whole is found for what it defines, not for its imports."""
    path, chance = hit.node.path, chance_at(hit.rank)
    reason = f"in {path}, which is hit {hit.rank}"
    inner = [other for other in hits if other.node.path == path and other is not hit]
    for rank, other in enumerate(inner[:_FILE_HITS], 1):
        candidate = pool.get(int(other.node.label))
        if candidate:
            candidate.add(_FILE_INNER * chance * chance_at(rank) / chance_at(1), reason)
    if not inner:
        _share_out(pool, context, path, _FILE_INNER * chance, reason)


def _told(hit: Hit) -> str:
    """A hit with the signals of the query that speak for it most."""
    speaking = [s for s in hit.why if s.contribution > 0 and s.signal not in _OF_ANY_QUERY]
    strongest = sorted(speaking, key=lambda signal: -signal.contribution)[:3]
    names = ", ".join(signal.signal for signal in strongest)
    return f"hit {hit.rank}" + (f" ({names})" if names else "")


def _add_pinned(pool: Pool, pins: Sequence[tuple[str, Lines]], files: Files) -> None:
    for path, lines in pins:
        for found in files.matching(path):
            for candidate in pool.at(found, lines):
                candidate.pinned = True
                candidate.add(0.9, "pinned")


def _pin(pin: str) -> tuple[str, Lines]:
    """`path` or `path:10-20`; a bad range means the whole file."""
    path, _, wanted = pin.rpartition(":") if pin[-1:].isdigit() else (pin, "", "")
    first, _, last = wanted.partition("-")
    if not (path and first.isdecimal() and (last or first).isdecimal()):
        return path or pin, (0, 1 << 30)
    return path, (int(first) - 1, int(last or first) - 1)


def _add_focus(pool: Pool, request: PackRequest) -> None:
    focus = request.focus
    if focus is None:
        return
    if focus.selection:
        for candidate in pool.at(focus.path, focus.selection):
            candidate.pinned = True
            candidate.add(0.9, "selected")
    for candidate in pool.at(focus.path, (focus.line, focus.line)):
        candidate.add(0.25, "at the cursor")


def _add_mentions(pool: Pool, named: Sequence[Mention], files: Files) -> None:
    decay = 1.0
    for mention in reversed(named):
        if mention.lines is None:
            continue
        for path in files.matching(mention.path):
            for candidate in pool.at(path, mention.lines):
                utility = _MENTION_UTILITY[mention.kind] * decay
                candidate.add(utility, f"{mention.kind} {mention.path}:{mention.lines[0] + 1}")
        decay *= _FRAME_DECAY


def _add_named_files(
    pool: Pool, context: PackContext, hits: Sequence[Hit], named: Sequence[Mention], files: Files
) -> None:
    """What stands in files that the prompt names: their hits rank anew, the rest counts evenly."""
    paths = dict.fromkeys(path for mention in named for path in files.matching(mention.path))
    for path in list(paths)[:_NAMED_FILES]:
        reason = f"in {path}, which the prompt names"
        own = [hit for hit in hits if hit.node.path == path]
        for rank, hit in enumerate(own[:_FILE_HITS], 1):
            candidate = pool.get(int(hit.node.label))
            if candidate:
                candidate.add(0.6 * chance_at(rank), reason)
        _share_out(pool, context, path, _NAMED_SHARE, reason)


def _add_file_mates(pool: Pool, context: PackContext) -> None:
    """What stands beside the strongest hits: with a large budget the rest of a file is worth it."""
    files: dict[str, float] = {}
    for candidate in pool.ranked():
        files[candidate.path] = files.get(candidate.path, 0.0) + candidate.utility
    best = sorted(files, key=lambda path: (-files[path], path))[: len(_FILE_SHARES)]
    for share, path in zip(_FILE_SHARES, best, strict=False):
        _share_out(pool, context, path, _MATE_SHARE * share, f"in {path}, with other hits")


def _share_out(pool: Pool, context: PackContext, path: str, share: float, reason: str) -> None:
    """Give the definitions of a file a utility that sums to `share`."""
    found = map(pool.get, map(int, context.snapshot.files[path].labels))
    mates = [c for c in found if c is not None and c.node.kind not in ("section", "window")]
    for mate in mates:
        # Beside a reason of its own this one says nothing.
        mate.add(min(share / len(mates), _MATE_MOST), "" if mate.reasons else reason)


def _add_changes(pool: Pool, context: PackContext) -> None:
    """Changed nodes count more, but only near the topic: change alone makes none a candidate."""
    near = {candidate.path for candidate in pool.ranked()[: 2 * _SEEDS]}
    for path in sorted(near):
        runs = (pool.at(path, lines) for lines in context.changed(path))
        found = list(dict.fromkeys(candidate for run in runs for candidate in run))
        for candidate in found:
            # A file that is new as a whole says less of each of its parts.
            candidate.add(min(_CHANGED, _CHANGED_FILE / len(found)), "changed and not committed")
            candidate.changed = True


def _add_open_files(pool: Pool, request: PackRequest) -> None:
    """What is near the topic and in a file that the user has open counts a little more."""
    shown = set(request.focus.open_paths) if request.focus else set()
    for candidate in pool.ranked()[: 2 * _SEEDS] if shown else ():
        if candidate.path in shown:
            candidate.add(_OPEN, "in an open file")


def _add_neighbours(pool: Pool, context: PackContext) -> None:
    for seed in pool.ranked()[:_SEEDS]:
        seen: dict[EdgeKind, int] = {}
        utility, called = seed.utility, _called(seed)
        for edge in context.graph.neighbors(seed.label):
            seen[edge.kind] = seen.get(edge.kind, 0) + 1
            candidate = pool.get(edge.label) if seen[edge.kind] <= _NEIGHBOURS else None
            if candidate and candidate.node.kind != "file":
                share = _EDGE_SHARE[edge.kind] * edge.weight
                if edge.kind == "references":
                    share *= _rarity(context.graph.n_users(edge.label))
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


def _demote_tests(pool: Pool, prompt: str) -> None:
    """Tests show how code is used, and cost as much as it: unless they are the topic, half."""
    if _TESTING.search(prompt):
        return
    for candidate in pool.by_label.values():
        node = candidate.node
        if node.kind == "test" or _TEST_NAME.search(node.qualname):
            candidate.utility *= _TEST_SHARE


def _demote_duplicates(pool: Pool, context: PackContext) -> None:
    """Maximal marginal relevance: what repeats a better node adds little (Carbonell 1998)."""
    snapshot = context.snapshot
    ranked = [c for c in pool.ranked()[:_COMPARED] if snapshot.has_vector[c.label]]
    if len(ranked) < 2:
        return
    rows = np.stack([snapshot.vector(candidate.label) for candidate in ranked])
    alike = np.tril(rows @ rows.T, -1)
    best, where = alike.max(axis=1), alike.argmax(axis=1)
    for i, candidate in enumerate(ranked):
        if best[i] > _ALIKE and not candidate.pinned:
            candidate.repeats = _called(ranked[int(where[i])])
            candidate.utility *= 1.0 - 0.7 * float(best[i] - _ALIKE) / (1.0 - _ALIKE)


def _called(candidate: Candidate) -> str:
    return f"{candidate.node.qualname or candidate.node.name} ({candidate.path})"
