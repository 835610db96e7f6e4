"""Masks of the node ids that pass a query's filters, which apply before anything is ranked."""

from __future__ import annotations

import time

import numpy as np

from packhound.core.arrays import Mask
from packhound.core.types import KINDS
from packhound.files import compile_globs
from packhound.git import History
from packhound.index import FileEntry, Snapshot
from packhound.search.query.parse import ParsedQuery
from packhound.search.retrieve.corpus_stats import CorpusStats
from packhound.text import FLAGS, terms


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
        masks += [nodes_with(snapshot, words) for words in query.exact]
    node_id_sets = (query.within, query.phrase_nodes)
    masks += [_mask_of(snapshot, node_ids) for node_ids in node_id_sets if node_ids is not None]
    if not masks:
        return None
    allowed: Mask = np.logical_and.reduce([snapshot.live, *masks])
    return allowed


def _files_allowed(snapshot: Snapshot, query: ParsedQuery) -> Mask:
    allowed = np.zeros(snapshot.n_file_ids, np.bool_)
    included = compile_globs(query.globs).fullmatch
    excluded = compile_globs(query.excluded_globs).fullmatch
    for entry in snapshot.files.values():
        allowed[entry.file_id] = (
            (not query.languages or entry.language.lower() in query.languages)
            and (not query.globs or included(entry.path) is not None)
            and not (query.excluded_globs and excluded(entry.path))
            and (not query.scope.is_dated or query.scope.holds_date(_date_of(entry, query.history)))
        )
    return allowed


def _date_of(entry: FileEntry, history: History | None) -> float:
    """Return when a file was changed last, by git or else by the disk; now for an open editor."""
    if entry.stamp and history and (committed_at := history.changed_at(entry.path)):
        return committed_at
    return entry.stamp.mtime_ns / 1e9 if entry.stamp else time.time()


def _mask_of(snapshot: Snapshot, node_ids: frozenset[int]) -> Mask:
    mask = np.zeros(snapshot.n_node_ids, np.bool_)
    mask[np.fromiter(node_ids, np.intp, len(node_ids))] = True
    return mask


def nodes_with(snapshot: Snapshot, words: str) -> Mask:
    """Return the mask of the nodes with all of `words`, in any order."""
    mask: Mask = snapshot.live.copy()
    for term in dict.fromkeys(terms(words)):
        has = np.zeros(snapshot.n_node_ids, np.bool_)
        has[snapshot.postings(term).node_ids] = True
        mask &= has
    return mask
