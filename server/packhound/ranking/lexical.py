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

NAME, PATH, SIGNATURE, DOC, BODY = (FIELDS.index(f) for f in FIELDS)

WEIGHTS = (3.0, 4.0, 1.0, 1.0, 1.0)
"""How much an occurrence in each field counts (BM25F)."""
LENGTH_NORMS = (0.3, 0.3, 0.5, 0.5, 0.75)
"""How much the length of each field counts (b)."""
K1 = 1.2
_FILE_K1, _FILE_B = 2.0, 0.6


@dataclass(frozen=True, slots=True, eq=False)
class Lexical:
    """Lexical scores of one query over a whole snapshot.

    `node` is BM25F per label and `fields[f]` BM25 of one field alone. `covered` is the share of
    the query's weight (idf) whose terms the label has anywhere, `covered_in[f]` in one field.
    `file` and `path` are BM25 per file id, over the whole file and over its path;
    `file_covered` is the share of the query's weight that the file has.
    """

    node: Floats
    fields: tuple[Floats, ...]
    covered: Floats
    name_hits: Floats
    file: Floats
    path: Floats
    file_covered: Floats
    weight: float
    matched: Labels

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


class _Pass:
    """The accumulators of one pass, label by label and file by file."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        n, n_files = snapshot.n_labels, snapshot.n_file_ids
        self._average = [average or 1.0 for average in snapshot.average_length]
        self._node = np.zeros(n, np.float32)
        self._fields = tuple(np.zeros(n, np.float32) for _ in FIELDS)
        self._covered = np.zeros(n, np.float32)
        self._names = np.zeros(n, np.float32)
        self._scratch = np.zeros(n, np.float32)
        self._file = np.zeros(n_files, np.float32)
        self._path = np.zeros(n_files, np.float32)
        self._file_covered = np.zeros(n_files, np.float32)
        self._file_norm = self._file_norms()
        self._weight = 0.0

    def add(self, term: str, weight: float) -> None:
        """Count one term of the query."""
        snapshot = self._snapshot
        found = [snapshot.postings(field, term) for field in range(len(FIELDS))]
        n = max(1, snapshot.n_nodes)
        labels = np.concatenate([labels for labels, _ in found])
        if not len(labels):
            self._weight += weight * _idf(n, 0)
            return
        scratch = self._scratch
        for field, (at, tf) in enumerate(found):
            if not len(at):
                continue
            b = LENGTH_NORMS[field]
            lengths = snapshot.lengths[field][at].astype(np.float32)
            norm = tf / (np.float32(1 - b) + np.float32(b / self._average[field]) * lengths)
            scratch[at] += np.float32(WEIGHTS[field]) * norm
            idf = np.float32(weight * _idf(n, len(at)))
            self._fields[field][at] += idf * (norm / (norm + np.float32(K1)))
        document_frequency = snapshot.document_frequency(term)
        idf = np.float32(weight * _idf(n, document_frequency))
        frequency = scratch[labels]
        # A label occurs once per field: it is set, not added to, so each occurrence agrees.
        self._node[labels] = self._node[labels] + idf * (frequency / (frequency + np.float32(K1)))
        self._covered[labels] = self._covered[labels] + idf
        self._names[found[0][0]] += 1
        scratch[labels] = 0
        self._weight += float(idf)
        self._add_file(found, weight)

    def _add_file(self, found: list[tuple[Labels, NDArray[np.uint16]]], weight: float) -> None:
        snapshot = self._snapshot
        n_ids, n = snapshot.n_file_ids, max(1, snapshot.n_files)
        inside = [found[field] for field in (NAME, SIGNATURE, DOC, BODY)]
        labels = np.concatenate([labels for labels, _ in inside])
        counts = np.concatenate([tf for _, tf in inside])
        tf = np.bincount(snapshot.file_of[labels], counts, n_ids)
        files = np.flatnonzero(tf)
        frequency = tf[files].astype(np.float32)
        idf = np.float32(weight * _idf(n, len(files)))
        self._file[files] += idf * (frequency / (frequency + self._file_norm[files]))
        in_path = np.zeros(n_ids, np.float32)
        labels, counts = found[PATH]
        in_path[snapshot.file_of[labels]] = counts
        named = np.flatnonzero(in_path)
        frequency = in_path[named]
        idf_path = np.float32(weight * _idf(n, len(named)))
        self._path[named] += idf_path * (frequency / (frequency + np.float32(K1)))
        either = np.union1d(files, named)
        self._file_covered[either] += idf

    def _file_norms(self) -> Floats:
        lengths = self._snapshot.file_lengths((NAME, SIGNATURE, DOC, BODY))
        average = lengths.sum() / max(1, self._snapshot.n_files) or 1.0
        return (_FILE_K1 * (1 - _FILE_B + _FILE_B * (lengths / average))).astype(np.float32)

    def result(self) -> Lexical:
        """The scores of all terms added."""
        weight = self._weight or 1.0
        return Lexical(
            node=self._node,
            fields=self._fields,
            covered=self._covered / np.float32(weight),
            name_hits=self._names,
            file=self._file,
            path=self._path,
            file_covered=self._file_covered,
            weight=weight,
            matched=np.flatnonzero(self._node).astype(np.int32),
        )


def _idf(n: int, document_frequency: int) -> float:
    return log(1 + (n - document_frequency + 0.5) / (document_frequency + 0.5))
