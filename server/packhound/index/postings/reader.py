"""Postings of a whole snapshot: those of all its segments, of live node ids only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np

from packhound.core.arrays import Mask, Positions, contained_in, unique_sorted
from packhound.index.postings.builder import N_FIELDS
from packhound.index.postings.segment import Segment, TermPostings

_FEW_DEAD = 64
"""With so many postings for each dead node id these are looked for among them, without the mask."""


@dataclass(frozen=True, eq=False)
class Postings:
    """Term lookups over segments whose node ids ascend; `has_dead` if not all node ids are live."""

    segments: Sequence[Segment]
    live: Mask
    has_dead: bool

    def of(self, term: str) -> TermPostings:
        """Return the postings of a term in all fields."""
        parts = [segment.postings(position) for segment, position in self._find(term)]
        if not parts:
            return _NONE
        postings = parts[0] if len(parts) == 1 else _concatenate(parts)
        return self._drop_dead(postings) if self.has_dead else postings

    def __contains__(self, term: str) -> bool:
        """Return True if a node has a term, or a dead node id had it."""
        return bool(self._find(term))

    def any_contains(self, letters: str) -> bool:
        """Return True if some letters stand in any term, one of dead node ids included."""
        encoded = letters.encode("utf-8", "surrogatepass")
        return any(segment.any_contains(encoded) for segment in self.segments)

    def with_all(self, terms: Iterable[str]) -> Positions:
        """Return the node ids with all of some terms, ascending; there must be a term."""
        places = {term: self._find(term) for term in terms}
        rarest, *others = sorted(places, key=lambda t: sum(s.n_of(at) for s, at in places[t]))
        node_ids: Positions = unique_sorted(self.of(rarest).node_ids)
        for term in others:
            has_term = np.zeros(len(node_ids), np.bool_)
            for segment, position in places[term]:
                inside = slice(*node_ids.searchsorted(segment.bounds))
                has_term[inside] = segment.holds(position, node_ids[inside])
            node_ids = node_ids[has_term]
        return node_ids

    def _find(self, term: str) -> list[tuple[Segment, int]]:
        """Return the segments with a term, and its position in each."""
        encoded = term.encode("utf-8", "surrogatepass")
        positions = ((segment, segment.find(encoded)) for segment in self.segments)
        return [(segment, position) for segment, position in positions if position >= 0]

    @cached_property
    def _dead(self) -> Positions:
        return np.flatnonzero(~self.live)

    def _drop_dead(self, postings: TermPostings) -> TermPostings:
        node_ids, dead = postings.node_ids, self._dead
        if len(dead) * _FEW_DEAD > len(node_ids):
            holes = np.flatnonzero(~self.live[node_ids])
        else:
            holes = np.concatenate([_places(postings, field, dead) for field in range(N_FIELDS)])
        if not len(holes):
            return postings
        starts = np.array(postings.starts)
        starts -= holes.searchsorted(starts)
        tf = np.delete(postings.tf, holes)
        return TermPostings(np.delete(node_ids, holes), tf, tuple(starts.tolist()))


def _places(postings: TermPostings, field: int, node_ids: Positions) -> Positions:
    """Return the positions of those of some node ids that are among the postings of a field."""
    within = postings.within(field)
    ascending = postings.node_ids[within]
    held = node_ids[contained_in(node_ids, ascending)]
    places: Positions = ascending.searchsorted(held) + within.start
    return places


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
