"""LRU cache of syntax trees, so that an edit costs a parse of the lines it changed.

Only trees without errors are cached, and an incremental parse counts only if its tree has none:
then it is the tree that the text alone gives, as a test asserts in every language. Error recovery
depends on the old tree, so a text with errors is parsed from scratch.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Tree

    from packhound.parsing.grammar import Grammar

MOST_DOCUMENTS = 4
"""More than anyone edits at once."""

_MAX_BYTES = 800_000
"""Of all texts together; a tree takes some 20 times the size of its text, at worst 200 times."""


@dataclass(frozen=True, slots=True)
class _Entry:
    grammar: Grammar
    code: bytes
    tree: Tree


class TreeCache:
    """The last error-free tree of each of the documents that were parsed last."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}

    @property
    def paths(self) -> tuple[str, ...]:
        """The cached documents, least recently used first."""
        return tuple(self._entries)

    def parse(self, path: str, grammar: Grammar, code: bytes) -> Tree:
        """Parse `code`, the preprocessed text of the document at `path`."""
        entry = self._entries.get(path)
        tree = None
        if entry is not None and entry.grammar is grammar:
            tree = entry.tree if entry.code == code else grammar.parse(code, _edit(entry, code))
        if tree is None or tree.root_node.has_error:
            tree = grammar.parse(code)
        if not tree.root_node.has_error:
            self._put(path, _Entry(grammar, code, tree))
        return tree

    def _put(self, path: str, entry: _Entry) -> None:
        self._entries.pop(path, None)
        self._entries[path] = entry
        size = sum(len(cached.code) for cached in self._entries.values())
        while len(self._entries) > MOST_DOCUMENTS or size > _MAX_BYTES:
            oldest = next(iter(self._entries))
            size -= len(self._entries.pop(oldest).code)


def _edit(entry: _Entry, new: bytes) -> Tree:
    """Return a copy of the cached tree with the edit to the new text applied."""
    old = entry.code
    start, n_tail = _common_lines(old, new)
    old_end, new_end = len(old) - n_tail, len(new) - n_tail
    tree = entry.tree.copy()
    tree.edit(
        start, old_end, new_end, _point(old, start), _point(old, old_end), _point(new, new_end)
    )
    return tree


def _common_lines(old: bytes, new: bytes) -> tuple[int, int]:
    """Return the bytes of the whole lines that two texts share, at the start and at the end.

    Whole lines, because a parser looks ahead, and an edit must not split a character.
    """
    limit = min(len(old), len(new))
    lengths = range(1, limit + 1)
    n_before = bisect_left(lengths, True, key=lambda n: not old.startswith(new[:n]))
    start = new.rfind(b"\n", 0, n_before) + 1
    lengths = range(1, limit - start + 1)
    n_after = bisect_left(lengths, True, key=lambda n: not old.endswith(new[len(new) - n :]))
    line_end = new.find(b"\n", len(new) - n_after)
    return start, 0 if line_end < 0 else len(new) - line_end - 1


def _point(text: bytes, offset: int) -> tuple[int, int]:
    """Return the row and the column in bytes of an offset."""
    return text.count(b"\n", 0, offset), offset - text.rfind(b"\n", 0, offset) - 1
