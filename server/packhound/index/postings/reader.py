"""Postings of a whole snapshot: those of its segments, of live node ids only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from packhound.index.postings.builder import N_FIELDS
from packhound.index.postings.segment import Segment, TermPostings


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Term lookups over segments whose node ids ascend; `dead` says that not all node ids are live."""

    segments: Sequence[Segment]
    live: NDArray[np.bool_]
    dead: bool

    def of(self, term: str) -> TermPostings:
        """The postings of a term in all fields."""
        encoded = term.encode("utf-8", "surrogatepass")
        places = ((segment, segment.find(encoded)) for segment in self.segments)
        parts = [segment.postings(place) for segment, place in places if place >= 0]
        if not parts:
            return _NONE
        found = parts[0] if len(parts) == 1 else _joined(parts)
        return self._living(found) if self.dead else found

    def _living(self, found: TermPostings) -> TermPostings:
        alive = self.live[found.node_ids]
        if alive.all():
            return found
        before = np.concatenate(([0], np.cumsum(alive)))
        starts = tuple(before[[*found.starts]].tolist())
        return TermPostings(found.node_ids[alive], found.tf[alive], starts)


def _joined(parts: Sequence[TermPostings]) -> TermPostings:
    """The postings of all parts, field by field."""
    fields = [(part, part.within(field)) for field in range(N_FIELDS) for part in parts]
    sizes = [sum(part.starts[f + 1] - part.starts[f] for part in parts) for f in range(N_FIELDS)]
    return TermPostings(
        np.concatenate([part.node_ids[within] for part, within in fields]),
        np.concatenate([part.tf[within] for part, within in fields]),
        (0, *accumulate(sizes)),
    )


_NONE = TermPostings(np.zeros(0, np.intp), np.zeros(0, np.uint8), (0,) * (N_FIELDS + 1))
