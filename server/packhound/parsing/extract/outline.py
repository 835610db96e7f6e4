"""Captures to an outline: which definitions are worth a node, and who holds whom.

Definitions are in order of start, holders before what they hold; they nest or are disjoint.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from packhound.parsing.extract.attach import take_docs, take_following, take_leads, take_wraps
from packhound.parsing.extract.definition import Definition, distinct, without
from packhound.parsing.grammar import Captures
from packhound.parsing.lines import Run

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


@dataclass(slots=True)
class Outline:
    """The definitions of a file, what they leave to the file, and the docs nobody claims."""

    definitions: list[Definition]
    holes: list[Run]
    docs: list[Run]


def outline(source: bytes, captures: Captures, *, merges: bool, header: bool) -> Outline:
    """The definitions worth a node, and the scopes around them.

    `merges` joins neighbours of one name; `header` keeps declarations without a body.
    """
    found = distinct(captures.definitions)
    take_wraps(source, found, captures.wraps)
    take_following(source, found, captures)
    take_leads(source, found, captures)
    _nest(found)
    unclaimed = take_docs(found, captures.docs)
    kept = _kept(source, found, sorted(captures.imports), header)
    if merges:
        kept = _merged(source, kept)
    _find_scopes(source, kept)
    return Outline(kept, _cut_holes(kept), unclaimed)


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
