"""Lexical scores: BM25F of all nodes for retrieval, and of candidates by field and by file.

Scores are sums over the query's terms in their order, by the same operations whatever segments
the snapshot has, so equal texts have equal scores to the last bit. Robertson and Zaragoza (2009),
"The Probabilistic Relevance Framework: BM25 and Beyond".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, Positions, unique_sorted
from packhound.core.trace import traced
from packhound.index import Snapshot
from packhound.search.retrieve.candidates import Candidates, gather
from packhound.search.retrieve.corpus_stats import CorpusStats
from packhound.search.retrieve.term_matches import FIELDS_SCORED, SparseCounts, TermMatch


@dataclass(frozen=True, slots=True, eq=False)
class QueryMatches:
    """The terms of a query in a whole snapshot.

    `weights` and `idfs` (times weight) belong to the terms. `node_ids` are those of each term, one
    term after the other, with its idf at each in `node_idfs`. `node_scores` is BM25F per node id,
    `matched` are the node ids with any term.
    """

    terms: tuple[TermMatch, ...]
    weights: tuple[float, ...]
    idfs: tuple[float, ...]
    node_ids: Positions
    node_idfs: Floats
    node_scores: Floats
    matched: Positions


@dataclass(frozen=True, slots=True, eq=False)
class LexicalScores:
    """Lexical scores of one query at its candidates.

    Per node: `node` is BM25F, `name`, `signature` and `doc` are BM25 of one field, `covered` is
    the share of the query's weight (idf) whose terms the node has. Per file, `file_covered` is the
    share of the query's weight that the file has. `idfs` are the weights of the terms.
    """

    node: Floats
    name: Floats
    signature: Floats
    doc: Floats
    covered: Floats
    file_covered: Floats
    idfs: tuple[float, ...]

    def at(self, rows: NDArray[np.integer[Any]]) -> LexicalScores:
        """Return the same for some of the nodes."""
        by_node = ("node", "name", "signature", "doc", "covered")
        return replace(self, **{field: getattr(self, field).take(rows) for field in by_node})


@traced("by words")
def match_terms(
    snapshot: Snapshot, stats: CorpusStats, terms: Sequence[str], weights: Sequence[float]
) -> QueryMatches:
    """Look weighted terms up and score every node of the snapshot by them."""
    matches = tuple(stats.term_matches.lookup(snapshot, terms))
    idfs = tuple(weight * match.idf for match, weight in zip(matches, weights, strict=True))
    node_ids, saturations = _concatenate([match.nodes for match in matches])
    node_idfs = _repeat_by_node(matches, idfs)
    scores = np.zeros(snapshot.n_node_ids, np.float32)
    # This adds one after the other, in the order of the terms.
    np.add.at(scores, node_ids, node_idfs * saturations)
    matched = np.flatnonzero(scores > 0)
    return QueryMatches(matches, tuple(weights), idfs, node_ids, node_idfs, scores, matched)


def score_nodes(
    snapshot: Snapshot, stats: CorpusStats, candidates: Candidates, terms: Iterable[str]
) -> Floats:
    """Return BM25F alone, per candidate node."""
    matches = stats.term_matches.lookup(snapshot, terms)
    node_ids, saturations = _concatenate([match.nodes for match in matches])
    rows, positions = candidates.locate(node_ids)
    idfs = _repeat_by_node(matches, [match.idf for match in matches])
    scores = np.zeros(len(candidates), np.float32)
    np.add.at(scores, positions, (idfs * saturations).take(rows))
    return scores


def score_terms(
    snapshot: Snapshot, stats: CorpusStats, candidates: Candidates, matches: QueryMatches
) -> LexicalScores:
    """Return all lexical scores of the candidates."""
    total_idf = np.float32(sum(matches.idfs) or 1.0)
    k1 = stats.term_matches.bm25.k1
    by_field = _score_fields(candidates, matches, k1)
    rows, positions = candidates.locate(matches.node_ids)
    covered = np.zeros(len(candidates), np.float32)
    np.add.at(covered, positions, matches.node_idfs.take(rows))
    file_covered = _sum_idfs_in_files(snapshot, candidates, matches, rows, positions)
    return LexicalScores(
        node=matches.node_scores.take(candidates.node_ids),
        name=by_field[0],
        signature=by_field[1],
        doc=by_field[2],
        covered=covered / total_idf,
        file_covered=file_covered / total_idf,
        idfs=matches.idfs,
    )


def _repeat_by_node(terms: Sequence[TermMatch], values: Sequence[float]) -> Floats:
    """Repeat the value of each term for each node that has it."""
    return np.repeat(_floats(values), [len(match.nodes[0]) for match in terms])


def _score_fields(candidates: Candidates, matches: QueryMatches, k1: float) -> Floats:
    """Return BM25 of each field of `FIELDS_SCORED`, [fields, nodes]."""
    terms, n = matches.terms, len(candidates)
    node_ids, frequencies = _concatenate([match.field_hits for match in terms])
    rows, positions = candidates.locate(node_ids)
    sizes = [size for match in terms for size in match.field_counts]
    idfs = _floats(
        [w * idf for m, w in zip(terms, matches.weights, strict=True) for idf in m.field_idfs]
    )
    # One flat array for all fields: the cells of a field are n after those of the one before.
    field_starts = np.tile(n * np.arange(len(FIELDS_SCORED)), len(terms))
    cells = np.repeat(field_starts, sizes).take(rows) + positions
    tf = frequencies.take(rows)
    scores = np.zeros(n * len(FIELDS_SCORED), np.float32)
    np.add.at(scores, cells, np.repeat(idfs, sizes).take(rows) * (tf / (tf + np.float32(k1))))
    return scores.reshape(len(FIELDS_SCORED), n)


def _sum_idfs_in_files(
    snapshot: Snapshot,
    candidates: Candidates,
    matches: QueryMatches,
    rows: Positions,
    positions: Positions,
) -> Floats:
    """Sum the idfs of the terms that each candidate file has, inside or in its path.

    `rows` of the terms' node ids are candidates, at these `positions`.
    """
    n_files = len(candidates.files)
    if len(candidates) < sum(len(entry.node_ids) for entry in candidates.entries):
        # Nodes that pass no filter count too.
        candidates = gather(snapshot, candidates.files, None)
        rows, positions = candidates.locate(matches.node_ids)
    n_nodes = [len(match.nodes[0]) for match in matches.terms]
    term_of_row = np.cumsum(n_nodes).searchsorted(rows, side="right")
    pairs = unique_sorted(term_of_row * n_files + candidates.owner.take(positions))
    terms, files = np.divmod(pairs, max(1, n_files))
    sums = np.zeros(n_files, np.float32)
    np.add.at(sums, files, _floats(matches.idfs).take(terms))
    return sums


def _concatenate(sparse: Sequence[SparseCounts]) -> tuple[Positions, Floats]:
    ids, values = zip(*sparse, strict=True) if sparse else ((), ())
    # Ids of this type index arrays without a copy.
    return (
        np.concatenate([_NO_IDS, *ids], dtype=np.intp),
        np.concatenate([_NO_FLOATS, *values]),
    )


_NO_IDS, _NO_FLOATS = np.zeros(0, np.int32), np.zeros(0, np.float32)


def _floats(values: Sequence[float]) -> Floats:
    return np.array(values, np.float32)
