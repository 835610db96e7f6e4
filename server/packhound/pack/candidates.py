"""The nodes that could go into a pack, each with its utility and the reasons for it.

Stages: what the prompt, the user and the search name; then neighbours in the graph of the strongest
of these; then near-duplicates lose. A utility is meant as the chance that the node is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch

import numpy as np

from packhound.graph.graph import Edge, EdgeKind
from packhound.index.entries import FileEntry
from packhound.pack.mentions import Files, Mention, MentionKind, mentions
from packhound.pack.types import Lines, PackContext, PackRequest
from packhound.types import Budget, Focus, Hit, Node, Query

_HITS = 120
_FILE_HITS = 12
"""Hits asked for within each file that the prompt names."""
_NAMED_FILES = 4
_SEARCH_MS = 400.0

_SEEDS = 16
"""Nodes whose neighbours join."""
_NEIGHBOURS = 12
"""Neighbours of each seed and kind."""

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

_ALIKE = 0.90
"""Cosine from which a node begins to repeat a better one."""


@dataclass(slots=True, eq=False)
class Candidate:
    """A node that may go into the pack. `order` breaks ties: the order of discovery."""

    label: int
    entry: FileEntry
    position: int
    node: Node
    order: int
    utility: float = 0.0
    pinned: bool = False
    repeats: str = ""
    reasons: list[str] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The file that the node is in."""
        return self.entry.path

    def add(self, utility: float, reason: str) -> None:
        """One more reason; independent reasons add up as chances do."""
        self.utility = 1.0 - (1.0 - self.utility) * (1.0 - min(utility, 0.999))
        if reason not in self.reasons:
            self.reasons.append(reason)


class Pool:
    """The candidates found so far, by label."""

    def __init__(self, context: PackContext, request: PackRequest) -> None:
        self._context = context
        self._excluded = request.excluded
        self.by_label: dict[int, Candidate] = {}
        self.excluded: dict[int, Candidate] = {}

    def get(self, label: int) -> Candidate | None:
        """The candidate of a label; None if it is dead, or excluded by the request."""
        if label in self.by_label:
            return self.by_label[label]
        snapshot = self._context.snapshot
        if label >= snapshot.n_labels or not snapshot.live[label]:
            return None
        entry, position = snapshot.locate(label)
        order = len(self.by_label) + len(self.excluded)
        found = Candidate(label, entry, position, entry.node(position), order)
        if any(fnmatch(entry.path, glob) for glob in self._excluded):
            self.excluded.setdefault(label, found)
            return None
        self.by_label[label] = found
        return found

    def at(self, path: str, lines: Lines) -> list[Candidate]:
        """The innermost nodes that touch the lines of a file."""
        entry = self._context.snapshot.files.get(path)
        if entry is None:
            return []
        first, last = lines
        touched = [
            position
            for position, node in enumerate(entry.nodes)
            if node.kind != "file" and node.span.start_line <= last and first <= node.span.end_line
        ]
        above = {entry.nodes[position].parent for position in touched}
        inner = [self.get(int(entry.labels[p])) for p in touched if p not in above]
        return [candidate for candidate in inner if candidate]

    def ranked(self) -> list[Candidate]:
        """Pinned ones first, then by utility."""
        found = self.by_label.values()
        return sorted(found, key=lambda c: (not c.pinned, -c.utility, c.path, c.node.span.start))


def gather(context: PackContext, request: PackRequest) -> Pool:
    """All candidates of a request."""
    pool = Pool(context, request)
    files = Files(context.snapshot.files)
    named = mentions(request.prompt)
    _add_pinned(pool, request, files)
    _add_focus(pool, request)
    _add_hits(pool, _search(context, request.prompt, request))
    _add_mentions(pool, named, files)
    _add_named_files(pool, context, request, named, files)
    _add_changes(pool, context)
    _add_neighbours(pool, context)
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
                candidate.add(0.3 * body.utility * edge.weight, f"used by {_called(body)}")
                found[edge.label] = candidate
    return list(found.values())


def _search(
    context: PackContext, text: str, request: PackRequest, *paths: str, limit: int = _HITS
) -> Sequence[Hit]:
    if not text.strip():
        return ()
    focus = Focus(request.focus.path, request.focus.line) if request.focus else None
    budget = Budget(_SEARCH_MS, 4 * _HITS)
    return context.search(Query(text, limit, paths=paths, budget=budget, focus=focus)).hits


def _add_hits(pool: Pool, hits: Sequence[Hit]) -> None:
    for hit in hits:
        candidate = pool.get(int(hit.node.label))
        if candidate:
            strongest = sorted(hit.why, key=lambda signal: -signal.contribution)[:3]
            names = ", ".join(s.signal for s in strongest if s.contribution > 0)
            candidate.add(chance_at(hit.rank), f"hit {hit.rank}" + (f" ({names})" if names else ""))


def _add_pinned(pool: Pool, request: PackRequest, files: Files) -> None:
    for pin in request.pinned:
        path, _, wanted = pin.rpartition(":") if pin[-1:].isdigit() else (pin, "", "")
        first, _, last = wanted.partition("-")
        everything = (0, 1 << 30)
        lines = (int(first) - 1, int(last or first) - 1) if first.isdigit() else everything
        for found in files.matching(path):
            for candidate in pool.at(found, lines):
                candidate.pinned = True
                candidate.add(0.9, "pinned")


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
    pool: Pool,
    context: PackContext,
    request: PackRequest,
    named: Sequence[Mention],
    files: Files,
) -> None:
    """The best hits within a file that the prompt names, whether or not they made the first cut."""
    paths = [path for mention in named for path in files.matching(mention.path)]
    for path in list(dict.fromkeys(paths))[:_NAMED_FILES]:
        literal = path.replace("[", "[[]")
        for hit in _search(context, request.prompt, request, literal, limit=_FILE_HITS):
            candidate = pool.get(int(hit.node.label))
            if candidate:
                candidate.add(0.6 * chance_at(hit.rank), f"in {path}, which the prompt names")


def _add_changes(pool: Pool, context: PackContext) -> None:
    """Changed nodes count more, but only near the topic: change alone makes none a candidate."""
    near = {candidate.path for candidate in pool.ranked()[: 2 * _SEEDS]}
    for path in sorted(near & set(context.changed)):
        for lines in context.changed[path]:
            for candidate in pool.at(path, lines):
                candidate.add(0.3, "changed and not committed")


def _add_neighbours(pool: Pool, context: PackContext) -> None:
    for seed in pool.ranked()[:_SEEDS]:
        seen: dict[EdgeKind, int] = {}
        utility, called = seed.utility, _called(seed)
        for edge in context.graph.neighbors(seed.label):
            seen[edge.kind] = seen.get(edge.kind, 0) + 1
            candidate = pool.get(edge.label) if seen[edge.kind] <= _NEIGHBOURS else None
            if candidate and candidate.node.kind != "file":
                candidate.add(utility * _share(edge), f"{_BACKWARD[edge.kind]} {called}")


_BACKWARD: dict[EdgeKind, str] = {
    "references": "used by",
    "referenced-by": "uses",
    "contained-in": "contains",
    "contains": "member of",
    "imports": "imported by the file of",
}


def _share(edge: Edge) -> float:
    return _EDGE_SHARE[edge.kind] * edge.weight


def _demote_duplicates(pool: Pool, context: PackContext) -> None:
    """Maximal marginal relevance: what repeats a better node adds little (Carbonell 1998)."""
    snapshot = context.snapshot
    ranked = [c for c in pool.ranked()[:100] if snapshot.has_vector[c.label]]
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
