"""A pattern as the part of a syntax tree that it is in one language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from tree_sitter import Language, Node, Parser, Tree
from tree_sitter_language_pack import get_language

from packhound.parsing.languages import BY_NAME
from packhound.parsing.patterns import holes
from packhound.parsing.patterns.frames import frames_of, is_head


@dataclass(frozen=True, slots=True)
class Goal:
    """A node of a pattern: a hole, or a kind with `children`, or a leaf with its `text`."""

    kind_id: int
    kind: str
    is_named: bool
    text: bytes
    hole: holes.Hole | None
    children: tuple[Goal, ...]

    @property
    def is_run(self) -> bool:
        """True for `$$$`."""
        return self.hole is not None and self.hole.is_run

    @property
    def literals(self) -> Iterator[bytes]:
        """The texts that whatever matches has; signs behind `$$$` may be left out."""
        if not self.children and self.hole is None and self.text:
            yield self.text
        after_run = False
        for child in self.children:
            if child.is_run:
                after_run = True
            elif child.is_named or child.hole:
                after_run = False
                yield from child.literals
            elif not after_run:
                yield from child.literals


_ANY_BODY = re.compile(r"\s*\{\s*\$\$\$\s*\}\s*$")
"""A body of anything, which not every grammar reads; the head of a definition matches any."""


_BROKEN = "does not parse"


class NoPattern(Exception):  # noqa: N818 - a value for who asks
    """A text that is no pattern in a language; the message says why, `offset` where."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.offset = offset


@cache
def language_of(name: str) -> Language:
    """Return the grammar of a language in the table; raises LookupError or OSError."""
    return get_language(BY_NAME[name].grammar)  # type: ignore[arg-type]


@cache
def parser_of(name: str) -> Parser:
    """Return the parser of a language in the table; raises LookupError or OSError."""
    return Parser(language_of(name))


def compile_pattern(language: str, text: str) -> Goal:
    """Return the pattern that a text is in a language; raises NoPattern.

    What cannot stand alone, such as a method or the head of a function, is read in a frame of the
    language; the first frame counts in which it parses. Only behind a hole may a semicolon be
    missing.
    """
    head = _ANY_BODY.sub("", text)
    if language in ("cpp", "dart") and head != text and is_head(language, head):
        # Their grammars read a body of a hole as something else.
        return _compile(language, head)
    try:
        return _compile(language, text)
    except NoPattern:
        if head in ("", text):
            raise
        return _compile(language, head)


def parse_code(language: str, text: str) -> tuple[Tree, int] | None:
    """Return the tree of code in the first frame in which it is one node, and where it begins."""
    for before, after in frames_of(language, text):
        tree = parser_of(language).parse((before + text + after).encode())
        start = len(before.encode())
        with suppress(NoPattern):
            _goal_in(tree.root_node, start, start + len(text.encode()))
            return tree, start
    return None


def _compile(language: str, text: str) -> Goal:
    problem: NoPattern | None = None
    for before, after in frames_of(language, text):
        for prefix in holes.PREFIXES:
            try:
                return _read(language, before, holes.fill_holes(text, prefix), after)
            except NoPattern as refusal:
                refusal.offset = holes.offset_in(text, refusal.offset, prefix)
                is_first = problem is None or str(problem) == _BROKEN != str(refusal)
                problem = refusal if is_first else problem
    assert problem is not None
    for prefix in holes.PREFIXES:
        typed = holes.fill_parameters(text, language, prefix)
        ended = (holes.fill_statements(each, language, prefix) for each in (text, typed))
        for filled in dict.fromkeys((typed, *ended)):
            for before, after in frames_of(language, text) if filled != text else ():
                with suppress(NoPattern):
                    return _read(language, before, holes.fill_holes(filled, prefix), after)
    raise problem


def _read(language: str, before: str, code: str, after: str) -> Goal:
    """Return what a filled pattern is in a frame. Raises NoPattern."""
    start = len(before.encode())
    root = parser_of(language).parse((before + code + after).encode()).root_node
    return _goal_in(root, start, start + len(code.encode()))


def _goal_in(root: Node, start: int, end: int) -> Goal:
    if root.has_error and (error := _error_in(root)):
        # What is read from the first byte on is read to the byte where it breaks off.
        at = error.start_byte if error.start_byte > start else error.end_byte
        raise NoPattern(_BROKEN, max(0, min(at, end) - start))
    node, of_pattern = root, _within(root, start, end)
    while len(of_pattern) == 1:
        node = of_pattern[0]
        of_pattern = _within(node, start, end)
    is_partial = node.start_byte < start or of_pattern[:1] != node.children[:1]
    if of_pattern and (node.parent is None or is_partial):
        raise NoPattern("is more than one statement", of_pattern[1].start_byte - start)
    goal = _goal(node, start, end)
    if goal.hole is not None:
        raise NoPattern("is nothing but a hole", 0)
    if not goal.is_named:
        raise NoPattern("is nothing but a sign", 0)
    return goal


def _within(node: Node, start: int, end: int) -> list[Node]:
    """Return the children of a node that have text of the pattern, and of no frame alone.

    Comments, which no match needs, are left out unless there is nothing else.
    """
    children = [
        child
        for child in node.children
        if child.start_byte < end and child.end_byte > start and not child.is_missing
    ]
    return [child for child in children if not is_comment(child)] or children


def is_comment(node: Node) -> bool:
    """Return True for a comment, which may stand anywhere."""
    return node.is_extra and "comment" in node.type


def _error_in(node: Node) -> Node | None:
    """Return the first node that the grammar could not read, or that is missing."""
    if node.is_error:
        return node
    if node.is_missing:
        before = node.prev_sibling
        return None if node.type == ";" and before and holes.hole_of(before.text or b"") else node
    children = (child for child in node.children if child.has_error)
    return next((found for child in children if (found := _error_in(child))), None)


def _goal(node: Node, start: int, end: int) -> Goal:
    """Return the part of a pattern that a node is, without what the frame has added."""
    text = node.text or b""
    hole = holes.hole_of(text)
    children = () if hole else _within(node, start, end)
    if hole is None and not children and holes.has_hole(text):
        raise NoPattern("has a hole inside a name or a text", node.start_byte - start)
    goals = tuple(_goal(child, start, end) for child in children)
    return Goal(node.kind_id, node.type, node.is_named, text, hole, goals)
