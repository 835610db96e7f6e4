"""Postings of a whole snapshot: those of its segments, of live labels only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from packhound.index.counting import N_FIELDS
from packhound.index.segment import Labels, Segment, TermFrequencies

_CACHED = 1_000_000
"""Postings a snapshot keeps at hand, 6 bytes each; emptied when full."""


@dataclass(frozen=True, slots=True, eq=False)
class TermPostings:
    """Live labels with a term, field by field, and how often each holds it there.

    Those of field f are starts[f] .. starts[f + 1], their labels ascending.
    """

    labels: Labels
    tf: TermFrequencies
    starts: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.labels)

    def of(self, field_idx: int) -> tuple[Labels, TermFrequencies]:
        """Labels and frequencies in one field."""
        here = slice(self.starts[field_idx], self.starts[field_idx + 1])
        return self.labels[here], self.tf[here]


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Term lookups over segments whose labels ascend; safe for any number of readers."""

    segments: Sequence[Segment]
    live: NDArray[np.bool_]
    _cache: dict[str, TermPostings] = field(default_factory=dict)
    _cached: list[int] = field(default_factory=lambda: [0])

    def of(self, term: str) -> TermPostings:
        """The postings of a term in all fields."""
        found = self._cache.get(term)
        if found is None:
            found = self._gathered(term.encode("utf-8", "surrogatepass"))
            self._remember(term, found)
        return found

    def document_frequency(self, term: str) -> int:
        """Number of live labels with `term` in any field."""
        return len(np.unique(self.of(term).labels))

    def _gathered(self, term: bytes) -> TermPostings:
        labels, tfs = [], []
        n_in_field = np.zeros(N_FIELDS, np.int64)
        places = [(segment, segment.find(term)) for segment in self.segments]
        places = [(segment, position) for segment, position in places if position >= 0]
        for field_idx in range(N_FIELDS):
            for segment, position in places:
                label, tf = segment.postings(position, field_idx)
                labels.append(label + np.int32(segment.base))
                tfs.append(tf)
                n_in_field[field_idx] += len(label)
        if not labels:
            return _NONE
        return _living(np.concatenate(labels), np.concatenate(tfs), n_in_field, self.live)

    def _remember(self, term: str, found: TermPostings) -> None:
        self._cached[0] += len(found)
        if self._cached[0] > _CACHED:
            self._cache.clear()
            self._cached[0] = len(found)
        self._cache[term] = found


def _living(
    labels: Labels, tf: TermFrequencies, n_in_field: NDArray[np.int64], live: NDArray[np.bool_]
) -> TermPostings:
    ends = np.cumsum(n_in_field)
    alive = live[labels]
    if not alive.all():
        labels, tf = labels[alive], tf[alive]
        ends = np.concatenate(([0], np.cumsum(alive)))[ends]
    labels.flags.writeable = tf.flags.writeable = False
    return TermPostings(labels, tf, (0, *ends.tolist()))


_NONE = TermPostings(np.zeros(0, np.int32), np.zeros(0, np.uint16), (0,) * (N_FIELDS + 1))
