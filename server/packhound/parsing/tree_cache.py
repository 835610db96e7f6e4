"""Trees of the texts parsed last, so that an edit costs a parse of the lines it changed.

Only trees without errors are kept, and only a tree without errors may come from one that is kept:
then it is the tree that the text alone gives, as a test makes sure of in every language. How a
parser recovers from an error depends on where it came from, so such a text is parsed by itself.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Tree

    from packhound.parsing.grammar import Grammar

MOST_DOCUMENTS = 4
"""More than anyone edits at once."""

_MOST_BYTES = 800_000
"""Of all texts together; a tree takes some 20 times the size of its text, at worst 200 times."""


@dataclass(frozen=True, slots=True)
class _Kept:
    grammar: Grammar
    code: bytes
    tree: Tree


class Trees:
    """The last tree without errors of each of the documents that were parsed last."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}

    def parse(self, path: str, grammar: Grammar, code: bytes) -> Tree:
        """The tree of `code`, the text of the document at `path` as its grammar reads it."""
        kept = self._kept.get(path)
        tree = None
        if kept is not None and kept.grammar is grammar:
            tree = kept.tree if kept.code == code else grammar.parse(code, _edited(kept, code))
        if tree is None or tree.root_node.has_error:
            tree = grammar.parse(code)
        if not tree.root_node.has_error:
            self._keep(path, _Kept(grammar, code, tree))
        return tree

    def _keep(self, path: str, kept: _Kept) -> None:
        self._kept.pop(path, None)
        self._kept[path] = kept
        size = sum(len(one.code) for one in self._kept.values())
        while len(self._kept) > MOST_DOCUMENTS or size > _MOST_BYTES:
            oldest = next(iter(self._kept))
            size -= len(self._kept.pop(oldest).code)


def _edited(kept: _Kept, new: bytes) -> Tree:
    """The kept tree, told which of its lines are others in the new text."""
    old = kept.code
    start, n_behind = _same_lines(old, new)
    old_end, new_end = len(old) - n_behind, len(new) - n_behind
    tree = kept.tree.copy()
    tree.edit(
        start, old_end, new_end, _point(old, start), _point(old, old_end), _point(new, new_end)
    )
    return tree


def _same_lines(old: bytes, new: bytes) -> tuple[int, int]:
    """Bytes of the whole lines that two texts have in common, at the start and at the end.

    Whole lines, because a parser looks ahead, and into the middle of no character.
    """
    limit = min(len(old), len(new))
    n_before = _longest(limit, lambda n: old.startswith(new[:n]))
    start = new.rfind(b"\n", 0, n_before) + 1
    n_after = _longest(limit - start, lambda n: old.endswith(new[len(new) - n :]))
    line_end = new.find(b"\n", len(new) - n_after)
    return start, 0 if line_end < 0 else len(new) - line_end - 1


def _longest(limit: int, is_same: Callable[[int], bool]) -> int:
    """The greatest n up to `limit` of which, as of all below it, `is_same` holds."""
    return bisect_left(range(1, limit + 1), True, key=lambda n: not is_same(n))


def _point(text: bytes, offset: int) -> tuple[int, int]:
    """The row and the column in bytes of an offset."""
    return text.count(b"\n", 0, offset), offset - text.rfind(b"\n", 0, offset) - 1
