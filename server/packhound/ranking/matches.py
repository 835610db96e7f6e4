"""What one term matches in one snapshot, whatever else a query has: made once, kept a while.

The next key stroke, and the next search for a pack, ask for mostly the same terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from packhound.index.segment import TermPostings
from packhound.index.snapshot import Snapshot
from packhound.types import FIELDS

Floats = NDArray[np.float32]
Positions = NDArray[np.intp]

NAME, PATH, SIGNATURE, DOC, BODY = (FIELDS.index(f) for f in FIELDS)
INSIDE = (NAME, SIGNATURE, DOC, BODY)
"""What a file says, apart from where it lies."""

WEIGHTS = (3.0, 4.0, 1.0, 1.0, 1.0)
"""How much an occurrence in each field counts (BM25F)."""
LENGTH_NORMS = (0.3, 0.3, 0.5, 0.5, 0.75)
"""How much the length of each field counts (b)."""
K1 = 1.2

_KEPT = 500_000
"""Postings of the matches that are kept, some 40 bytes each; emptied when full."""


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """One term in one snapshot.

    `labels` and `starts` are those of its postings, `norms` the frequencies of these, evened out
    for the length of their field. `nodes` are the labels with the term in any field, ascending,
    `saturations` their BM25F before it is weighed. `in_files` and `in_paths` count the term
    inside each file id and in its path.
    """

    labels: Positions
    starts: tuple[int, ...]
    norms: Floats
    nodes: Positions
    saturations: Floats
    in_files: Floats
    in_paths: Floats
    idf: float
    file_idf: float
    path_idf: float


class MatchCache:
    """The matches of one snapshot, which it does not keep alive. Safe to use from any thread."""

    def __init__(self) -> None:
        self._known: dict[str, Match] = {}
        self._size = 0
        self._nothing: Match | None = None

    def of(self, snapshot: Snapshot, term: str) -> Match:
        """What a term matches in the snapshot that this belongs to."""
        found = self._known.get(term)
        if found is None:
            found = self._looked_up(snapshot, term)
            size = _size_of(found)
            self._size += size
            if self._size > _KEPT:
                self._known, self._size = {}, size
            self._known[term] = found
        return found

    def _looked_up(self, snapshot: Snapshot, term: str) -> Match:
        postings = snapshot.postings(term)
        if len(postings.labels):
            return _match(snapshot, postings)
        # Of the words that a query joins most are in no index, and they all match alike.
        if self._nothing is None:
            self._nothing = _match(snapshot, postings)
        return self._nothing


def _size_of(match: Match) -> int:
    """In postings; each match counts every file, so even a rare term takes room."""
    return len(match.norms) + (len(match.in_files) + len(match.in_paths)) // 10 + 20


def idf_of(n: int, document_frequency: int) -> float:
    """Inverse document frequency as in Lucene: never negative."""
    return log(1 + (n - document_frequency + 0.5) / (document_frequency + 0.5))


def _match(snapshot: Snapshot, postings: TermPostings) -> Match:
    norms = _norms(snapshot, postings)
    nodes, frequencies = _weighted(snapshot, postings, norms)
    in_files, in_paths = _by_file(snapshot, postings)
    return Match(
        labels=postings.labels,
        starts=postings.starts,
        norms=norms,
        nodes=nodes,
        saturations=frequencies / (frequencies + np.float32(K1)),
        in_files=in_files,
        in_paths=in_paths,
        idf=idf_of(snapshot.n_nodes, len(nodes)),
        file_idf=idf_of(snapshot.n_files, int(np.count_nonzero(in_files))),
        path_idf=idf_of(snapshot.n_files, int(np.count_nonzero(in_paths))),
    )


def _norms(snapshot: Snapshot, postings: TermPostings) -> Floats:
    norms = np.empty(len(postings.labels), np.float32)
    for field, average in enumerate(snapshot.average_length):
        here = postings.within(field)
        if here.start < here.stop:
            b = LENGTH_NORMS[field]
            lengths = snapshot.lengths[field].take(postings.labels[here]).astype(np.float32)
            lengths *= np.float32(b / (average or 1.0))
            lengths += np.float32(1 - b)
            np.divide(postings.tf[here], lengths, out=norms[here])
    return norms


def _weighted(
    snapshot: Snapshot, postings: TermPostings, norms: Floats
) -> tuple[Positions, Floats]:
    """Labels with the term in any field, and their frequencies in all fields, weighed."""
    total = np.zeros(snapshot.n_labels, np.float32)
    for field, weight in enumerate(WEIGHTS):
        here = postings.within(field)
        if here.start < here.stop:
            total[postings.labels[here]] += np.float32(weight) * norms[here]
    nodes = np.flatnonzero(total > 0)
    return nodes, total.take(nodes)


def _by_file(snapshot: Snapshot, postings: TermPostings) -> tuple[Floats, Floats]:
    owners = snapshot.file_of.take(postings.labels)
    path = postings.within(PATH)
    counts = postings.tf.astype(np.float64)
    counts[path] = 0
    in_files = np.bincount(owners, counts, snapshot.n_file_ids).astype(np.float32)
    in_paths = np.zeros(snapshot.n_file_ids, np.float32)
    in_paths[owners[path]] = postings.tf[path]
    return in_files, in_paths
