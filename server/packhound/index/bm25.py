"""BM25 and its relatives over a snapshot: one score per label or file, as dense arrays.

Every score is made by the same operations in the same order whatever segments the snapshot has,
so equal texts have equal scores to the last bit. A term that a query repeats counts as often as
it is repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

from packhound.index.snapshot import Snapshot

Scores = NDArray[np.float32]


def idf(n: int, document_frequency: int) -> float:
    """Inverse document frequency as in Lucene: never negative."""
    return log(1 + (n - document_frequency + 0.5) / (document_frequency + 0.5))


def bm25(
    snapshot: Snapshot, field_idx: int, terms: Sequence[str], *, k1: float = 1.2, b: float = 0.75
) -> Scores:
    """BM25 of one field for every label, float32 [n_labels]; df counts that field only."""
    scores = np.zeros(snapshot.n_labels, np.float32)
    discount = snapshot.length_discount(field_idx, b)
    for term in terms:
        labels, tf = snapshot.postings(field_idx, term)
        weight = np.float32(idf(snapshot.n_nodes, len(labels)) * (k1 + 1))
        frequency = tf * discount[labels]
        scores[labels] += weight * (frequency / (frequency + np.float32(k1)))
    return scores


def bm25f(
    snapshot: Snapshot,
    terms: Sequence[str],
    weights: Sequence[float],
    b: Sequence[float],
    *,
    k1: float = 1.2,
) -> Scores:
    """BM25F for every label, float32 [n_labels]: fields add up before they saturate.

    `weights` and `b` have one value per field of `types.FIELDS`; df counts all fields.
    """
    scores = np.zeros(snapshot.n_labels, np.float32)
    for term in terms:
        frequency = _weighted_frequency(snapshot, term, weights, b)
        # Where every field counts, a label has a frequency if and only if it has the term.
        n_found = (
            int(np.count_nonzero(frequency))
            if min(weights) > 0
            else snapshot.document_frequency(term)
        )
        weight = np.float32(idf(snapshot.n_nodes, n_found) * (k1 + 1))
        scores += weight * (frequency / (frequency + np.float32(k1)))
    return scores


def file_bm25(
    snapshot: Snapshot,
    terms: Sequence[str],
    fields: Sequence[int],
    *,
    k1: float = 1.2,
    b: float = 0.75,
) -> Scores:
    """BM25 of whole files, float32 [n_file_ids]: a file is one document, its nodes' sum."""
    n = snapshot.n_file_ids
    scores = np.zeros(n, np.float32)
    lengths = snapshot.file_lengths(fields)
    average = lengths.sum() / max(1, snapshot.n_files) or 1.0
    norm = (k1 * (1 - b + b * (lengths / average))).astype(np.float32)
    for term in terms:
        tf = np.zeros(n, np.float64)
        for field_idx in fields:
            labels, counts = snapshot.postings(field_idx, term)
            tf += np.bincount(snapshot.file_of[labels], counts, n)
        files = np.flatnonzero(tf)
        found = tf[files].astype(np.float32)
        weight = np.float32(idf(snapshot.n_files, len(files)) * (k1 + 1))
        scores[files] += weight * (found / (found + norm[files]))
    return scores


def _weighted_frequency(
    snapshot: Snapshot, term: str, weights: Sequence[float], b: Sequence[float]
) -> Scores:
    frequency = np.zeros(snapshot.n_labels, np.float32)
    for field_idx, weight in enumerate(weights):
        labels, tf = snapshot.postings(field_idx, term)
        if weight and len(labels):
            discount = snapshot.length_discount(field_idx, b[field_idx])
            at = labels.astype(np.intp)  # once, rather than at each of three uses
            frequency[at] += np.float32(weight) * (tf * discount[at])
    return frequency
