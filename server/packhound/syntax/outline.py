"""Captures to definitions: which bytes each one covers, what documents it, and who holds whom.

The result is in order of start, holders before what they hold; definitions nest or are disjoint.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from tree_sitter import Node

from packhound.syntax.grammar import Captures, Match, Run

_MIN_LOCAL_LINES = 8
"""A function inside a function is a node of its own from this many lines on; below, its text says
more as a part of the function around it."""

_MIN_CONSTANT_LINES = 3
"""A constant is a node from this many lines on, or with a comment: one-liners by the dozen would
drown their file."""

_MIN_SCOPE_WORDS = 4
"""A module or impl with fewer words of its own than this, and no doc, only names what it holds."""

_FUNCTIONS = frozenset({"function", "method", "test"})
_TYPES = frozenset({"class", "struct", "enum", "interface", "trait", "impl"})
_WORD = re.compile(rb"\w+")
_PLAIN_HEAD = re.compile(rb"[\w \t\r\n]*")
_GAP = re.compile(rb"[ \t\f]*(?:\r\n|\n|\r)?[ \t\f]*")


@dataclass(slots=True)
class Outline:
    """The definitions of a file, what they leave to the file, and the docs nobody claims."""

    definitions: list[Definition]
    holes: list[Run]
    docs: list[Run]


@dataclass(slots=True)
class Definition:
    """A node in the making. `start` moves left as decorators and comments are found to belong.

    `head` is where the signature starts, `first_end` where the first of merged clauses ends. Kind "scope" only lends its name to what is inside.
    """

    kind: str
    start: int
    end: int
    head: int
    body: int | None
    name: Run | None
    scope: Run | None
    trait: bool
    first_end: int
    docs: list[Run] = field(default_factory=list)
    parent: Definition | None = None
    holes: list[Run] = field(default_factory=list)

    def own_runs(self) -> list[Run]:
        """The bytes without the docs and without the nodes inside."""
        return without((self.start, self.end), self.holes + self.docs)


def outline(source: bytes, captures: Captures, *, merges: bool, header: bool) -> Outline:
    """The definitions worth a node, and the scopes around them.

    `merges` joins neighbours of one name; `header` keeps declarations without a body.
    """
    found = _distinct(captures.definitions)
    _take_wraps(source, found, captures.wraps)
    _take_leads(source, found, captures)
    _nest(found)
    unclaimed = _take_docs(found, captures.docs)
    kept = _kept(source, found, sorted(captures.imports), header)
    if merges:
        kept = _merged(source, kept)
    _find_scopes(source, kept)
    return Outline(kept, _cut_holes(kept), unclaimed)


def without(run: Run, holes: Iterable[Run]) -> list[Run]:
    """What is left of a run when the holes, in any order, are cut out."""
    left: list[Run] = []
    at, end = run
    for low, high in sorted(holes):
        if low > at:
            left.append((at, min(low, end)))
        at = max(at, high)
        if at >= end:
            return left
    left.append((at, end))
    return left


def _distinct(matches: list[Match]) -> list[Definition]:
    """One definition for each place; where patterns meet, the earlier in the query file wins."""
    wholes: set[Run] = set()
    bodies: set[int] = set()
    found = []
    for _, captured in sorted(matches, key=lambda match: match[0]):
        one = _definition(captured)
        if (one.start, one.end) in wholes or one.body in bodies:
            continue
        wholes.add((one.start, one.end))
        if one.body is not None:
            bodies.add(one.body)
        found.append(one)
    found.sort(key=lambda one: (one.start, -one.end))
    return found


def _definition(captured: dict[str, list[Node]]) -> Definition:
    kind = next(name for name in captured if name.startswith("definition.") or name == "namespace")
    whole = captured[kind][0]
    tail = captured["tail"][0] if "tail" in captured else None
    body = captured["body"][0] if "body" in captured else tail
    if body is None:
        body = whole.child_by_field_name("body")
    end = tail.end_byte if tail is not None else whole.end_byte
    return Definition(
        kind="scope" if kind == "namespace" else kind.removeprefix("definition."),
        start=whole.start_byte,
        end=end,
        first_end=end,
        head=whole.start_byte,
        body=body.start_byte if body is not None else None,
        name=_run(captured.get("name")),
        scope=_run(captured.get("scope")),
        trait="trait" in captured,
    )


def _run(nodes: list[Node] | None) -> Run | None:
    return (nodes[0].start_byte, nodes[-1].end_byte) if nodes else None


def _take_wraps(source: bytes, found: list[Definition], wraps: list[Run]) -> None:
    """A statement around one definition belongs to it: export, decorators, template, let."""
    wraps = sorted(wraps)
    outermost = {end: start for start, end in reversed(wraps)}
    starts = [start for start, _ in wraps]
    before = -1
    for one in found:
        head = one.start
        for end in (one.end, one.end + (source[one.end : one.end + 1] == b";")):
            if before < outermost.get(end, -1) <= head:
                one.start, one.end = outermost[end], end
        _take_words(source, one, wraps, bisect_right(starts, head) - 1, before)
        before = head


def _take_words(source: bytes, one: Definition, wraps: list[Run], last: int, before: int) -> None:
    """Words in front of a definition (export default, let rec) start its signature."""
    while last >= 0 and wraps[last][0] > before:
        start, end = wraps[last]
        if end >= one.end and _PLAIN_HEAD.fullmatch(source, start, one.head):
            one.start, one.head = min(one.start, start), start
        last -= 1


def _take_leads(source: bytes, found: list[Definition], captures: Captures) -> None:
    """Comments and attributes right above a definition belong to it."""
    leads = [(*_trimmed(source, run), True) for run in captures.comments + captures.leading_docs]
    leads += [(start, end, False) for start, end in captures.attributes]
    leads.sort()
    ends = [end for _, end, _ in leads]
    taken = -1
    for one in found:
        last = i = bisect_right(ends, one.start) - 1
        while i > taken:
            start, end, is_doc = leads[i]
            if not _is_gap(source, end, one.start) or (is_doc and _follows_code(source, start)):
                break
            one.start = start
            if is_doc:
                one.docs.append((start, end))
            i -= 1
        taken = max(taken, last)
        one.docs.reverse()


def _trimmed(source: bytes, run: Run) -> Run:
    start, end = run
    return start, start + len(source[start:end].rstrip())


def _is_gap(source: bytes, start: int, end: int) -> bool:
    """Whether there is nothing but one line end between two things."""
    match = _GAP.match(source, start, end)
    return match is not None and match.end() == end


def _follows_code(source: bytes, start: int) -> bool:
    line = max(source.rfind(b"\n", 0, start), source.rfind(b"\r", max(start - 400, 0), start)) + 1
    return bool(source[line:start].strip())


def _nest(found: list[Definition]) -> None:
    """Tell each definition which one holds it. A late start is the price of an overlap."""
    stack: list[Definition] = []
    for one in found:
        while stack and stack[-1].end <= one.start:
            stack.pop()
        while stack and stack[-1].end < one.end:
            one.start = max(one.start, stack.pop().end)
            one.docs = [run for run in one.docs if run[0] >= one.start]
        one.parent = stack[-1] if stack else None
        stack.append(one)


def _take_docs(found: list[Definition], docs: list[Run]) -> list[Run]:
    """Documentation inside a definition belongs to the innermost one around it."""
    unclaimed = []
    stack: list[Definition] = []
    upcoming = iter([*found, None])
    one = next(upcoming)
    for start, end in sorted(docs):
        while one is not None and one.start <= start:
            stack.append(one)
            one = next(upcoming)
        while stack and stack[-1].end < end:
            stack.pop()
        if stack:
            stack[-1].docs.append((start, end))
        else:
            unclaimed.append((start, end))
    return unclaimed


def _kept(
    source: bytes, found: list[Definition], imports: list[Run], header: bool
) -> list[Definition]:
    """Drop what is too small to stand alone; what it held moves to its own holder."""
    kept: list[Definition] = []
    dropped: set[int] = set()
    for one in found:
        while one.parent is not None and id(one.parent) in dropped:
            one.parent = one.parent.parent
        _settle_kind(one)
        if _is_worth_a_node(source, one, imports, header):
            kept.append(one)
        else:
            dropped.add(id(one))
    return kept


def _settle_kind(one: Definition) -> None:
    holder = one.parent.kind if one.parent else ""
    if one.kind == "function" and holder in _TYPES:
        one.kind = "method"


def _is_worth_a_node(source: bytes, one: Definition, imports: list[Run], header: bool) -> bool:
    holder = one.parent.kind if one.parent else ""
    if one.kind == "prototype":
        one.kind = "method" if holder in _TYPES else "function"
        return header and (holder not in _TYPES or bool(one.docs)) and holder not in _FUNCTIONS
    if one.kind in ("function", "method") and holder in _FUNCTIONS:
        return _lines(source, one) >= _MIN_LOCAL_LINES
    if one.kind == "member":
        one.kind = "method"
        return True
    if one.kind == "property":
        one.kind = "method" if one.parent is not None else "function"
        return _is_weighty(source, one, imports)
    if one.kind == "constant":
        return holder not in _FUNCTIONS and _is_weighty(source, one, imports)
    return True


def _is_weighty(source: bytes, constant: Definition, imports: list[Run]) -> bool:
    if _lines(source, constant) >= _MIN_CONSTANT_LINES:
        return True
    i = bisect_right(imports, (constant.start, 0))
    imported = i < len(imports) and imports[i][1] <= constant.end
    return bool(constant.docs) and not imported


def _lines(source: bytes, one: Definition) -> int:
    """Lines without the comment above."""
    text = source[one.head : one.end]
    return (text.count(b"\n") or text.count(b"\r")) + 1


def _merged(source: bytes, kept: list[Definition]) -> list[Definition]:
    """Neighbours of one name and holder become one definition: the clauses of one function."""
    merged: list[Definition] = []
    into: dict[int, Definition] = {}
    latest: dict[int, Definition] = {}
    for one in kept:
        if one.parent is not None:
            one.parent = into.get(id(one.parent), one.parent)
        before = latest.get(id(one.parent))
        if before is not None and _is_clause(source, before, one):
            before.end = one.end
            before.docs += one.docs
            into[id(one)] = before
        else:
            latest[id(one.parent)] = one
            merged.append(one)
    return merged


def _is_clause(source: bytes, before: Definition, one: Definition) -> bool:
    if before.name is None or one.name is None or before.kind != one.kind:
        return False
    same = source[slice(*before.name)].strip(b"()` ") == source[slice(*one.name)].strip(b"()` ")
    return same and one.kind in ("function", "macro") and not source[before.end : one.start].strip()


def _find_scopes(source: bytes, kept: list[Definition]) -> None:
    holes: dict[int, list[Run]] = {}
    for one in kept:
        if one.parent is not None and one.parent.kind in ("module", "impl"):
            holes.setdefault(id(one.parent), []).append((one.start, one.end))
    for one in kept:
        if one.kind in ("module", "impl") and not one.docs and not one.trait:
            inside = (one.body if one.body is not None else one.start, one.end)
            texts = (source[slice(*run)] for run in without(inside, holes.get(id(one), [])))
            if sum(len(_WORD.findall(text)) for text in texts) < _MIN_SCOPE_WORDS:
                one.kind = "scope"


def _cut_holes(kept: list[Definition]) -> list[Run]:
    """Each node's text is missing from the nearest node around it, or else from the file."""
    of_file: list[Run] = []
    holders: dict[int, Definition | None] = {}
    for one in kept:
        around = one.parent
        if around is not None and around.kind == "scope":
            around = holders[id(around)]
        holders[id(one)] = around
        if one.kind != "scope":
            (of_file if around is None else around.holes).append((one.start, one.end))
    return of_file
