"""Places of a tree that have the shape of a pattern.

Signs that the pattern leaves out, such as a trailing comma, may be there, and so may what follows
the last part of the pattern: `class $C` matches whatever its body. Comments are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Language, Node, Query, QueryCursor, Tree

from packhound.parsing.patterns.compile import Goal

_ALSO = {"import_from_statement": "future_import_statement"}
"""Kinds that are one for the reader, and two for a grammar that has `__future__` as a keyword."""

Captures = Mapping[str, Sequence[Node]]


class Found(NamedTuple):
    """The node that matches, and what its named holes are: NAME is a node, $$$NAME several."""

    node: Node
    captures: Captures


def find(language: Language, goal: Goal, tree: Tree) -> Iterator[Found]:
    """Yield all matches, one inside another too, by their start."""
    candidates = QueryCursor(_query(language, goal.kind)).captures(tree.root_node)
    nodes = candidates.get("node", [])
    for node in sorted(nodes, key=lambda node: (node.start_byte, -node.end_byte)):
        captures: dict[str, Sequence[Node]] = {}
        if _match(goal, node, captures) is True:
            yield Found(node, captures)


@lru_cache(maxsize=64)
def _query(language: Language, kind: str) -> Query:
    also = f" ({_ALSO[kind]})" if kind in _ALSO else ""
    query: Query = Query(language, f"[({kind}){also}] @node")
    return query


def _match(goal: Goal, node: Node, captures: dict[str, Sequence[Node]]) -> bool | None:
    """Return True if a node matches; None for a sign or comment that the pattern may leave out."""
    if node.is_extra and node.kind_id != goal.kind_id:
        return None
    if goal.hole is not None:
        is_part = node.is_named or node.type == "__future__"
        return is_part and _bind(goal.hole.name, [node], captures)
    if goal.children:
        is_kind = node.kind_id == goal.kind_id or node.type == _ALSO.get(goal.kind)
        return is_kind and _match_all(goal.children, node.children, captures)
    if node.kind_id == goal.kind_id and (not goal.is_named or node.text == goal.text):
        return True
    return False if node.is_named else None


def _bind(name: str, nodes: Sequence[Node], captures: dict[str, Sequence[Node]]) -> bool:
    """Remember what a hole is; return False if it is something else already."""
    if not name:
        return True
    before = captures.setdefault(name, nodes)
    return before is nodes or _are_same(before, nodes)


def _are_same(first: Sequence[Node], second: Sequence[Node]) -> bool:
    return len(first) == len(second) and all(map(_is_same, first, second))


def _is_same(one: Node, other: Node) -> bool:
    if _is_leaf(one) or _is_leaf(other):
        return one.text == other.text
    return one.kind_id == other.kind_id and _are_same(one.children, other.children)


def _is_leaf(node: Node) -> bool:
    return node.is_named and not node.named_child_count


def _match_all(
    goals: Sequence[Goal], nodes: Sequence[Node], captures: dict[str, Sequence[Node]]
) -> bool:
    """Return True if nodes match goals in turn."""
    if not nodes:
        return False
    goal_position, position = 0, 0
    while goal_position < len(goals):
        if position == len(nodes) and goal_position:
            return False
        if goals[goal_position].is_run:
            goal_position, position = _match_run(goals, goal_position, nodes, position, captures)
        else:
            goal_position, position = (
                goal_position + 1,
                _match_one(goals[goal_position], nodes, position, captures),
            )
        if position < 0:
            return False
    return True


def _match_one(
    goal: Goal, nodes: Sequence[Node], position: int, captures: dict[str, Sequence[Node]]
) -> int:
    """Return the position behind the node that matches, past signs; -1 if none does."""
    for i in range(position, len(nodes)):
        matches = _match(goal, nodes[i], captures)
        if matches is not None:
            return i + 1 if matches else -1
    return -1


def _match_run(
    goals: Sequence[Goal],
    goal_position: int,
    nodes: Sequence[Node],
    position: int,
    captures: dict[str, Sequence[Node]],
) -> tuple[int, int]:
    """Return the next goal and the position behind the nodes that `$$$` is; -1 if it is none."""
    hole, first = goals[goal_position].hole, goal_position + 1
    goal_position = first
    while goal_position < len(goals) and _is_sign(goals[goal_position]):
        goal_position += 1
    if goal_position == len(goals):
        end = len(nodes)
    elif goals[goal_position].is_run:
        end = position + 1
    else:
        # In Swift parameters stand beside the arrow before the result, and are of the run.
        has_arrow = any(goal.kind == "->" for goal in goals[first:goal_position])
        rest = range(position, len(nodes)) if has_arrow else ()
        after = next((i + 1 for i in rest if nodes[i].type == "->"), position)
        end = _next_match(goals[goal_position], nodes, after, captures)
    if goal_position < len(goals) and end >= len(nodes):
        return goal_position, -1
    run = nodes[position:end]
    name = f"$$${hole.name}" if hole and hole.name else ""
    return goal_position, end if _bind(
        name, run[: max(0, len(run) - (goal_position - first))], captures
    ) else -1


def _is_sign(goal: Goal) -> bool:
    return not (goal.is_named or goal.children or goal.hole)


def _next_match(
    goal: Goal, nodes: Sequence[Node], position: int, captures: Mapping[str, Sequence[Node]]
) -> int:
    """Return the position of the first node that matches; their number if none does."""
    matching = (
        i for i in range(position, len(nodes)) if _match(goal, nodes[i], dict(captures)) is True
    )
    return next(matching, len(nodes))
