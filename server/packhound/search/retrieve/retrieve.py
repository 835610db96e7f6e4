"""One query over one snapshot, measured: candidates and all that the signals look at."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, Mask, NodeIds, top_k, unique_sorted
from packhound.index.snapshot import Snapshot
from packhound.search.query.parse import ParsedQuery
from packhound.search.query.word_lists import STOP_WORDS
from packhound.search.retrieve.bm25 import match_terms, score_nodes, score_terms
from packhound.search.retrieve.candidates import Candidates, base_scores, choose, coherence, gather
from packhound.search.retrieve.corpus_stats import Corpus, centroid_lengths, facts_of
from packhound.search.signals.context import View
from packhound.text.tokenizer import fold_identifier, stem

NEAR = 256
"""Nodes nearest in meaning whose files become candidates."""
_MOST_NAMES = 60
_MOST_OWNED = 200
_WORD = re.compile(r"[^\W_]+")


def measure(
    snapshot: Snapshot,
    query: ParsedQuery,
    vector: Floats | None,
    allowed: Mask | None = None,
    *,
    title_vector: Floats | None = None,
    code_vector: Floats | None = None,
    budget: int = 400,
    only: NodeIds | None = None,
) -> View:
    """Measure `query`; `vector` is its embedding, None to search by words alone.

    `allowed` is the mask of node ids that the filters leave. `only` are file ids to look at instead
    of the best ones.
    """
    corpus = facts_of(snapshot)
    # Below the size where a graph pays, one scan serves the neighbours and the signals. It comes
    # first, since it leaves nothing else in the processor's cache.
    scan = vector is not None and only is None and snapshot.vectors.graph is None
    cosines = snapshot.similarities(vector) if vector is not None and scan else None
    words = match_terms(snapshot, corpus, query.terms, query.weights)
    matched = words.matched if allowed is None else words.matched[allowed[words.matched]]
    best, total = coherence(snapshot, words.node, matched)
    base = base_scores(best, total, corpus, query)
    bearers = [snapshot.node_ids_named(name) for name in query.names[:_MOST_NAMES]]
    exact, any_case = _joined(bearers), _named_folded(snapshot, query.names[:_MOST_NAMES])
    if only is None:
        near = _near(snapshot, vector, cosines, allowed)
        named = (_allowed(exact, allowed), _allowed(any_case, allowed))
        candidates = choose(snapshot, corpus, base, near, named, allowed, budget)
    else:
        candidates = gather(snapshot, corpus, only, allowed, truncated=False)
    node_ids, files = candidates.node_ids, candidates.files
    similarity = (
        _likeness(snapshot, vector, node_ids) if cosines is None else cosines.take(node_ids)
    )
    title = _likeness(snapshot, title_vector, node_ids)
    return View(
        query=query,
        snapshot=snapshot,
        corpus=corpus,
        candidates=candidates,
        lexical=score_terms(snapshot, corpus, candidates, words),
        compounds=score_nodes(snapshot, corpus, candidates, compound_terms(query)),
        kinds=snapshot.kind_of.take(node_ids).astype(np.intp),
        best=best.take(files),
        total=total.take(files),
        base=base.take(files),
        named=candidates.marked(exact),
        named_folded=candidates.marked(any_case),
        owned=candidates.marked(_owned(snapshot, query.qualified)),
        similarity=similarity,
        title_similarity=title,
        code_similarity=(
            title if code_vector is title_vector else _likeness(snapshot, code_vector, node_ids)
        ),
        mentioned=_mentions(snapshot, query, bearers)[node_ids] if query.kind == "report" else None,
        framed=_framed(snapshot, query)[node_ids] if query.frames else None,
        centroid=_centroids(snapshot, corpus, candidates, similarity),
    )


def _likeness(
    snapshot: Snapshot, vector: Floats | None, node_ids: NDArray[np.intp]
) -> Floats | None:
    return None if vector is None else snapshot.similarities(vector, node_ids)


def _mentions(snapshot: Snapshot, query: ParsedQuery, bearers: Iterable[NodeIds]) -> Floats:
    """Per node id, how strongly a report mentions its name; names that many nodes bear say less."""
    found = np.zeros(snapshot.n_node_ids, np.float32)
    for node_ids, weight in zip(bearers, query.name_weights, strict=True):
        found[node_ids] += np.float32(weight / (1 + np.log1p(len(node_ids))))
    return found


def _framed(snapshot: Snapshot, query: ParsedQuery) -> Floats:
    """Per node id, how near the innermost frame of a stack trace it is; 0 where it is in none."""
    found = np.zeros(snapshot.n_node_ids, np.float32)
    for place, frame in enumerate(query.frames):
        for node_id in snapshot.node_ids_named(frame.function)[:_MOST_OWNED].tolist():
            path = snapshot.paths[snapshot.file_of[node_id]]
            below = path.split("/", 1)[-1]
            if f"/{frame.path}".endswith(f"/{below}") or path.endswith(f"/{frame.path}"):
                found[node_id] = max(found[node_id], np.float32(1 / (1 + place)))
    return found


def compound_terms(query: ParsedQuery) -> tuple[str, ...]:
    """Neighbouring words of the query, joined as an identifier would join them."""
    if query.kind == "symbol":
        return ()
    words = [word.lower() for word in _WORD.findall(query.title)]
    joined: dict[str, None] = {}
    for left, right in pairwise(words):
        if not {left, right} & STOP_WORDS:
            for last in dict.fromkeys((right, stem(right), right.removesuffix("s"))):
                joined[fold_identifier(left + last)] = None
                joined[stem(left + last)] = None
    known = set(query.terms)
    return tuple(term for term in joined if term not in known)


def _near(
    snapshot: Snapshot, vector: Floats | None, cosines: Floats | None, allowed: Mask | None
) -> NodeIds:
    """Node ids by falling cosine, ties by node id."""
    if vector is None or not vector.any():
        return np.zeros(0, np.int32)
    if cosines is None:
        node_ids, found = snapshot.nearest(vector, NEAR, allowed)
        return node_ids[found > 0]
    if allowed is not None:
        cosines = np.where(allowed, cosines, np.float32(0))
    node_ids = top_k(cosines, NEAR, 1e-6).astype(np.int32)
    return node_ids[np.argsort(-cosines.take(node_ids), kind="stable")][:NEAR]


def _named_folded(snapshot: Snapshot, names: Iterable[str]) -> NodeIds:
    """Node ids that bear one of `names` in any letter case."""
    folded = dict.fromkeys(name.lower() for name in names)
    return _joined([snapshot.node_ids_named_folded(name) for name in folded])


def _allowed(node_ids: NodeIds, allowed: Mask | None) -> NodeIds:
    return node_ids if allowed is None else node_ids[allowed[node_ids]]


def _owned(snapshot: Snapshot, qualified: Iterable[tuple[str, ...]]) -> NodeIds:
    """Node ids of qualified names whose owner is the one that the query gives."""
    found: list[int] = []
    for parts in qualified:
        owner = parts[-2].lower()
        for node_id in snapshot.node_ids_named_folded(parts[-1].lower())[:_MOST_OWNED].tolist():
            entry, position = snapshot.locate(node_id)
            owners = re.split(r"\W+", entry.qualname(position).lower())[:-1]
            if owner in owners or owner in re.split(r"[\W_]+", entry.path.lower()):
                found.append(node_id)
    return np.array(found, np.int32)


def _centroids(
    snapshot: Snapshot, corpus: Corpus, candidates: Candidates, similarity: Floats | None
) -> Floats | None:
    """Cosine of the query with the mean vector of each candidate file."""
    if similarity is None or not len(candidates):
        return None
    lengths = centroid_lengths(snapshot, corpus, candidates.files)
    cosines: Floats = candidates.total(similarity) / np.maximum(lengths, np.float32(1e-3))
    return cosines


def _joined(node_ids: list[NodeIds]) -> NodeIds:
    return unique_sorted(np.concatenate([np.zeros(0, np.int32), *node_ids]))
