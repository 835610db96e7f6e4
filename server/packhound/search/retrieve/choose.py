"""Choice of candidates: the best nodes of all by words, meaning and name, or the best files'."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import (
    NO_NODE_IDS,
    Floats,
    Ints,
    Mask,
    NodeIds,
    Positions,
    unique_sorted,
)
from packhound.core.arrays import (
    top_k as best_k,
)
from packhound.core.settings import Settings
from packhound.index import Snapshot
from packhound.search.kinds import KIND_RANK
from packhound.search.query.parse import ParsedQuery
from packhound.search.retrieve.candidates import Candidates, gather, group_by_file
from packhound.search.retrieve.corpus_stats import CorpusStats

_TEST_FACTOR = np.float32(0.6)
_COHERENCE = 4.0
_REPORT_COHERENCE = 1.0
"""Boost of a file by the sum of its matching nodes: less for a report, of whose many words every
large file has some."""
_KIND_FACTOR = np.float32(1_000)
"""More than any BM25F, so that of many nodes of a name types are first, then functions."""


class TopK(NamedTuple):
    """Maximum of candidates of each source."""

    words: int
    meaning: int
    names: int

    @classmethod
    def of(cls, settings: Settings) -> TopK:
        """Return the nodes of each source by the settings."""
        return cls(settings.words.top_k, settings.meaning.top_k, settings.names.top_k)

    def within(self, budget: int) -> TopK:
        """Return the same, all less by one factor where the sum is above a budget."""
        total = sum(self)
        return TopK(*(k * budget // total for k in self)) if total > budget else self


FILES = TopK(words=60, meaning=40, names=40)
"""Files of each source where files are ranked."""


def max_and_sum_by_file(
    snapshot: Snapshot, node_scores: Floats, matched: Positions
) -> tuple[Floats, Floats]:
    """Return the largest and the sum of the scores of every file id's matched nodes."""
    owners, scores = snapshot.file_of.take(matched), node_scores.take(matched)
    sums = np.bincount(owners, scores, snapshot.n_file_ids).astype(np.float32)
    best = np.zeros(snapshot.n_file_ids, np.float32)
    if len(owners):
        # Node ids of a file were mostly assigned in a row, so runs of one file are few.
        first = np.ones(len(owners), np.bool_)
        np.not_equal(owners[1:], owners[:-1], out=first[1:])
        starts = np.flatnonzero(first)
        np.maximum.at(best, owners.take(starts), np.maximum.reduceat(scores, starts))
    return best, sums


def score_files(best: Floats, sums: Floats, stats: CorpusStats, query: ParsedQuery) -> Floats:
    """Return a first lexical score per file id: its best node, boosted by how many others match."""
    coherence = _REPORT_COHERENCE if query.kind == "report" else _COHERENCE
    scores = best + np.float32(coherence) * np.log1p(sums)
    return _lower_tests(scores, stats.plain, query)


def _lower_tests(scores: Floats, plain: Mask, query: ParsedQuery) -> Floats:
    """Return scores, those of tests and examples lower unless the query asks for them."""
    if query.wants_tests or query.wants_examples:
        return scores
    return np.where(plain, scores, scores * _TEST_FACTOR)


def choose_nodes(
    snapshot: Snapshot,
    stats: CorpusStats,
    query: ParsedQuery,
    node_scores: Floats,
    matched: Positions,
    nearest: NodeIds,
    named: Sequence[NodeIds],
    top_k: TopK,
    budget: int,
) -> Candidates:
    """Choose the best nodes by words, by meaning and by name, `budget` of them at most.

    `node_scores` is BM25F by node id, `matched` the node ids with a word; `nearest` and `named` are
    as for `choose_files`.
    """

    def best(node_ids: NDArray[np.integer[Any]], scores: Floats, k: int) -> NodeIds:
        plain = stats.plain.take(snapshot.file_of.take(node_ids))
        lowered = _lower_tests(scores, plain, query)
        return best_nodes(snapshot, stats, node_ids, lowered, k).astype(np.int32)

    k = top_k.within(budget)
    by_words = best(matched, node_scores.take(matched), k.words)
    best_named = [
        best(
            ids,
            _KIND_FACTOR * KIND_RANK.take(snapshot.kind_of.take(ids)) + node_scores.take(ids),
            k.names,
        )
        for ids in named
        if len(ids)
    ]
    by_name = _first_distinct(np.concatenate([NO_NODE_IDS, *best_named]), k.names)
    n_available = (len(matched), len(nearest), max(map(len, named)))
    truncated = k != top_k and any(n > limit for n, limit in zip(n_available, k, strict=True))
    chosen = unique_sorted(np.concatenate((by_words, nearest[: k.meaning], by_name)))
    return group_by_file(snapshot, stats, chosen, truncated=truncated)


