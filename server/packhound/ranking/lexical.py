"""Words of the query in the index: one pass over the postings feeds all lexical signals.

Scores are sums over the query's terms in their order, by the same operations whatever segments
the snapshot has, so equal texts have equal scores to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from packhound.index.snapshot import Snapshot
from packhound.types import FIELDS

Floats = NDArray[np.float32]
Labels = NDArray[np.int32]
Found = list[tuple[Labels, NDArray[np.uint16]]]

NAME, PATH, SIGNATURE, DOC, BODY = (FIELDS.index(f) for f in FIELDS)
INSIDE = (NAME, SIGNATURE, DOC, BODY)
"""What a file says, apart from where it lies."""

WEIGHTS = (3.0, 4.0, 1.0, 1.0, 1.0)
"""How much an occurrence in each field counts (BM25F)."""
LENGTH_NORMS = (0.3, 0.3, 0.5, 0.5, 0.75)
"""How much the length of each field counts (b)."""
K1 = 1.2
_FILE_K1, _FILE_B = 2.0, 0.6


@dataclass(frozen=True, slots=True, eq=False)
class Lexical:
    """Lexical scores of one query over a whole snapshot.

    Per label: `node` is BM25F, `name`, `signature` and `doc` are BM25 of one field, `covered` is
    the share of the query's weight (idf) whose terms the label has, `name_hits` the number of the
    query's terms in its name. Per file id: `file` and `path` are BM25 of the whole file and of its
    path, `file_covered` is the share of the query's weight that the file has. `matched` are the
    labels with any term, `idfs` the weight of each term.
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
    matched: Labels
    idfs: tuple[float, ...]

    @property
    def found(self) -> bool:
        """Whether any term of the query is in the index."""
        return bool(len(self.matched))


def score_terms(snapshot: Snapshot, terms: Sequence[str], weights: Sequence[float]) -> Lexical:
    """Score every label and file for weighed `terms`."""
    passes = _Pass(snapshot)
    for term, weight in zip(terms, weights, strict=True):
        passes.add(term, weight)
    return passes.result()


def score_nodes(snapshot: Snapshot, terms: Sequence[str]) -> Floats:
    """BM25F alone, per label."""
    node = np.zeros(snapshot.n_labels, np.float32)
    for term in terms:
        found = _postings(snapshot, term)
        labels = np.concatenate([labels for labels, _ in found])
        if len(labels):
            norms = _norms(snapshot, found)
            _add_fields(snapshot, node, labels, found, norms, _idf_of(snapshot, term))
    return node


class _Pass:
    """The accumulators of one pass, label by label and file by file."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        n, n_files = snapshot.n_labels, snapshot.n_file_ids
        self._node, self._covered, self._name_hits = (np.zeros(n, np.float32) for _ in range(3))
        self._alone = {field: np.zeros(n, np.float32) for field in (NAME, SIGNATURE, DOC)}
        self._file, self._path, self._file_covered = (
            np.zeros(n_files, np.float32) for _ in range(3)
        )
        lengths = snapshot.file_lengths(INSIDE)
        average = lengths.sum() / max(1, snapshot.n_files) or 1.0
        self._file_norm = (
            _FILE_K1 * (1 - _FILE_B) + _FILE_K1 * _FILE_B / average * lengths
        ).astype(np.float32)
        self._idfs: list[float] = []

    def add(self, term: str, weight: float) -> None:
        """Count one term of the query."""
        snapshot = self._snapshot
        found = _postings(snapshot, term)
        idf = weight * _idf_of(snapshot, term)
        self._idfs.append(idf)
        labels = np.concatenate([labels for labels, _ in found])
        if not len(labels):
            return
        norms = _norms(snapshot, found)
        _add_fields(snapshot, self._node, labels, found, norms, idf)
        self._covered[labels] = self._covered[labels] + np.float32(idf)
        self._name_hits[found[NAME][0]] += 1
        for field, scores in self._alone.items():
            at, norm = found[field][0], norms[field]
            alone = np.float32(weight * idf_of(snapshot.n_nodes, len(at)))
            scores[at] += alone * (norm / (norm + np.float32(K1)))
        self._add_file(found, weight, idf)

    def _add_file(self, found: Found, weight: float, idf: float) -> None:
        snapshot = self._snapshot
        n_ids, n = snapshot.n_file_ids, snapshot.n_files
        labels = np.concatenate([found[field][0] for field in INSIDE])
        counts = np.concatenate([found[field][1] for field in INSIDE])
        tf = np.bincount(snapshot.file_of[labels], counts, n_ids).astype(np.float32)
        alone = np.float32(weight * idf_of(n, int(np.count_nonzero(tf))))
        self._file += alone * (tf / (tf + self._file_norm))
        in_path = np.zeros(n_ids, np.float32)
        labels, counts = found[PATH]
        in_path[snapshot.file_of[labels]] = counts
        alone = np.float32(weight * idf_of(n, int(np.count_nonzero(in_path))))
        self._path += alone * (in_path / (in_path + np.float32(K1)))
        self._file_covered += np.float32(idf) * ((tf + in_path) > 0)

    def result(self) -> Lexical:
        """The scores of all terms added."""
        weight = np.float32(sum(self._idfs) or 1.0)
        return Lexical(
            node=self._node,
            name=self._alone[NAME],
            signature=self._alone[SIGNATURE],
            doc=self._alone[DOC],
            covered=self._covered / weight,
            name_hits=self._name_hits,
            file=self._file,
            path=self._path,
            file_covered=self._file_covered / weight,
            matched=np.flatnonzero(self._node).astype(np.int32),
            idfs=tuple(self._idfs),
        )


def idf_of(n: int, document_frequency: int) -> float:
    """Inverse document frequency as in Lucene: never negative."""
    return log(1 + (n - document_frequency + 0.5) / (document_frequency + 0.5))


def _idf_of(snapshot: Snapshot, term: str) -> float:
    return idf_of(snapshot.n_nodes, snapshot.document_frequency(term))


def _postings(snapshot: Snapshot, term: str) -> Found:
    return [snapshot.postings(field, term) for field in range(len(FIELDS))]


def _norms(snapshot: Snapshot, found: Found) -> list[Floats]:
    """Frequencies of a term in each field, evened out for the length of the field."""
    norms: list[Floats] = []
    averages = snapshot.average_length
    for field, (at, tf) in enumerate(found):
        b, average = LENGTH_NORMS[field], averages[field] or 1.0
        lengths = snapshot.lengths[field][at].astype(np.float32)
        norms.append(tf / (np.float32(1 - b) + np.float32(b / average) * lengths))
    return norms


def _add_fields(
    snapshot: Snapshot, node: Floats, labels: Labels, found: Found, norms: list[Floats], idf: float
) -> None:
    scratch = np.zeros(snapshot.n_labels, np.float32)
    for field, (at, _) in enumerate(found):
        scratch[at] += np.float32(WEIGHTS[field]) * norms[field]
    frequency = scratch[labels]
    # A label occurs once per field: it is set, not added to, so that each occurrence agrees.
    node[labels] = node[labels] + np.float32(idf) * (frequency / (frequency + np.float32(K1)))
