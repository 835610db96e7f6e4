"""What a query says of one definition, and the bytes it covers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import itemgetter

from tree_sitter import Node

from packhound.parsing.grammar import Match
from packhound.parsing.lines import Run


@dataclass(slots=True, eq=False)
class Definition:
    """A node in the making. `start` moves left as decorators and comments are found to belong.

    `head` is where the signature starts, `first_end` where the first of merged clauses ends. Kind
    "scope" only lends its name to what is inside.
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


def distinct(matches: list[Match]) -> list[Definition]:
    """One definition for each place; where patterns meet, the earlier in the query file wins."""
    wholes: set[Run] = set()
    bodies: set[int] = set()
    found = []
    for _, kind, captured in sorted(matches, key=itemgetter(0)):
        one = _definition(kind, captured)
        if (one.start, one.end) in wholes or one.body in bodies:
            continue
        wholes.add((one.start, one.end))
        if one.body is not None:
            bodies.add(one.body)
        found.append(one)
    found.sort(key=lambda one: (one.start, -one.end))
    return found


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


def _definition(kind: str, captured: dict[str, list[Node]]) -> Definition:
    whole = captured[kind][0]
    value = captured["value"][0] if "value" in captured else whole
    tail = captured["tail"][0] if "tail" in captured else None
    body = captured["body"][0] if "body" in captured else tail
    if body is None:
        body = value.child_by_field_name("body")
    names = captured.get("name")
    if names is None:
        name = whole.child_by_field_name("name") or value.child_by_field_name("name")
        names = [name] if name is not None else None
    end = tail.end_byte if tail is not None else whole.end_byte
    return Definition(
        kind="scope" if kind == "namespace" else kind.removeprefix("definition."),
        start=whole.start_byte,
        end=end,
        first_end=end,
        head=whole.start_byte,
        body=body.start_byte if body is not None else None,
        name=_run(names),
        scope=_run(captured.get("scope")),
        trait="trait" in captured,
    )


def _run(nodes: list[Node] | None) -> Run | None:
    return (nodes[0].start_byte, nodes[-1].end_byte) if nodes else None
