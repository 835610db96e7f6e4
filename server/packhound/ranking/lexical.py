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
from packhound.ranking.matches import K1, SAID, Match, Tally, idf_of

Floats = NDArray[np.float32]
Positions = NDArray[np.intp]

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
    found = tuple(corpus.matches.of(snapshot, terms))
    idfs = tuple(weight * match.idf for match, weight in zip(found, weights, strict=True))
    node = np.zeros(snapshot.n_labels, np.float32)
    labels, saturations = _joined([match.nodes for match in found])
    # This adds one after the other, in the order of the terms.
    np.add.at(node, labels, _per_node(found, idfs) * saturations)
    return Matches(found, tuple(weights), idfs, node, np.flatnonzero(node > 0))


def score_nodes(
    snapshot: Snapshot, corpus: Corpus, candidates: Candidates, terms: Iterable[str]
) -> Floats:
    """BM25F alone, per candidate node."""
    node = np.zeros(len(candidates), np.float32)
    found = corpus.matches.of(snapshot, terms)
    labels, saturations = _joined([match.nodes for match in found])
    here, at = candidates.among(labels)
    idfs = _per_node(found, [match.idf for match in found])
    np.add.at(node, at, (idfs * saturations)[here])
    return node


def score_terms(
    snapshot: Snapshot, corpus: Corpus, candidates: Candidates, matches: Matches
) -> Lexical:
    """All lexical scores of the candidates."""
    terms, n_files = matches.terms, len(candidates.files)
    whole = np.float32(sum(matches.idfs) or 1.0)
    name, signature, doc = (_of_field(snapshot, candidates, matches, i) for i, _ in enumerate(SAID))
    in_files = _of_files(snapshot, candidates, [match.in_files for match in terms])
    in_paths = _of_files(snapshot, candidates, [match.in_paths for match in terms])
    file_idfs = [m.file_idf * w for m, w in zip(terms, matches.weights, strict=True)]
    path_idfs = [m.path_idf * w for m, w in zip(terms, matches.weights, strict=True)]
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
    labels, _ = _joined([match.nodes for match in matches.terms])
    here, at = candidates.among(labels)
    covered = np.zeros(len(candidates), np.float32)
    np.add.at(covered, at, _per_node(matches.terms, matches.idfs)[here])
    return covered


def _per_node(terms: Sequence[Match], values: Sequence[float]) -> Floats:
    """A value of each term, once for each node that has it."""
    return np.repeat(_floats(values), [len(match.nodes[0]) for match in terms])


@dataclass(frozen=True, slots=True, eq=False)
class _Field:
    """BM25 of one field of the candidate nodes, and how many of the terms it has."""

    scores: Floats
    hits: Floats


def _of_field(snapshot: Snapshot, candidates: Candidates, matches: Matches, i: int) -> _Field:
    """Of the field `SAID[i]`."""
    parts = [slice(*match.starts[i : i + 2]) for match in matches.terms]
    sizes = [part.stop - part.start for part in parts]
    labels, norms = _joined(
        [
            (match.said[0][part], match.said[1][part])
            for match, part in zip(matches.terms, parts, strict=True)
        ]
    )
    here, at = candidates.among(labels)
    norms = norms[here]
    idfs = _floats(
        [w * idf_of(snapshot.n_nodes, n) for w, n in zip(matches.weights, sizes, strict=True)]
    )
    scores = np.zeros(len(candidates), np.float32)
    np.add.at(scores, at, np.repeat(idfs, sizes)[here] * (norms / (norms + np.float32(K1))))
    return _Field(scores, np.bincount(at, minlength=len(candidates)).astype(np.float32))


def _of_files(snapshot: Snapshot, candidates: Candidates, terms: Sequence[Tally]) -> Floats:
    """What each term counts in each candidate file, [terms, files]."""
    places = np.full(snapshot.n_file_ids, -1, np.intp)
    places[candidates.files] = np.arange(len(candidates.files))
    files, values = _joined(terms)
    at = places.take(files)
    here = np.flatnonzero(at >= 0)
    rows = np.repeat(np.arange(len(terms)), [len(numbers) for numbers, _ in terms])
    counts = np.zeros((len(terms), len(candidates.files)), np.float32)
    counts[rows[here], at[here]] = values[here]
    return counts


def _file_norms(snapshot: Snapshot, corpus: Corpus, candidates: Candidates) -> Floats:
    average = corpus.n_terms.sum() / max(1, snapshot.n_files) or 1.0
    lengths = corpus.n_terms[candidates.files]
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
