"""The first stage: the candidates of a query, by words, by meaning and by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import NO_NODE_IDS, Floats, Mask, NodeIds, top_k
from packhound.core.trace import traced
from packhound.index import Snapshot
from packhound.search.query.parse import ParsedQuery
from packhound.search.retrieve.bm25 import QueryMatches, match_terms
from packhound.search.retrieve.candidates import Candidates, gather
from packhound.search.retrieve.choose import (
    TopK,
    best_nodes,
    choose_files,
    choose_nodes,
    max_and_sum_by_file,
    score_files,
)
from packhound.search.retrieve.corpus_stats import CorpusStats
from packhound.search.retrieve.name_matches import nodes_by_folded_name, nodes_by_name, union

Ids = TypeVar("Ids", bound=np.integer[Any])

_N_NEAREST = 256
"""Nodes nearest in meaning whose files become candidates where files are ranked."""


@dataclass(frozen=True, slots=True, eq=False)
class Retrieval:
    """The candidates of a query, and what was computed for all nodes and files to choose them.

    `file_nodes` are all nodes of the candidates' files that pass the filters, from which signals of
    files are computed.

    `file_best` and `file_sum` are of the BM25F of each file id's nodes, `file_scores` is the first
    lexical score. `named` are the node ids of each name of the query letter for letter, `named_any`
    those of all names, `named_folded` in any letter case. `cosines` are of all node ids, None
    without a query vector and where the index is large enough for a graph.
    """

    candidates: Candidates
    file_nodes: Candidates
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
    limits: TopK | None = None,
    *,
    budget: int = 400,
) -> Retrieval:
    """Retrieve the candidates of a query.

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
    file_best, file_sum = max_and_sum_by_file(snapshot, matches.node_scores, matched)
    file_scores = score_files(file_best, file_sum, stats, query)
    n_nearest = limits.meaning if limits else _N_NEAREST
    nearest = _nearest(snapshot, stats, vector, cosines, allowed, n_nearest)
    named = nodes_by_name(snapshot, query.names)
    named_any, named_folded = union(named), nodes_by_folded_name(snapshot, query.names)
    printers = np.fromiter(query.printers, np.int32, len(query.printers))
    exact = np.fromiter(query.exact_matches, np.int32, len(query.exact_matches))
    sources = (exact, printers, named_any, named_folded)
    names = tuple(_filter(node_ids, allowed) for node_ids in sources)
    if limits is None:
        candidates = choose_files(snapshot, stats, file_scores, nearest, names, allowed, budget)
        file_nodes = candidates
    else:
        candidates = choose_nodes(
            snapshot, stats, query, matches.node_scores, matched, nearest, names, limits, budget
        )
        file_nodes = gather(snapshot, stats, candidates.files, allowed)
    return Retrieval(
        candidates=candidates,
        file_nodes=file_nodes,
        matches=matches,
        file_best=file_best,
        file_sum=file_sum,
        file_scores=file_scores,
        named=named,
        named_any=named_any,
        named_folded=named_folded,
        cosines=cosines,
    )


@traced("by meaning")
def _nearest(
    snapshot: Snapshot,
    stats: CorpusStats,
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
    node_ids = best_nodes(snapshot, stats, likely, cosines.take(likely), k).astype(np.int32)
    falling = -cosines.take(node_ids)
    order = np.argsort(falling, kind="stable")
    if not np.diff(falling[order]).all():
        places = [snapshot.locate(node_id) for node_id in node_ids.tolist()]
        keys = [(entry.path, position) for entry, position in places]
        order = np.array(sorted(range(len(keys)), key=lambda i: (falling[i], *keys[i])), np.intp)
    return node_ids[order]


def _filter(node_ids: NDArray[Ids], allowed: Mask | None) -> NDArray[Ids]:
    return node_ids if allowed is None else node_ids[allowed[node_ids]]
