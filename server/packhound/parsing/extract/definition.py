"""A definition as a query captured it, and the bytes it covers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tree_sitter import Node

from packhound.parsing.grammar import Match
from packhound.parsing.source import ByteRange

_CONSTANTS = frozenset({"definition.constant", "definition.one_liner"})


@dataclass(slots=True, eq=False)
class Definition:
    """A definition that may become a node. `start` moves left as comments are attached.

    `head` is the start of the signature, `first_end` the end of the first of merged clauses. Kind
    "scope" only prefixes the names of its members.
    """

    kind: str
    start: int
    end: int
    head: int
    body: int | None
    name: ByteRange | None
    scope: ByteRange | None
    trait: ByteRange | None
    first_end: int
    docs: list[ByteRange] = field(default_factory=list)
    parent: Definition | None = None
    holes: list[ByteRange] = field(default_factory=list)

    def own_runs(self) -> list[ByteRange]:
        """Return the ranges without docs and without the nodes inside."""
        return without((self.start, self.end), self.holes + self.docs)


def distinct(matches: list[Match]) -> list[Definition]:
    """Return one definition for each range or body: a function or type before a constant.

    Else the earlier pattern in the query file wins.
    """
    ranges: set[ByteRange] = set()
    bodies: set[int] = set()
    definitions = []
    for _, kind, captured in sorted(matches, key=_precedence):
        definition = _definition(kind, captured)
        if (definition.start, definition.end) in ranges or definition.body in bodies:
            continue
        ranges.add((definition.start, definition.end))
        if definition.body is not None:
            bodies.add(definition.body)
        definitions.append(definition)
    definitions.sort(key=lambda definition: (definition.start, -definition.end))
    return definitions


def _precedence(match: Match) -> tuple[bool, int]:
    pattern, kind, _ = match
    return kind in _CONSTANTS, pattern


def without(run: ByteRange, holes: Iterable[ByteRange]) -> list[ByteRange]:
    """Subtract holes, in any order, from a range."""
    rest: list[ByteRange] = []
    offset, end = run
    for low, high in sorted(holes):
        if low > offset:
            rest.append((offset, min(low, end)))
        offset = max(offset, high)
        if offset >= end:
            return rest
    rest.append((offset, end))
    return rest


def _definition(kind: str, captured: dict[str, list[Node]]) -> Definition:
    node = captured[kind][0]
    value = captured["value"][0] if "value" in captured else node
    tail = captured["tail"][0] if "tail" in captured else None
    body = captured["body"][0] if "body" in captured else tail
    if body is None:
        body = value.child_by_field_name("body")
    names = captured.get("name")
    if names is None:
        name = node.child_by_field_name("name") or value.child_by_field_name("name")
        names = [name] if name is not None else None
    end = tail.end_byte if tail is not None else node.end_byte
    return Definition(
        kind="scope" if kind == "namespace" else kind.removeprefix("definition."),
        start=node.start_byte,
        end=end,
        first_end=end,
        head=node.start_byte,
        body=body.start_byte if body is not None else None,
        name=_run(names),
        scope=_run(captured.get("scope")),
        trait=_run(captured.get("trait")),
    )


def _run(nodes: list[Node] | None) -> ByteRange | None:
    return (nodes[0].start_byte, nodes[-1].end_byte) if nodes else None
