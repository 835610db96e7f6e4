"""Filters that read texts: regular expressions, and quoted words as phrases."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from packhound.core.errors import SettingsError
from packhound.core.trace import traced
from packhound.grep import StructureSearch
from packhound.index import Snapshot
from packhound.search.query.filters import nodes_with
from packhound.search.query.parse import ParsedQuery


class TextSearch(StructureSearch, Protocol):
    """Search in the texts that a snapshot was made from."""

    def lines_by_node(self, snapshot: Snapshot, regex: str) -> Mapping[int, Sequence[int]]:
        """Return the matching lines by the node id that holds them. Raises SettingsError."""

    def nodes_with_phrase(
        self, snapshot: Snapshot, words: str, paths: Collection[str]
    ) -> frozenset[int]:
        """Return the node ids in some files that have a phrase."""

    def nodes_with_text(
        self,
        snapshot: Snapshot,
        text: str,
        paths: Sequence[str],
        most: int | None,
        most_read: int,
        *,
        is_cut: bool = False,
        ignore_case: bool = False,
    ) -> tuple[list[int] | None, list[int] | None]:
        """Return the node ids in some files that have a text, and that have it as a line.

        None for more than `most`, or unread.
        """

    def nodes_that_print(
        self, snapshot: Snapshot, message: str, node_ids: Iterable[int]
    ) -> Mapping[int, tuple[int, str]]:
        """Return those of some nodes that print a message: letters and line of the literal."""


@traced("text filters")
def filter_by_text(
    snapshot: Snapshot, query: ParsedQuery, texts: TextSearch | None, notes: list[str]
) -> tuple[ParsedQuery, Mapping[int, Sequence[int]]]:
    """Return the query with the node ids that pass, and the lines that the last regex matches.

    What does not filter is named in `notes`.
    """
    lines: Mapping[int, Sequence[int]] = {}
    if texts is None:
        return query, lines
    for regex in query.regexes:
        try:
            lines = texts.lines_by_node(snapshot, regex)
        except SettingsError as problem:
            notes.append(f"/{regex}/ is ignored: {problem}")
            continue
        node_ids = frozenset(lines)
        query = replace(query, within=node_ids if query.within is None else query.within & node_ids)
    phrase_nodes = None
    for words in query.exact:
        node_ids = texts.nodes_with_phrase(snapshot, words, [*_paths_with(snapshot, words)])
        if not node_ids and query.printers:
            notes.append(f'"{words}" is nowhere as written: code that prints it with other values')
            node_ids = frozenset(query.printers)
        if not node_ids:
            notes.append(f'"{words}" is nowhere as a phrase: its words may be apart')
            return query, lines
        phrase_nodes = node_ids if phrase_nodes is None else phrase_nodes & node_ids
    return replace(query, phrase_nodes=phrase_nodes), lines


def _paths_with(snapshot: Snapshot, words: str) -> Iterator[str]:
    """Yield the files that have all of `words` in one node."""
    file_ids = np.unique(snapshot.file_of[nodes_with(snapshot, words)])
    return map(snapshot.paths.__getitem__, file_ids.tolist())
