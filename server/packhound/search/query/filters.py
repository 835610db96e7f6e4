"""Masks of the node ids that pass a query's filters, which apply before anything is ranked."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from packhound.core.arrays import Mask, Positions, unique_sorted
from packhound.core.errors import SettingsError
from packhound.core.trace import traced
from packhound.core.types import KINDS, Note
from packhound.git import History
from packhound.grep import select
from packhound.index import FileEntry, Snapshot
from packhound.search.query.parse import ParsedQuery
from packhound.search.retrieve.corpus_stats import CorpusStats
from packhound.text import FLAGS

if TYPE_CHECKING:
    from packhound.grep import Grep


def allowed_node_ids(snapshot: Snapshot, stats: CorpusStats, query: ParsedQuery) -> Mask | None:
    """Return the mask of the node ids that pass all filters; None where the query has none."""
    masks: list[Mask] = []
    if query.kinds:
        kind_mask = np.array([kind in query.kinds for kind in KINDS], np.bool_)
        masks.append(kind_mask[snapshot.kind_of])
    if query.excluded_kinds:
        kind_mask = np.array([kind not in query.excluded_kinds for kind in KINDS], np.bool_)
        masks.append(kind_mask[snapshot.kind_of])
    if query.languages or query.globs or query.excluded_globs or query.scope.is_dated:
        masks.append(_files_allowed(snapshot, query)[snapshot.file_of])
    if query.tests != "last":
        is_test = stats.flags[FLAGS.index("is_test")].astype(np.bool_)
        in_tests = is_test[snapshot.file_of] | (snapshot.kind_of == KINDS.index("test"))
        masks.append(in_tests == (query.tests == "only"))
    if query.scope.tags:  # Code has none.
        masks.append(np.zeros(snapshot.n_node_ids, np.bool_))
    if query.phrase_nodes is None:
        masks += [_mask_of(snapshot, nodes_with(snapshot, words)) for words in query.exact]
    for node_ids in (query.within, query.phrase_nodes):
        if node_ids is not None:
            masks.append(_mask_of(snapshot, np.fromiter(node_ids, np.intp, len(node_ids))))
    if not masks:
        return None
    allowed: Mask = np.logical_and.reduce([snapshot.live, *masks])
    return allowed


def _files_allowed(snapshot: Snapshot, query: ParsedQuery) -> Mask:
    allowed = np.zeros(snapshot.n_file_ids, np.bool_)
    is_selected = select(query.globs, query.excluded_globs)
    for entry in snapshot.files.values():
        allowed[entry.file_id] = (
            (not query.languages or entry.language.lower() in query.languages)
            and is_selected(entry.path)
            and (not query.scope.is_dated or query.scope.holds_date(_date_of(entry, query.history)))
        )
    return allowed


def _date_of(entry: FileEntry, history: History | None) -> float:
    """Return when a file was changed last, by git or else by the disk; now for an open editor."""
    if entry.stamp and history and (committed_at := history.changed_at(entry.path)):
        return committed_at
    return entry.stamp.mtime_ns / 1e9 if entry.stamp else time.time()


def _mask_of(snapshot: Snapshot, node_ids: Positions) -> Mask:
    mask = np.zeros(snapshot.n_node_ids, np.bool_)
    mask[node_ids] = True
    return mask


def nodes_with(snapshot: Snapshot, words: str) -> Positions:
    """Return the nodes with all of `words`, in any order, ascending; all where it has no word."""
    wanted = dict.fromkeys(snapshot.terms_in(words))
    return snapshot.terms.with_all(wanted) if wanted else np.flatnonzero(snapshot.live)


@traced("text filters")
def filter_by_text(
    snapshot: Snapshot, query: ParsedQuery, texts: Grep | None, notes: list[Note]
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
    file_ids = unique_sorted(snapshot.file_of[nodes_with(snapshot, words)])
    return map(snapshot.paths.__getitem__, file_ids.tolist())
