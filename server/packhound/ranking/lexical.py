"""Words of the query in the index: which nodes match, and the lexical scores of candidates.

Scores are sums over the query's terms in their order, by the same operations whatever segments
the snapshot has, so equal texts have equal scores to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
    nodes = _NodeScores(snapshot, candidates)
    files = _FileScores(snapshot, corpus, candidates)
    for match, weight, idf in zip(matches.terms, matches.weights, matches.idfs, strict=True):
        nodes.add(match, weight, idf)
        files.add(match, weight, idf)
    whole = np.float32(sum(matches.idfs) or 1.0)
    return Lexical(
        node=matches.node[candidates.labels],
        name=nodes.alone[NAME],
        signature=nodes.alone[SIGNATURE],
        doc=nodes.alone[DOC],
        covered=nodes.covered / whole,
        name_hits=nodes.name_hits,
        file=files.inside,
        path=files.path,
        file_covered=files.covered / whole,
        idfs=matches.idfs,
        found=bool(len(matches.matched)),
    )


class _NodeScores:
    """Sums over the terms, node by node."""

    def __init__(self, snapshot: Snapshot, candidates: Candidates) -> None:
        self._n_nodes, self._candidates = snapshot.n_nodes, candidates
        n = len(candidates)
        self.covered, self.name_hits = np.zeros(n, np.float32), np.zeros(n, np.float32)
        self.alone = {field: np.zeros(n, np.float32) for field in (NAME, SIGNATURE, DOC)}

    def add(self, match: Match, weight: float, idf: float) -> None:
        """Count one term."""
        starts = match.starts
        here, at = self._candidates.among(match.labels)
        bounds = np.searchsorted(here, starts).tolist()
        # A node is counted once, in however many fields the term is.
        self.covered[at] += np.float32(idf)
        self.name_hits[at[bounds[NAME] : bounds[NAME + 1]]] += 1
        for field, scores in self.alone.items():
            found = slice(bounds[field], bounds[field + 1])
            if found.start == found.stop:
                continue
            norms = match.norms[here[found]]
            alone = np.float32(weight * idf_of(self._n_nodes, starts[field + 1] - starts[field]))
            scores[at[found]] += alone * (norms / (norms + np.float32(K1)))


class _FileScores:
    """Sums over the terms, file by file."""

    def __init__(self, snapshot: Snapshot, corpus: Corpus, candidates: Candidates) -> None:
        files = self._files = candidates.files
        self.inside, self.path, self.covered = (np.zeros(len(files), np.float32) for _ in range(3))
        average = corpus.n_terms.sum() / max(1, snapshot.n_files) or 1.0
        lengths = corpus.n_terms[files]
        norms = _FILE_K1 * (1 - _FILE_B) + _FILE_K1 * _FILE_B / average * lengths
        self._norms = norms.astype(np.float32)

    def add(self, match: Match, weight: float, idf: float) -> None:
        """Count one term."""
        tf, in_path = match.in_files[self._files], match.in_paths[self._files]
        self.inside += np.float32(weight * match.file_idf) * (tf / (tf + self._norms))
        self.path += np.float32(weight * match.path_idf) * (in_path / (in_path + np.float32(K1)))
        self.covered += np.float32(idf) * ((tf + in_path) > 0)
