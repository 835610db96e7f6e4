"""Postings of a whole snapshot: those of all its segments, of live node ids only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from packhound.core.arrays import Mask
from packhound.index.postings.builder import N_FIELDS
from packhound.index.postings.segment import Segment, TermPostings


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Term lookups over segments whose node ids ascend; `has_dead` if not all node ids are live."""

    segments: Sequence[Segment]
    live: Mask
    has_dead: bool

    def of(self, term: str) -> TermPostings:
        """Return the postings of a term in all fields."""
        encoded = term.encode("utf-8", "surrogatepass")
        positions = ((segment, segment.find(encoded)) for segment in self.segments)
        parts = [segment.postings(position) for segment, position in positions if position >= 0]
        if not parts:
            return _NONE
        postings = parts[0] if len(parts) == 1 else _concatenate(parts)
        return self._drop_dead(postings) if self.has_dead else postings

    def _drop_dead(self, postings: TermPostings) -> TermPostings:
        alive = self.live[postings.node_ids]
        if alive.all():
            return postings
        n_alive_before = np.concatenate(([0], np.cumsum(alive)))
        starts = tuple(n_alive_before[[*postings.starts]].tolist())
        return TermPostings(postings.node_ids[alive], postings.tf[alive], starts)


def _concatenate(parts: Sequence[TermPostings]) -> TermPostings:
    """Concatenate the postings of all parts, field by field."""
    slices = [(part, part.within(field)) for field in range(N_FIELDS) for part in parts]
    sizes = [sum(part.starts[f + 1] - part.starts[f] for part in parts) for f in range(N_FIELDS)]
    return TermPostings(
        np.concatenate([part.node_ids[within] for part, within in slices]),
        np.concatenate([part.tf[within] for part, within in slices]),
        (0, *accumulate(sizes)),
    )


_NONE = TermPostings(np.zeros(0, np.intp), np.zeros(0, np.uint8), (0,) * (N_FIELDS + 1))
