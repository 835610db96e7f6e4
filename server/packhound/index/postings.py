"""Postings of a whole snapshot: those of its segments, of live labels only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from packhound.index.segment import Labels, Segment, TermFrequencies

_CACHED = 4_000_000
"""Postings a snapshot keeps at hand, 6 bytes each; emptied when full."""


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Term lookups over segments whose labels ascend; safe for any number of readers."""

    segments: Sequence[Segment]
    live: NDArray[np.bool_]
    _cache: dict[tuple[int, str], tuple[Labels, TermFrequencies]] = field(default_factory=dict)
    _frequencies: dict[str, int] = field(default_factory=dict)
    _cached: list[int] = field(default_factory=lambda: [0])

    def of(self, field_idx: int, term: str) -> tuple[Labels, TermFrequencies]:
        """Live labels, ascending, with `term` in a field, and how often each holds it."""
        found = self._cache.get((field_idx, term))
        if found is None:
            found = self._gathered(field_idx, _encoded(term))
            self._remember((field_idx, term), found)
        return found

    def document_frequency(self, term: str) -> int:
        """Number of live labels with `term` in any field."""
        known = self._frequencies.get(term)
        if known is None:
            known = int(np.count_nonzero(self.labels_with(term)))
            self._frequencies[term] = known
        return known

    def labels_with(self, term: str) -> NDArray[np.bool_]:
        """For every label whether it is live and holds `term` in any field."""
        mask = np.zeros(len(self.live), np.bool_)
        for segment, position in self._where(_encoded(term)):
            mask[segment.labels_with(position) + segment.base] = True
        return mask & self.live

    def _where(self, term: bytes) -> list[tuple[Segment, int]]:
        places = ((segment, segment.find(term)) for segment in self.segments)
        return [(segment, position) for segment, position in places if position >= 0]

    def _gathered(self, field_idx: int, term: bytes) -> tuple[Labels, TermFrequencies]:
        labels, tfs = [_NO_LABELS], [_NO_TFS]
        for segment, position in self._where(term):
            label, tf = segment.postings(position, field_idx)
            label = label + np.int32(segment.base)
            alive = self.live[label]
            if not alive.all():
                label, tf = label[alive], tf[alive]
            labels.append(label)
            tfs.append(tf)
        found, frequencies = np.concatenate(labels), np.concatenate(tfs)
        found.flags.writeable = frequencies.flags.writeable = False
        return found, frequencies

    def _remember(self, key: tuple[int, str], found: tuple[Labels, TermFrequencies]) -> None:
        self._cached[0] += len(found[0])
        if self._cached[0] > _CACHED:
            self._cache.clear()
            self._cached[0] = len(found[0])
        self._cache[key] = found


_NO_LABELS = np.zeros(0, np.int32)
_NO_TFS = np.zeros(0, np.uint16)


def _encoded(term: str) -> bytes:
    return term.encode("utf-8", "surrogatepass")
