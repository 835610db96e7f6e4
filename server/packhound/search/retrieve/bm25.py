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

from packhound.core.arrays import Floats, Positions
from packhound.index.snapshot import Snapshot
from packhound.search.retrieve.candidates import Candidates
from packhound.search.retrieve.corpus_stats import Corpus
from packhound.search.retrieve.term_matches import K1, SAID, Match, Tally

_FILE_K1, _FILE_B = 2.0, 0.6


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """The terms of a query in a whole snapshot: `node` is BM25F per node id.

    `matched` are the node ids with any term, `weights` and `idfs` belong to the terms. `node_ids` are
    those of each term one after the other, with the idf of their term beside them in `node_idfs`.
    """

    terms: tuple[Match, ...]
    weights: tuple[float, ...]
    idfs: tuple[float, ...]
    node_ids: Positions
    node_idfs: Floats
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
    found = tuple(corpus.matches.of(snapshot, terms))
    idfs = tuple(weight * match.idf for match, weight in zip(found, weights, strict=True))
    node = np.zeros(snapshot.n_node_ids, np.float32)
    node_ids, saturations = _joined([match.nodes for match in found])
    node_idfs = _per_node(found, idfs)
    # This adds one after the other, in the order of the terms.
    np.add.at(node, node_ids, node_idfs * saturations)
    matched = np.flatnonzero(node > 0)
    return Matches(found, tuple(weights), idfs, node_ids, node_idfs, node, matched)


def score_nodes(
    snapshot: Snapshot, corpus: Corpus, candidates: Candidates, terms: Iterable[str]
) -> Floats:
    """BM25F alone, per candidate node."""
    node = np.zeros(len(candidates), np.float32)
    found = corpus.matches.of(snapshot, terms)
    node_ids, saturations = _joined([match.nodes for match in found])
    here, at = candidates.among(node_ids)
    idfs = _per_node(found, [match.idf for match in found])
    np.add.at(node, at, (idfs * saturations).take(here))
    return node


def score_terms(
    snapshot: Snapshot, corpus: Corpus, candidates: Candidates, matches: Matches
) -> Lexical:
    """All lexical scores of the candidates."""
    terms, n_files = matches.terms, len(candidates.files)
    whole = np.float32(sum(matches.idfs) or 1.0)
    said, hits = _of_said(candidates, matches)
    in_files, in_paths = _of_files(snapshot, candidates, terms)
    file_idfs = [m.file_idf * w for m, w in zip(terms, matches.weights, strict=True)]
    path_idfs = [m.path_idf * w for m, w in zip(terms, matches.weights, strict=True)]
    norms = _file_norms(snapshot, corpus, candidates)
    return Lexical(
        node=matches.node.take(candidates.node_ids),
        name=said[0],
        signature=said[1],
        doc=said[2],
        covered=_covered(candidates, matches) / whole,
        name_hits=hits,
        file=_summed(file_idfs, in_files / (in_files + norms), n_files),
        path=_summed(path_idfs, in_paths / (in_paths + np.float32(K1)), n_files),
        file_covered=_summed(matches.idfs, (in_files + in_paths) > 0, n_files) / whole,
        idfs=matches.idfs,
        found=bool(len(matches.matched)),
    )


def _covered(candidates: Candidates, matches: Matches) -> Floats:
    """The sum of the weights of the terms that each candidate node has, in whatever field."""
    here, at = candidates.among(matches.node_ids)
    covered = np.zeros(len(candidates), np.float32)
    np.add.at(covered, at, matches.node_idfs.take(here))
    return covered


def _per_node(terms: Sequence[Match], values: Sequence[float]) -> Floats:
    """A value of each term, once for each node that has it."""
    return np.repeat(_floats(values), [len(match.nodes[0]) for match in terms])


def _of_said(candidates: Candidates, matches: Matches) -> tuple[Floats, Floats]:
    """BM25 of each field of `SAID`, [fields, nodes], and how many of the terms the names have."""
    terms, n = matches.terms, len(candidates)
    node_ids, norms = _joined([match.said for match in terms])
    here, at = candidates.among(node_ids)
    sizes = [size for match in terms for size in match.n_said]
    idfs = _floats(
        [w * idf for m, w in zip(terms, matches.weights, strict=True) for idf in m.said_idfs]
    )
    # All fields are worked on at once: those of one are n nodes after those of the one before.
    firsts = np.tile(n * np.arange(len(SAID)), len(terms))
    cells = np.repeat(firsts, sizes).take(here) + at
    norms = norms.take(here)
    scores = np.zeros(n * len(SAID), np.float32)
    np.add.at(scores, cells, np.repeat(idfs, sizes).take(here) * (norms / (norms + np.float32(K1))))
    hits = np.bincount(cells, minlength=len(scores))[:n].astype(np.float32)
    return scores.reshape(len(SAID), n), hits


def _of_files(
    snapshot: Snapshot, candidates: Candidates, terms: Sequence[Match]
) -> tuple[Floats, Floats]:
    """What each term counts inside each candidate file and in its path, [terms, files] each."""
    n = len(terms)
    places = np.full(snapshot.n_file_ids, -1, np.intp)
    places[candidates.files] = np.arange(len(candidates.files))
    tallies = [*(match.in_files for match in terms), *(match.in_paths for match in terms)]
    files, values = _joined(tallies)
    at = places.take(files)
    here = np.flatnonzero(at >= 0)
    rows = np.repeat(np.arange(2 * n), [len(numbers) for numbers, _ in tallies])
    counts = np.zeros((2 * n, len(candidates.files)), np.float32)
    counts[rows.take(here), at.take(here)] = values.take(here)
    return counts[:n], counts[n:]


def _file_norms(snapshot: Snapshot, corpus: Corpus, candidates: Candidates) -> Floats:
    average = corpus.n_terms.sum() / max(1, snapshot.n_files) or 1.0
    lengths = corpus.n_terms.take(candidates.files)
    norms = _FILE_K1 * (1 - _FILE_B) + _FILE_K1 * _FILE_B / average * lengths
    return np.asarray(norms, np.float32)


def _summed(weights: Sequence[float], values: NDArray[Any], n: int) -> Floats:
    """The sum over the terms of `values` [terms, n], weighed, one after the other."""
    parts = _floats(weights)[:, None] * values
    return np.asarray(np.add.accumulate(parts)[-1]) if len(parts) else np.zeros(n, np.float32)


def _joined(tallies: Sequence[Tally]) -> tuple[Positions, Floats]:
    """One after the other."""
    numbers, values = zip(*tallies, strict=True) if tallies else ((), ())
    # Numbers of this size serve as places as they are.
    return (
        np.concatenate([_NO_NUMBERS, *numbers], dtype=np.intp),
        np.concatenate([_NO_FLOATS, *values]),
    )


_NO_NUMBERS, _NO_FLOATS = np.zeros(0, np.int32), np.zeros(0, np.float32)


def _floats(values: Sequence[float]) -> Floats:
    return np.array(values, np.float32)
