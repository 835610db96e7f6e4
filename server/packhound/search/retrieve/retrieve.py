"""The first stage: the candidates of a query, by words, by meaning and by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import (
    NO_NODE_IDS,
    Floats,
    Ints,
    Mask,
    NodeIds,
    Positions,
    top_k,
    unique_sorted,
)
from packhound.core.settings import Settings
from packhound.core.trace import traced
from packhound.index import Snapshot
from packhound.search.kinds import KIND_RANK
from packhound.search.query.parse import ParsedQuery
from packhound.search.retrieve.bm25 import QueryMatches, match_terms
from packhound.search.retrieve.candidates import Candidates, gather, group_by_file
from packhound.search.retrieve.corpus_stats import CorpusStats

Ids = TypeVar("Ids", bound=np.integer[Any])

_MAX_NAMES = 60
_N_NEAREST = 256
"""Nodes nearest in meaning whose files become candidates where files are ranked."""
_TEST_FACTOR = np.float32(0.6)
_COHERENCE = 4.0
_REPORT_COHERENCE = 1.0
"""Boost of a file by the sum of its matching nodes: less for a report, of whose many words every
large file has some."""
_KIND_FACTOR = np.float32(1_000)
"""More than any BM25F, so that of many nodes of a name types are first, then functions."""


@dataclass(frozen=True, slots=True, eq=False)
class Retrieval:
    """The candidates of a query, and what was computed for all nodes to choose them.

    `file_nodes` are all nodes of the candidates' files that pass the filters, from which signals of
    files are computed.

    `named` are the node ids of each name of the query letter for letter, `named_any` those of all
    names, `named_folded` in any letter case. `cosines` are of all node ids, None without a query
    vector and where the index is large enough for a graph.
    """

    candidates: Candidates
    file_nodes: Candidates
    matches: QueryMatches
    named: tuple[NodeIds, ...]
    named_any: NodeIds
    named_folded: NodeIds
    cosines: Floats | None


def retrieve(
    snapshot: Snapshot,
    stats: CorpusStats,
    query: ParsedQuery,
    vector: Floats | None,
    allowed: Mask | None = None,
    limits: TopK | None = None,
    *,
    budget: int = 400,
    further: NodeIds = NO_NODE_IDS,
) -> Retrieval:
    """Retrieve the candidates of a query, `further` nodes among them where nodes are ranked.

    `vector` is its embedding, None for words alone, `allowed` the mask of node ids that pass its
    filters, None for all, `limits` the nodes of each source, None where files are ranked, `budget`
    the most nodes or four times the most files.
    """
    # Below the size where a graph pays, one scan serves neighbours and signals. It comes first,
    # since it evicts everything else from the processor's cache.
    is_scan = vector is not None and snapshot.vectors.graph is None
    cosines = snapshot.similarities(vector) if vector is not None and is_scan else None
    matches = match_terms(snapshot, stats, query.terms, query.weights)
    matched = _filter(matches.matched, allowed)
    n_nearest = limits.meaning if limits else _N_NEAREST
    nearest = _nearest(snapshot, vector, cosines, allowed, n_nearest)
    named, named_folded = _nodes_by_name(snapshot, query.names)
    named_any = _union(named)
    printers = np.fromiter(query.printers, np.int32, len(query.printers))
    exact = np.fromiter(query.exact_matches, np.int32, len(query.exact_matches))
    sources = (exact, printers, named_any, named_folded)
    names = tuple(_filter(node_ids, allowed) for node_ids in sources)
    if limits is None:
        best, sums = max_and_sum_by_file(snapshot, matches.node_scores, matched)
        file_scores = score_files(best, sums, stats.plain, query)
        candidates = choose_files(snapshot, file_scores, nearest, names, allowed, budget)
        file_nodes = candidates
    else:
        candidates = choose_nodes(
            *(snapshot, stats, query, matches.node_scores, matched, nearest, names),
            *(_filter(further, allowed), limits, budget),
        )
        file_nodes = gather(snapshot, candidates.files, allowed)
    return Retrieval(
        candidates=candidates,
        file_nodes=file_nodes,
        matches=matches,
        named=named,
        named_any=named_any,
        named_folded=named_folded,
        cosines=cosines,
    )


@traced("by meaning")
def _nearest(
    snapshot: Snapshot,
    vector: Floats | None,
    cosines: Floats | None,
    allowed: Mask | None,
    k: int,
) -> NodeIds:
    """Return k node ids by falling cosine, ties by path and start."""
    if vector is None or not vector.any() or not k:
        return NO_NODE_IDS
    if cosines is None:
        node_ids, nearest_cosines = snapshot.nearest(vector, k, allowed)
        return node_ids[nearest_cosines > 0]
    if allowed is not None:
        cosines = np.where(allowed, cosines, np.float32(0))
    likely = top_k(cosines, k, 1e-6)
    node_ids = best_nodes(snapshot, likely, cosines.take(likely), k).astype(np.int32)
    falling = -cosines.take(node_ids)
    order = np.argsort(falling, kind="stable")
    if not np.diff(falling[order]).all():
        places = [snapshot.locate(node_id) for node_id in node_ids.tolist()]
        keys = [(entry.path, position) for entry, position in places]
        order = np.array(sorted(range(len(keys)), key=lambda i: (falling[i], *keys[i])), np.intp)
    return node_ids[order]


def _filter(node_ids: NDArray[Ids], allowed: Mask | None) -> NDArray[Ids]:
    return node_ids if allowed is None else node_ids[allowed[node_ids]]


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


def score_files(best: Floats, sums: Floats, plain: Mask, query: ParsedQuery) -> Floats:
    """Return a first lexical score of files: the best node, boosted by how many others match.

    Of each file are given the `best` and the sum of its nodes' scores, and if it is `plain`.
    """
    coherence = _REPORT_COHERENCE if query.kind == "report" else _COHERENCE
    scores = best + np.float32(coherence) * np.log1p(sums)
    return _lower_tests(scores, plain, query)


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
    further: NodeIds,
    limits: TopK,
    budget: int,
) -> Candidates:
    """Choose the best nodes by words, by meaning and by name, `budget` of them, and all `further`.

    `node_scores` is BM25F by node id, `matched` the node ids with a word; `nearest` and `named` are
    as for `choose_files`.
    """

    def best(node_ids: NDArray[np.integer[Any]], scores: Floats, k: int) -> NodeIds:
        # Lowered or not, none below this is among the k best.
        least = scores.take(top_k(scores, k)).min(initial=np.inf) * _TEST_FACTOR
        likely = np.flatnonzero(scores >= least)
        node_ids, scores = node_ids.take(likely), scores.take(likely)
        plain = stats.plain.take(snapshot.file_of.take(node_ids))
        lowered = _lower_tests(scores, plain, query)
        return best_nodes(snapshot, node_ids, lowered, k).astype(np.int32)

    k = limits.within(budget)
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
    truncated = k != limits and any(n > limit for n, limit in zip(n_available, k, strict=True))
    chosen = unique_sorted(np.concatenate((by_words, nearest[: k.meaning], by_name, further)))
    return group_by_file(snapshot, chosen, truncated=truncated)


def choose_files(
    snapshot: Snapshot,
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
    return gather(snapshot, files, allowed, truncated=truncated)


def best_nodes(
    snapshot: Snapshot, node_ids: NDArray[np.integer[Any]], scores: Floats, k: int
) -> NDArray[np.integer[Any]]:
    """Return the k of some node ids with the largest scores; of equals the first by path and start.

    Node ids tell in which order nodes were indexed, which must not show.
    """
    best = top_k(scores, k)
    if len(best) <= k:
        return node_ids.take(best)
    best_scores = scores.take(best)
    is_tied = best_scores == best_scores.min()
    above, tied = node_ids.take(best[~is_tied]), node_ids.take(best[is_tied])
    mask = np.zeros(snapshot.n_node_ids, np.bool_)
    mask[tied] = True
    files = unique_sorted(snapshot.file_of.take(tied)).tolist()
    for path in sorted(snapshot.paths[file_id] for file_id in files):
        if len(above) < k:
            node_ids = snapshot.files[path].node_ids
            above = np.concatenate((above, node_ids[mask[node_ids]]))
    chosen: NDArray[np.integer[Any]] = above[:k]
    return chosen


def _best_files(
    files: NDArray[np.integer[Any]], scores: Floats, k: int, paths: Sequence[str]
) -> Ints:
    """Return the k of some files with the largest scores, by falling score, then by path.

    File ids tell in which order files were indexed, which must not show.
    """
    best = files.take(top_k(scores.take(files), k))
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


@traced("by name")
def _nodes_by_name(snapshot: Snapshot, names: Sequence[str]) -> tuple[tuple[NodeIds, ...], NodeIds]:
    """Return the node ids of each name, letter for letter, and those of all in any letter case."""
    named = tuple(snapshot.node_ids_named(name) for name in names[:_MAX_NAMES])
    folded = dict.fromkeys(name.lower() for name in names[:_MAX_NAMES])
    return named, _union(map(snapshot.node_ids_named_folded, folded))


def _union(groups: Iterable[NodeIds]) -> NodeIds:
    """Return the distinct node ids of all groups, ascending."""
    return unique_sorted(np.concatenate([NO_NODE_IDS, *groups]))
