"""The first stage: the candidates of a query, by words, by meaning and by name."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import NO_NODE_IDS, Floats, Mask, NodeIds, top_k
from packhound.index import Snapshot
from packhound.search.query.parse import ParsedQuery
from packhound.search.retrieve.bm25 import QueryMatches, match_terms
from packhound.search.retrieve.candidates import (
    Candidates,
    TopK,
    choose,
    max_and_sum_by_file,
    score_files,
)
from packhound.search.retrieve.corpus_stats import CorpusStats
from packhound.search.retrieve.name_matches import nodes_by_folded_name, nodes_by_name, union

Ids = TypeVar("Ids", bound=np.integer[Any])

N_NEAREST = 256
"""Nodes nearest in meaning whose files become candidates, at least."""
_NEAREST_PER_FILE = 6.4
_TOP_K = TopK()


@dataclass(frozen=True, slots=True, eq=False)
class Retrieval:
    """The candidates of a query, and what was computed for all nodes and files to choose them.

    `file_best` and `file_sum` are of the BM25F of each file id's nodes, `file_scores` is the first
    lexical score. `named` are the node ids of each name of the query letter for letter, `named_any`
    those of all names, `named_folded` in any letter case. `cosines` are of all node ids, None
    without a query vector and where the index is large enough for a graph.
    """

    candidates: Candidates
    matches: QueryMatches
    file_best: Floats
    file_sum: Floats
    file_scores: Floats
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
    limits: TopK = _TOP_K,
    *,
    budget: int = 400,
) -> Retrieval:
    """Retrieve the candidates of a query.

    `vector` is its embedding, None for words alone, `allowed` the mask of node ids that pass its
    filters, None for all, `limits` the files of each source, `budget` four times the most files.
    """
    # Below the size where a graph pays, one scan serves neighbours and signals. It comes first,
    # since it evicts everything else from the processor's cache.
    is_scan = vector is not None and snapshot.vectors.graph is None
    cosines = snapshot.similarities(vector) if vector is not None and is_scan else None
    matches = match_terms(snapshot, stats, query.terms, query.weights)
    file_best, file_sum = max_and_sum_by_file(
        snapshot, matches.node_scores, _filter(matches.matched, allowed)
    )
    file_scores = score_files(file_best, file_sum, stats, query)
    nearest = _nearest(snapshot, vector, cosines, allowed, limits.meaning)
    named = nodes_by_name(snapshot, query.names)
    named_any, named_folded = union(named), nodes_by_folded_name(snapshot, query.names)
    printers = np.fromiter(query.printers, np.int32, len(query.printers))
    names = tuple(_filter(node_ids, allowed) for node_ids in (printers, named_any, named_folded))
    candidates = choose(snapshot, stats, file_scores, nearest, names, allowed, limits, budget)
    return Retrieval(
        candidates=candidates,
        matches=matches,
        file_best=file_best,
        file_sum=file_sum,
        file_scores=file_scores,
        named=named,
        named_any=named_any,
        named_folded=named_folded,
        cosines=cosines,
    )


def _nearest(
    snapshot: Snapshot,
    vector: Floats | None,
    cosines: Floats | None,
    allowed: Mask | None,
    n_files: int,
) -> NodeIds:
    """Return node ids by falling cosine, ties by node id."""
    if vector is None or not vector.any() or not n_files:
        return NO_NODE_IDS
    k = max(N_NEAREST, ceil(_NEAREST_PER_FILE * n_files))
    if cosines is None:
        node_ids, nearest_cosines = snapshot.nearest(vector, k, allowed)
        return node_ids[nearest_cosines > 0]
    if allowed is not None:
        cosines = np.where(allowed, cosines, np.float32(0))
    node_ids = top_k(cosines, k, 1e-6).astype(np.int32)
    return node_ids[np.argsort(-cosines.take(node_ids), kind="stable")][:k]


def _filter(node_ids: NDArray[Ids], allowed: Mask | None) -> NDArray[Ids]:
    return node_ids if allowed is None else node_ids[allowed[node_ids]]
