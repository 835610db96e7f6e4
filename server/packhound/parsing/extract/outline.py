"""Captures to an outline: the definitions that become nodes, and their nesting.

Definitions are in order of start, parents before children; they nest or are disjoint.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from packhound.parsing.extract import attach
from packhound.parsing.extract.definition import Definition, distinct, without
from packhound.parsing.grammar import Captures
from packhound.parsing.source import ByteRange

_MIN_LOCAL_LINES = 8
"""A function inside a function is a node of its own from this many lines on; below, it stays
part of the function around it."""

_MIN_CONSTANT_LINES = 3
"""A constant that its query calls no `one_liner` is a node from this many lines on, or with a
comment: those of one line by the dozen would drown their file."""

_MIN_SCOPE_WORDS = 4
"""A module or impl with fewer words of its own than this, and no doc, becomes no node."""

_FUNCTIONS = frozenset({"function", "method", "test"})
_TYPES = frozenset({"class", "struct", "enum", "interface", "trait", "impl"})
_WORD = re.compile(rb"\w+")


@dataclass(slots=True)
class Outline:
    """The definitions of a file, the ranges they take from it, and the docs outside them."""

    definitions: list[Definition]
    holes: list[ByteRange]
    docs: list[ByteRange]


def outline(source: bytes, captures: Captures, *, merges: bool, header: bool) -> Outline:
    """Return the definitions that become nodes, and the scopes around them.

    `merges` joins neighbours of one name; `header` keeps declarations without a body.
    """
    definitions = distinct(captures.definitions)
    attach.skip_attributes(source, definitions, captures)
    attach.take_wraps(source, definitions, captures.runs["wrap"])
    attach.take_following(source, definitions, captures)
    attach.take_leads(source, definitions, captures)
    _nest(definitions)
    unclaimed = attach.take_docs(definitions, captures.runs["doc"])
    outlined = _drop_small(source, definitions, sorted(captures.runs["import"]), header)
    if merges:
        outlined = _merge_clauses(source, outlined)
    _find_scopes(source, outlined)
    return Outline(outlined, _cut_holes(outlined), unclaimed)


def _nest(definitions: list[Definition]) -> None:
    """Set the parent of each definition; one that overlaps its predecessor starts after it."""
    stack: list[Definition] = []
    for definition in definitions:
        while stack and stack[-1].end <= definition.start:
            stack.pop()
        while stack and stack[-1].end < definition.end:
            definition.start = max(definition.start, stack.pop().end)
            definition.docs = [run for run in definition.docs if run[0] >= definition.start]
        definition.parent = stack[-1] if stack else None
        stack.append(definition)


def _drop_small(
    source: bytes, definitions: list[Definition], imports: list[ByteRange], header: bool
) -> list[Definition]:
    """Drop definitions too small for a node; their children move to their parents."""
    outlined: list[Definition] = []
    dropped: set[int] = set()
    for definition in definitions:
        while definition.parent is not None and id(definition.parent) in dropped:
            definition.parent = definition.parent.parent
        _settle_kind(definition)
        if _is_worth_a_node(source, definition, imports, header):
            outlined.append(definition)
        else:
            dropped.add(id(definition))
    return outlined


def _settle_kind(definition: Definition) -> None:
    holder = definition.parent.kind if definition.parent else ""
    if definition.kind == "function" and holder in _TYPES:
        definition.kind = "method"


def _is_worth_a_node(
    source: bytes, definition: Definition, imports: list[ByteRange], header: bool
) -> bool:
    holder = definition.parent.kind if definition.parent else ""
    if definition.kind == "prototype":
        definition.kind = "method" if holder in _TYPES else "function"
        return (
            header and (holder not in _TYPES or bool(definition.docs)) and holder not in _FUNCTIONS
        )
    if definition.kind in ("function", "method") and holder in _FUNCTIONS:
        return _count_lines(source, definition) >= _MIN_LOCAL_LINES
    if definition.kind == "member":
        definition.kind = "method"
        return True
    if definition.kind == "property":
        definition.kind = "method" if definition.parent is not None else "function"
        return _is_weighty(source, definition, imports)
    if definition.kind == "one_liner":
        definition.kind = "constant"
        return holder not in _FUNCTIONS
    if definition.kind == "constant":
        return holder not in _FUNCTIONS and _is_weighty(source, definition, imports)
    return True


def _is_weighty(source: bytes, constant: Definition, imports: list[ByteRange]) -> bool:
    if _count_lines(source, constant) >= _MIN_CONSTANT_LINES:
        return True
    i = bisect_right(imports, (constant.start, 0))
    imported = i < len(imports) and imports[i][1] <= constant.end
    return bool(constant.docs) and not imported


def _count_lines(source: bytes, definition: Definition) -> int:
    """Return the number of lines without the comment above."""
    text = source[definition.head : definition.end]
    return (text.count(b"\n") or text.count(b"\r")) + 1


def _merge_clauses(source: bytes, definitions: list[Definition]) -> list[Definition]:
    """Merge neighbours of one name and parent: the clauses of one function."""
    merged: list[Definition] = []
    into: dict[int, Definition] = {}
    latest: dict[int, Definition] = {}
    for definition in definitions:
        if definition.parent is not None:
            definition.parent = into.get(id(definition.parent), definition.parent)
        previous = latest.get(id(definition.parent))
        if previous is not None and _is_clause(source, previous, definition):
            previous.end = definition.end
            previous.docs += definition.docs
            into[id(definition)] = previous
        else:
            latest[id(definition.parent)] = definition
            merged.append(definition)
    return merged


def _is_clause(source: bytes, previous: Definition, definition: Definition) -> bool:
    if previous.name is None or definition.name is None or previous.kind != definition.kind:
        return False
    same = source[slice(*previous.name)].strip(b"()` ") == source[slice(*definition.name)].strip(
        b"()` "
    )
    return (
        same
        and definition.kind in ("function", "macro")
        and not source[previous.end : definition.start].strip()
    )


def _find_scopes(source: bytes, definitions: list[Definition]) -> None:
    holes: dict[int, list[ByteRange]] = {}
    for definition in definitions:
        if definition.parent is not None and definition.parent.kind in ("module", "impl"):
            holes.setdefault(id(definition.parent), []).append((definition.start, definition.end))
    for definition in definitions:
        if (
            definition.kind in ("module", "impl")
            and not definition.docs
            and definition.trait is None
        ):
            inside = (
                definition.body if definition.body is not None else definition.start,
                definition.end,
            )
            texts = (source[slice(*run)] for run in without(inside, holes.get(id(definition), [])))
            if sum(len(_WORD.findall(text)) for text in texts) < _MIN_SCOPE_WORDS:
                definition.kind = "scope"


def _cut_holes(definitions: list[Definition]) -> list[ByteRange]:
    """Cut each node out of the nearest node around it, or else out of the file."""
    of_file: list[ByteRange] = []
    holders: dict[int, Definition | None] = {}
    for definition in definitions:
        holder = definition.parent
        if holder is not None and holder.kind == "scope":
            holder = holders[id(holder)]
        holders[id(definition)] = holder
        if definition.kind != "scope":
            (of_file if holder is None else holder.holes).append((definition.start, definition.end))
    return of_file
