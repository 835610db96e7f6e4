"""Patterns of the structure of code: ever more of its parts become holes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import count, islice, takewhile
from typing import NamedTuple

from tree_sitter import Node, Tree

from packhound.parsing.patterns.compile import (
    Goal,
    NoPattern,
    compile_pattern,
    is_comment,
    language_of,
    parse_code,
)
from packhound.parsing.patterns.match import find

_LITERALS, _NAMES, _ARGUMENTS, _CALLS = "literals", "names", "arguments", "calls"
_KINDS = {
    _LITERALS: re.compile(
        r"literal|(?!keyword_)(?:.*_)?(?:string|charlist|char|character|rune|int|integer|float"
        r"|floating_point|real|number|hex|oct|bin|long|unsigned|imaginary|regex)"
        r"(?:_literal|_expression)?",
        re.IGNORECASE,
    ),
    _NAMES: re.compile(
        r"(?:.*_)?(?:identifier|name|variable|constant|constructor|alias)", re.IGNORECASE
    ),
    _ARGUMENTS: re.compile(r"(?:value_)?arguments|argument_list"),
    _CALLS: re.compile(
        r"(?:.*_)?(?:call|invocation|application)(?:_expression)?|apply"
        r"|(?:new|object_creation)_expression"
    ),
}
"""Kinds of parts by their names in grammars, in the order in which they become holes."""
_BEHIND = re.compile(r"(?:value_|type_)?arguments|(?:\w+_)?argument_list|call_suffix|token_tree")
"""Kinds of nodes behind the name of a call."""
_WORD = re.compile(r"[$@]{0,2}[^\W\d]\w*[?!]?")
_LETTERS = re.compile(rb"\w*[A-Za-z]\w*")
_NOT_IN_HOLE = re.compile(r"^[^A-Z]+|[^A-Z0-9_]")
_NO_END = re.compile(rb"[\w{]")
"""Before these `$NAME` is no hole."""
_MAX_SINGLE = 40
"""Parts that are tried one by one where a grammar does not read all of a kind as holes."""

_Part = tuple[int, int, str]
"""The first byte, the one behind the last, and the kind; "" for a comment."""


def wider_patterns(language: str, code: str) -> Iterator[tuple[str, str]]:
    """Yield patterns of a structure, each wider than the last, and which parts are holes.

    First literals are, then names other than those of calls, then arguments, then calls. One
    without a word, which would match everywhere, ends them.
    """
    parsed = parse_code(language, code)
    if parsed is None:
        return
    tree, start = parsed
    example = _Example(language, code.encode(), tree, _read(language, code, tree)[1])
    called, before = _called(tree.root_node), ""
    opened, refused = list[str](), set[_Part]()
    for kind in _KINDS:
        all_parts = _parts(tree.root_node, start, len(example.code), {*opened, kind}, called)
        parts = [part for part in all_parts if part not in refused]
        pattern, goal = example.open(parts)
        if goal is None and kind in (_LITERALS, _NAMES):
            refused |= _refused(example, parts, kind)
            parts = [part for part in parts if part not in refused]
            pattern, goal = example.open(parts)
        if goal is None or pattern == before:
            continue
        if not any(map(_LETTERS.fullmatch, goal.literals)):
            return
        opened += [kind] if any(part[2] == kind for part in parts) else []
        yield pattern, " and ".join(filter(None, [", ".join(opened[:-1]), *opened[-1:]]))
        before = pattern


class _Example(NamedTuple):
    """Code of a language in a tree, and the first bytes there of what has its shape."""

    language: str
    code: bytes
    tree: Tree
    starts: set[int]

    def open(self, parts: Iterable[_Part]) -> tuple[str, Goal | None]:
        """Return the code with holes for parts, and as a grammar reads it; None if as other code.

        In some places a grammar takes what stands for a hole for something else.
        """
        pattern = _fill(self.code, parts)
        goal, starts = _read(self.language, pattern, self.tree)
        return pattern, goal if starts & self.starts else None


def _read(language: str, pattern: str, tree: Tree) -> tuple[Goal | None, set[int]]:
    """Return what a grammar reads a pattern as, and the first bytes of its matches in a tree."""
    try:
        goal = compile_pattern(language, pattern)
    except NoPattern:
        return None, set()
    return goal, {match.node.start_byte for match in find(language_of(language), goal, tree)}


def _refused(example: _Example, parts: list[_Part], kind: str) -> set[_Part]:
    """Return the parts of a kind that a grammar does not read as holes; all where they are many."""
    of_kind = {part for part in parts if part[2] == kind}
    opened_before = set(parts) - of_kind
    if len(of_kind) > _MAX_SINGLE:
        return of_kind
    return {part for part in of_kind if example.open(sorted({part, *opened_before}))[1] is None}


def _parts(
    node: Node, start: int, size: int, kinds: Collection[str], called: Collection[int]
) -> Iterator[_Part]:
    """Yield the outermost parts of some kinds, and comments, of the code in a tree."""
    if node.end_byte <= start or node.start_byte >= start + size:
        return
    kind = _kind(node, kinds, called)
    if kind is not None and start <= node.start_byte and node.end_byte <= start + size:
        yield node.start_byte - start, node.end_byte - start, kind
        return
    for child in node.children:
        yield from _parts(child, start, size, kinds, called)


def _kind(node: Node, kinds: Collection[str], called: Collection[int]) -> str | None:
    """Return which of some kinds a node is; "" for a comment."""
    if not node.is_named:
        return None
    if is_comment(node):
        return ""
    for kind in kinds:
        if not _KINDS[kind].fullmatch(node.type):
            continue
        if kind == _NAMES and (node.start_byte in called or not _is_word(node)):
            continue
        if kind == _ARGUMENTS and not (
            node.named_child_count and (node.text or b"").startswith(b"(")
        ):
            continue
        return kind
    return None


def _is_word(node: Node) -> bool:
    return bool(_WORD.fullmatch((node.text or b"").decode("utf-8", "replace")))


def _called(root: Node) -> set[int]:
    """Return the first bytes of the names of calls."""
    called, nodes = set[int](), [root]
    while nodes:
        node = nodes.pop()
        nodes += node.children
        if node.is_named and _KINDS[_CALLS].fullmatch(node.type):
            called.update(_starts_of_names(node))
    return called


def _starts_of_names(node: Node) -> Iterator[int]:
    """Yield the first bytes of the last name in a node before arguments, if it has one."""
    before = takewhile(lambda child: not _BEHIND.fullmatch(child.type), node.children)
    starts = (start for child in reversed([*before]) for start in _starts_of_names(child))
    is_name = node.is_named and _KINDS[_NAMES].fullmatch(node.type) and _is_word(node)
    yield from [node.start_byte] if is_name else islice(starts, 1)


def _fill(octets: bytes, parts: Iterable[_Part]) -> str:
    """Return code with holes in the place of parts, and without comments."""
    filled, end_of_last, names = bytearray(), 0, dict[bytes, str]()
    for start, end, kind in parts:
        filled += octets[end_of_last:start]
        end_of_last = end
        if kind == _ARGUMENTS:
            filled += b"($$$)"
        elif kind:
            # What is called the same is the same; two literals are that by chance.
            key = octets[start:end] if kind == _NAMES else b"%d" % start
            hole = names.setdefault(key, "") or _new_name(octets[start:end], kind, names.values())
            names[key] = hole
            filled += f"${hole}".encode() + b" " * bool(_NO_END.match(octets, end))
    return (filled + octets[end_of_last:]).decode()


def _new_name(text: bytes, kind: str, names_before: Collection[str]) -> str:
    """Return what a hole is called: by the name that it stands for, else by its kind."""
    letters = text.decode("utf-8", "replace").upper() if kind == _NAMES else ""
    base = _NOT_IN_HOLE.sub("", letters) or kind[:-1].upper()
    numbers = (f"{base}{n if n > 1 else ''}" for n in count(1))
    return next(name for name in numbers if name not in names_before)
