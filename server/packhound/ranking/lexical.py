"""Words of the query in the index: which nodes match, and the lexical scores of candidates.

Scores are sums over the query's terms in their order, by the same operations whatever segments
the snapshot has, so equal texts have equal scores to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packhound.index.snapshot import Snapshot
from packhound.ranking.candidates import Candidates
from packhound.ranking.facts import Corpus
from packhound.ranking.matches import DOC, K1, NAME, SIGNATURE, Match, Positions, idf_of

Floats = NDArray[np.float32]

_FILE_K1, _FILE_B = 2.0, 0.6


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """The terms of a query in a whole snapshot: `node` is BM25F per label.

    `matched` are the labels with any term, `weights` and `idfs` belong to the terms.
    """

    terms: tuple[Match, ...]
    weights: tuple[float, ...]
    idfs: tuple[float, ...]
    node: Floats
    matched: Positions


@dataclass(frozen=True, slots=True, eq=False)
class Lexical:
    """Lexical scores of one query at its candidates.

    Per node: `node` is BM25F, `name`, `signature` and `doc` are BM25 of one field, `covered` is
    the share of the query's weight (idf) whose terms the node has, `name_hits` the number of the
    query's terms in its name. Per file: `file` and `path` are BM25 of the whole file and of its
    path, `file_covered` is the share of the query's weight that the file has. `idfs` are the
    weights of the terms, `found` says whether any is in the index.
    """

    node: Floats
    name: Floats
    signature: Floats
    doc: Floats
    covered: Floats
    name_hits: Floats
    file: Floats
    path: Floats
    file_covered: Floats
    idfs: tuple[float, ...]
    found: bool


def match_terms(
    snapshot: Snapshot, corpus: Corpus, terms: Sequence[str], weights: Sequence[float]
) -> Matches:
    """Look weighed terms up and score every node of the snapshot by them."""
    found = tuple(corpus.matches.of(snapshot, term) for term in terms)
    idfs = tuple(weight * match.idf for match, weight in zip(found, weights, strict=True))
    node = np.zeros(snapshot.n_labels, np.float32)
    for match, idf in zip(found, idfs, strict=True):
        node[match.nodes] += np.float32(idf) * match.saturations
    return Matches(found, tuple(weights), idfs, node, np.flatnonzero(node > 0))


def score_nodes(
    snapshot: Snapshot, corpus: Corpus, candidates: Candidates, terms: Iterable[str]
) -> Floats:
    """BM25F alone, per candidate node."""
    node = np.zeros(len(candidates), np.float32)
    for term in terms:
        match = corpus.matches.of(snapshot, term)
        here, at = candidates.among(match.nodes)
        node[at] += np.float32(match.idf) * match.saturations[here]
    return node


def score_terms(
    snapshot: Snapshot, corpus: Corpus, candidates: Candidates, matches: Matches
) -> Lexical:
    """All lexical scores of the candidates."""
    whole = np.float32(sum(matches.idfs) or 1.0)
    name, signature, doc = (
        _of_field(snapshot, candidates, matches, field) for field in (NAME, SIGNATURE, DOC)
    )
    n_files = len(candidates.files)
    in_files = _rows([match.in_files[candidates.files] for match in matches.terms], n_files)
    in_paths = _rows([match.in_paths[candidates.files] for match in matches.terms], n_files)
    file_idfs = [m.file_idf * w for m, w in zip(matches.terms, matches.weights, strict=True)]
    path_idfs = [m.path_idf * w for m, w in zip(matches.terms, matches.weights, strict=True)]
    norms = _file_norms(snapshot, corpus, candidates)
    return Lexical(
        node=matches.node[candidates.labels],
        name=name.scores,
        signature=signature.scores,
        doc=doc.scores,
        covered=_covered(candidates, matches) / whole,
        name_hits=name.hits,
        file=_summed(file_idfs, in_files / (in_files + norms), n_files),
        path=_summed(path_idfs, in_paths / (in_paths + np.float32(K1)), n_files),
        file_covered=_summed(matches.idfs, (in_files + in_paths) > 0, n_files) / whole,
        idfs=matches.idfs,
        found=bool(len(matches.matched)),
    )


def _covered(candidates: Candidates, matches: Matches) -> Floats:
    """The sum of the weights of the terms that each candidate node has, in whatever field."""
    here, at = candidates.among(_joined([match.nodes for match in matches.terms]))
    weights = np.repeat(_floats(matches.idfs), [len(match.nodes) for match in matches.terms])
    covered = np.zeros(len(candidates), np.float32)
    # This adds one after the other, in the order of the terms.
    np.add.at(covered, at, weights[here])
    return covered


@dataclass(frozen=True, slots=True, eq=False)
class _Field:
    """BM25 of one field of the candidate nodes, and how many of the terms it has."""

    scores: Floats
    hits: Floats


def _of_field(snapshot: Snapshot, candidates: Candidates, matches: Matches, field: int) -> _Field:
    parts = [(match, slice(*match.starts[field : field + 2])) for match in matches.terms]
    sizes = [part.stop - part.start for _, part in parts]
    here, at = candidates.among(_joined([match.labels[part] for match, part in parts]))
    norms = np.concatenate([_NO_FLOATS, *(match.norms[part] for match, part in parts)])[here]
    idfs = _floats(
        [w * idf_of(snapshot.n_nodes, n) for w, n in zip(matches.weights, sizes, strict=True)]
    )
    scores = np.zeros(len(candidates), np.float32)
    np.add.at(scores, at, np.repeat(idfs, sizes)[here] * (norms / (norms + np.float32(K1))))
    return _Field(scores, np.bincount(at, minlength=len(candidates)).astype(np.float32))


def _file_norms(snapshot: Snapshot, corpus: Corpus, candidates: Candidates) -> Floats:
    average = corpus.n_terms.sum() / max(1, snapshot.n_files) or 1.0
    lengths = corpus.n_terms[candidates.files]
    norms = _FILE_K1 * (1 - _FILE_B) + _FILE_K1 * _FILE_B / average * lengths
    return np.asarray(norms, np.float32)


def _summed(weights: Sequence[float], values: NDArray[Any], n: int) -> Floats:
    """The sum over the terms of `values` [terms, n], weighed, one after the other."""
    parts = _floats(weights)[:, None] * values
    return np.asarray(np.add.accumulate(parts)[-1]) if len(parts) else np.zeros(n, np.float32)


_NO_FLOATS = np.zeros(0, np.float32)


def _rows(values: Sequence[Floats], n: int) -> Floats:
    return np.concatenate([_NO_FLOATS, *values]).reshape(len(values), n)


def _joined(labels: Sequence[Positions]) -> Positions:
    return np.concatenate([np.zeros(0, np.intp), *labels])


def _floats(values: Sequence[float]) -> Floats:
    return np.array(values, np.float32)
