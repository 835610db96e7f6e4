"""Segments: postings of a run of node ids, never changed once made.

Postings are sorted by term, then field, then node id, so that all postings of a term lie together
and those of a term in one field are one slice. Dead node ids stay in a segment until it is merged;
the snapshot's live mask hides them. How a corpus is cut into segments changes no result.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, compress, count, islice, pairwise
from operator import ne
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Ints, LongInts, Mask, NodeIds, Positions, contained_in
from packhound.core.caching import BoundedMemo
from packhound.index.postings.builder import N_FIELDS, count_terms
from packhound.parsing import NodeRuns

TermFrequencies = NDArray[np.unsignedinteger[Any]]

_SAMPLE_EVERY = 64
"""Every so many terms one is kept as an object, which makes the search for others short."""

_SAMPLED = slice(None, None, _SAMPLE_EVERY)
_TERMS_AT_ONCE = 200_000

_MEMO_TERMS = 8_192
"""Queries repeat their terms at every key: of a cold lexical search the memo saves 6 %."""

_serials = count(1)


@dataclass(frozen=True, slots=True, eq=False)
class TermPostings:
    """The node ids with a term, field by field, and its frequency in each.

    Those of field f are starts[f] .. starts[f + 1], their node ids ascending.
    """

    node_ids: Positions
    tf: TermFrequencies
    starts: tuple[int, ...]

    def within(self, field_idx: int) -> slice:
        """Return the slice of the postings of a field."""
        return slice(self.starts[field_idx], self.starts[field_idx + 1])


@dataclass(frozen=True, eq=False)
class Segment:
    """Postings of the node ids base .. base + n_node_ids - 1.

    `terms` joins the terms as UTF-8 in ascending order, `term_starts` has the start of each.
    The postings of term t in field f are rows starts[t * N_FIELDS + f] up to the next start of
    `node_ids` (relative to `base`, ascending) and `tf`. `serial` names this value in this process.
    """

    base: int
    n_node_ids: int
    terms: bytes
    term_starts: Ints
    starts: Ints
    node_ids: NodeIds
    tf: TermFrequencies
    serial: int = field(default_factory=lambda: next(_serials))

    @property
    def n_terms(self) -> int:
        """Number of distinct terms."""
        return len(self.term_starts) - 1

    @property
    def bounds(self) -> tuple[int, int]:
        """The first node id, and the one after the last."""
        return self.base, self.base + self.n_node_ids

    @property
    def n_postings(self) -> int:
        """Number of (term, field, node id) triples."""
        return len(self.node_ids)

    def find(self, term: bytes) -> int:
        """Return the position of `term` among the terms, -1 if it is not one of them."""
        return self._position_of[term]

    def vocabulary(self, part: slice = slice(None)) -> Iterator[bytes]:
        """Yield the terms at some positions, all by default, ascending."""
        starts, ends = self.term_starts[:-1][part].tolist(), self.term_starts[1:][part].tolist()
        terms = self.terms
        return (terms[a:b] for a, b in zip(starts, ends, strict=True))

    def first_from(self, bound: bytes) -> int:
        """Return the position of the first term that is not below another."""
        starts, terms = self.term_starts, self.terms
        return bisect_left(
            range(self.n_terms), bound, key=lambda i: terms[starts[i] : starts[i + 1]]
        )

    def any_contains(self, letters: bytes) -> bool:
        """Return True if some letters stand in any term."""
        at = self.terms.find(letters)
        while at >= 0:
            # In the joined terms they may be the end of one and the start of the next.
            end = self.term_starts[self.term_starts.searchsorted(at, side="right")]
            if at + len(letters) <= end:
                return True
            at = self.terms.find(letters, at + 1)
        return False

    def postings(self, term: int) -> TermPostings:
        """Return the postings of the term at a position, dead node ids included."""
        first = term * N_FIELDS
        start, *ends = self.starts[first : first + N_FIELDS + 1].tolist()
        node_ids = self.node_ids[start : ends[-1]].astype(np.intp)
        node_ids += self.base
        starts = (0, *(end - start for end in ends))
        return TermPostings(node_ids, self.tf[start : ends[-1]], starts)

    def n_of(self, term: int) -> int:
        """Return the number of postings of the term at a position."""
        first = term * N_FIELDS
        return int(self.starts[first + N_FIELDS] - self.starts[first])

    def holds(self, term: int, node_ids: Positions) -> Mask:
        """Return the mask of the node ids, of this segment, with the term at a position."""
        relative = (node_ids - self.base).astype(np.int32)
        first = term * N_FIELDS
        bounds = pairwise(self.starts[first : first + N_FIELDS + 1].tolist())
        masks = [contained_in(relative, self.node_ids[start:end]) for start, end in bounds]
        mask: Mask = np.logical_or.reduce(masks)
        return mask

    def move(self, same: Segment) -> None:
        """Have the same postings where an equal segment has them, and not in memory."""
        for name in ("starts", "node_ids", "tf"):
            object.__setattr__(self, name, getattr(same, name))

    def rebase(self, base: int) -> Segment:
        """Return the same postings for node ids that begin at another base."""
        return replace(self, base=base, serial=next(_serials))

    @cached_property
    def _position_of(self) -> BoundedMemo[bytes, int]:
        # Without a reference to the segment: that would be a cycle, which keeps large arrays.
        return BoundedMemo(_TermSearch(self.terms, self.term_starts).find, _MEMO_TERMS)


class _TermSearch:
    """Binary search among sorted terms, some of which are objects already."""

    def __init__(self, terms: bytes, starts: Ints) -> None:
        self._terms, self._starts = terms, starts
        self._n_terms = len(starts) - 1
        self._sample = [*map(self._term, range(0, self._n_terms, _SAMPLE_EVERY))]

    def find(self, term: bytes) -> int:
        """Return the position of `term`, -1 if it is absent."""
        first = _SAMPLE_EVERY * max(0, bisect_right(self._sample, term) - 1)
        block = range(first, min(first + _SAMPLE_EVERY, self._n_terms))
        position = first + bisect_left(block, term, key=self._term)
        return position if position in block and self._term(position) == term else -1

    def _term(self, position: int) -> bytes:
        return self._terms[self._starts[position] : self._starts[position + 1]]


def build_segment(
    base: int, words: NodeRuns, node_id_of_node: NodeIds, n_node_ids: int
) -> tuple[Segment, Ints]:
    """Build a segment of `n_node_ids` node ids from the words of nodes; return it and lengths.

    Node ids are relative to `base`; -1 leaves a node out. Lengths are the numbers of terms in each
    field, [n_node_ids, N_FIELDS].
    """
    counted = count_terms(words, node_id_of_node, n_node_ids)
    encoded = [term.encode("utf-8", "surrogatepass") for term in counted.terms]
    segment = _segment(base, n_node_ids, encoded, counted.counts, counted.node_ids, counted.tf)
    return segment, counted.lengths


def merge_segments(
    segments: Sequence[Segment], new_node_ids: NodeIds, base: int, n_node_ids: int
) -> Segment:
    """Merge segments whose node ids ascend.

    `new_node_ids` has for every node id of the snapshot its new one relative to `base`, or -1 to
    drop its postings; the order of node ids must not change.
    """
    union, ranks = _rank_terms(segments)
    totals = np.zeros(len(union) * N_FIELDS, np.int64)
    for of_segment, segment in zip(ranks, segments, strict=True):
        totals[_cells(of_segment)] += _survivors(segment, new_node_ids).counts
    cursor = (np.cumsum(totals) - totals).astype(np.int32)
    node_ids = np.empty(int(totals.sum()), np.int32)
    tf = np.empty(len(node_ids), np.uint16)
    for of_segment, segment in zip(ranks, segments, strict=True):
        # Once more, since all of them together are as large as the merged segment.
        part, cells = _survivors(segment, new_node_ids), _cells(of_segment)
        shift = cursor[cells] - (np.cumsum(part.counts) - part.counts).astype(np.int32)
        target = np.repeat(shift, part.counts)
        target += np.arange(len(target), dtype=np.int32)
        node_ids[target] = part.node_ids
        tf[target] = part.tf
        cursor[cells] += part.counts.astype(np.int32)
    return _segment(base, n_node_ids, union, totals, node_ids, tf)


@dataclass(frozen=True, slots=True, eq=False)
class _Survivors:
    """Postings of a segment that a merge keeps; `counts` by term and field."""

    counts: LongInts
    node_ids: NodeIds
    tf: TermFrequencies


def _survivors(segment: Segment, new_node_ids: NodeIds) -> _Survivors:
    node_ids = new_node_ids[segment.base : segment.base + segment.n_node_ids][segment.node_ids]
    survives = node_ids >= 0
    if survives.all():
        return _Survivors(np.diff(segment.starts).astype(np.int64), node_ids, segment.tf)
    n_before = np.zeros(len(survives) + 1, np.int32)
    np.cumsum(survives, out=n_before[1:])
    counts = np.diff(n_before[segment.starts]).astype(np.int64)
    return _Survivors(counts, node_ids[survives], segment.tf[survives])


def _rank_terms(segments: Sequence[Segment]) -> tuple[list[bytes], list[Ints]]:
    """Return the distinct terms of all segments, ascending, and the ranks of those of each.

    A part of the alphabet at a time: the terms of hundreds of segments would take more memory as
    objects than their postings.
    """
    n_parts = 1 + sum(segment.n_terms for segment in segments) // _TERMS_AT_ONCE
    sample = sorted(chain.from_iterable(s.vocabulary(_SAMPLED) for s in segments))
    bounds = [sample[i * len(sample) // n_parts] for i in range(1, n_parts)]
    union, ranks = list[bytes](), [np.empty(segment.n_terms, np.int32) for segment in segments]
    starts = [0] * len(segments)
    for bound in (*bounds, None):
        ends = [s.n_terms if bound is None else s.first_from(bound) for s in segments]
        parts = [slice(*pair) for pair in zip(starts, ends, strict=True)]
        of_parts = zip(segments, parts, strict=True)
        terms, ranked = _rank([*chain.from_iterable(s.vocabulary(part) for s, part in of_parts)])
        ranked += np.int32(len(union))
        union += terms
        for of_segment, part in zip(ranks, parts, strict=True):
            n = part.stop - part.start
            of_segment[part], ranked = ranked[:n], ranked[n:]
        starts = ends
    return union, ranks


def _rank(terms: list[bytes]) -> tuple[list[bytes], Ints]:
    """Return the distinct terms, ascending, and the rank of each term among them.

    The terms come in ascending runs, which makes sorting them cheaper than a dict of all.
    """
    order = sorted(range(len(terms)), key=terms.__getitem__)
    ordered = [terms[i] for i in order]
    is_first = [True, *map(ne, islice(ordered, 1, None), ordered)][: len(terms)]
    ranks = np.empty(len(terms), np.int32)
    ranks[np.array(order, np.intp)] = np.cumsum(is_first, dtype=np.int32) - 1
    return list(compress(ordered, is_first)), ranks


def _cells(term_ranks: Ints) -> Ints:
    """Return the cells of terms in a table [terms, N_FIELDS], flat: all fields of each in turn."""
    cells = term_ranks[:, None] * np.int32(N_FIELDS) + np.arange(N_FIELDS, dtype=np.int32)
    return np.asarray(cells.ravel(), np.int32)


def _segment(
    base: int,
    n_node_ids: int,
    terms: list[bytes],
    counts: LongInts,
    node_ids: NodeIds,
    tf: TermFrequencies,
) -> Segment:
    """Return a segment without the terms that have no postings, `tf` in one byte if it fits."""
    in_use = np.asarray(counts.reshape(-1, N_FIELDS).any(axis=1))
    if not in_use.all():
        terms = list(compress(terms, in_use.tolist()))
        counts = counts.reshape(-1, N_FIELDS)[in_use].ravel()
    fits_byte = len(tf) == 0 or int(tf.max()) < 256
    return Segment(
        base=base,
        n_node_ids=n_node_ids,
        terms=b"".join(terms),
        term_starts=_starts(np.fromiter(map(len, terms), np.int64, len(terms))),
        starts=_starts(counts),
        node_ids=node_ids,
        tf=tf.astype(np.uint8 if fits_byte else np.uint16),
    )


def _starts(counts: LongInts) -> Ints:
    starts = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=starts[1:])
    return starts
