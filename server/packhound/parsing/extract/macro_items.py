"""Definitions in the arguments of macros, as in `cfg_rt! { pub struct Handle; }`.

A grammar that does not expand macros sees tokens in braces. Text there is taken for definitions if
it parses as nothing else.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import chain

from tree_sitter import Node, Tree

from packhound.parsing.grammar import Captures, Grammar

_MAX_DEPTH = 4
"""Macros inside macros, and braces inside their braces, that are looked into."""


def add_macro_items(code: bytes, grammar: Grammar, captures: Captures, depth: int = 0) -> None:
    """Add what the query captures in the arguments of macros that hold definitions."""
    if depth == _MAX_DEPTH:
        return
    for argument in captures.items:
        if argument.child_count < 3 or argument.children[0].type != "{":
            continue
        first, last = argument.children[0], argument.children[-1]
        tree = grammar.parse_between(code, first, last)
        inner = None if tree.root_node.has_error else grammar.captures(tree)
        if inner is None or not _are_items(tree, inner):
            # cfg_if! { if #[cfg(unix)] { ... } else { ... } }
            inner = Captures(items=[n for n in argument.children if n.type == argument.type])
        add_macro_items(code, grammar, inner, depth + 1)
        captures.definitions += inner.definitions
        captures.rows += inner.rows
        for name, runs in captures.runs.items():
            # Comments are captured in a macro's tokens and in the definitions as well.
            runs[:] = dict.fromkeys(runs + inner.runs[name])


def _are_items(tree: Tree, captures: Captures) -> bool:
    """Return True if each statement is, or holds, something captured, and one a definition."""
    if not captures.definitions:
        return False
    runs = [match[name][0].byte_range for _, name, match in captures.definitions]
    runs += [node.byte_range for node in captures.items]
    runs += chain(*map(captures.runs.__getitem__, ("attribute", "comment", "import")))
    starts = sorted(start for start, _ in runs)
    return all(_holds_any(starts, child) for child in tree.root_node.named_children)


def _holds_any(starts: list[int], node: Node) -> bool:
    i = bisect_left(starts, node.start_byte)
    return i < len(starts) and starts[i] < node.end_byte