def choose_files(
    snapshot: Snapshot,
    stats: CorpusStats,
    file_scores: Floats,
    nearest: NodeIds,
    named: Sequence[NodeIds],
    allowed: Mask | None,
    budget: int,
) -> Candidates:
    """Choose the best files by words, by meaning and by name, with their allowed nodes.

    `nearest` are node ids by falling similarity, `named` those that print the query, then those
    that have a name of it letter for letter, then those that do in any letter case. `budget` is
    four times the maximum of files.
    """
    paths = snapshot.paths
    by_meaning = _first_distinct(snapshot.file_of[nearest], FILES.meaning)
    named_files = [unique_sorted(snapshot.file_of[node_ids]) for node_ids in named if len(node_ids)]
    best_named = [_best_files(files, file_scores, FILES.names, paths) for files in named_files]
    by_name = _first_distinct(np.concatenate([NO_NODE_IDS, *best_named]), FILES.names)
    by_words = _best_files(np.flatnonzero(file_scores > 0), file_scores, FILES.words, paths)
    files = unique_sorted(np.concatenate((by_words, by_meaning, by_name)))
    max_files = max(1, budget // 4)
    truncated = len(files) > max_files
    if truncated:
        by_turns = _interleave(by_words, by_meaning)
        files = np.sort(_first_distinct(np.concatenate((by_name, by_turns)), max_files))
    return gather(snapshot, stats, files, allowed, truncated=truncated)


def best_nodes(
    snapshot: Snapshot,
    stats: CorpusStats,
    node_ids: NDArray[np.integer[Any]],
    scores: Floats,
    k: int,
) -> NDArray[np.integer[Any]]:
    """Return the k of some node ids with the largest scores; of equals the first by path and start.

    Node ids tell in which order nodes were indexed, which must not show.
    """
    best = best_k(scores, k)
    if len(best) <= k:
        return node_ids.take(best)
    best_scores = scores.take(best)
    is_tied = best_scores == best_scores.min()
    above, tied = node_ids.take(best[~is_tied]), node_ids.take(best[is_tied])
    mask = np.zeros(snapshot.n_node_ids, np.bool_)
    mask[tied] = True
    files = unique_sorted(snapshot.file_of.take(tied)).tolist()
    for file_id in sorted(files, key=snapshot.paths.__getitem__):
        entry = stats.files[file_id]
        if len(above) < k and entry is not None:
            above = np.concatenate((above, entry.node_ids[mask[entry.node_ids]]))
    chosen: NDArray[np.integer[Any]] = above[:k]
    return chosen


def _best_files(
    files: NDArray[np.integer[Any]], scores: Floats, k: int, paths: Sequence[str]
) -> Ints:
    """Return the k of some files with the largest scores, by falling score, then by path.

    File ids tell in which order files were indexed, which must not show.
    """
    best = files.take(best_k(scores.take(files), k))
    file_ids = best.tolist()
    falling = (-scores[best]).tolist()
    ranked = sorted(zip(falling, map(paths.__getitem__, file_ids), file_ids, strict=True))
    return np.array([file_id for *_, file_id in ranked[:k]], np.int32)


def _interleave(first: Ints, second: Ints) -> Ints:
    """Return one of each in turn, then the rest of the longer."""
    n = min(len(first), len(second))
    paired = np.stack((first[:n], second[:n]), axis=1).ravel()
    return np.concatenate((paired, first[n:], second[n:]))


def _first_distinct(values: Ints, k: int) -> Ints:
    """Return the first k distinct values, in their order."""
    return np.array([*dict.fromkeys(values.tolist())][:k], np.int32)
