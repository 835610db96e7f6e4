"""A segment: the postings of a run of node ids, never changed once made.

Postings are sorted by term, then field, then node id, so that all postings of a term lie together
and those of a term in one field are one slice. Node ids that died stay in a segment until it is
merged; the snapshot's live mask hides them. How a corpus is cut into segments changes no result.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress, count, islice, pairwise
from operator import ne
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Ints, NodeIds, Positions
from packhound.index.postings.builder import N_FIELDS, counted
from packhound.parsing.analysed_file import NodeRuns

TermFrequencies = NDArray[np.unsignedinteger[Any]]


_serials = count(1)


@dataclass(frozen=True, slots=True, eq=False)
class TermPostings:
    """The node ids with a term, field by field, and how often each holds it there.

    Those of field f are starts[f] .. starts[f + 1], their node ids ascending.
    """

    node_ids: Positions
    tf: TermFrequencies
    starts: tuple[int, ...]

    def within(self, field_idx: int) -> slice:
        """Which of the postings are those of a field."""
        return slice(self.starts[field_idx], self.starts[field_idx + 1])


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Postings of the node ids base .. base + n_labels - 1.

    `terms` joins the terms as UTF-8 in ascending order, `term_starts` says where each begins.
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
    _found: dict[bytes, int] = field(default_factory=dict)
    _landmarks: list[list[bytes]] = field(default_factory=list)

    @property
    def n_terms(self) -> int:
        """Number of distinct terms."""
        return len(self.term_starts) - 1

    @property
    def n_postings(self) -> int:
        """Number of (term, field, node id) triples."""
        return len(self.node_ids)

    def find(self, term: bytes) -> int:
        """Position of `term` among the terms, -1 where it is none of them."""
        position = self._found.get(term)
        if position is None:
            position = self._search(term)
            if len(self._found) > _REMEMBERED:
                self._found.clear()
            self._found[term] = position
        return position

    def term(self, position: int) -> bytes:
        """The term at a position."""
        return self.terms[self.term_starts[position] : self.term_starts[position + 1]]

    def vocabulary(self) -> Iterator[bytes]:
        """All terms, ascending."""
        bounds = self.term_starts.tolist()
        terms = self.terms
        return (terms[a:b] for a, b in pairwise(bounds))

    def postings(self, term: int) -> TermPostings:
        """The postings of the term at a position, dead node ids included."""
        first = term * N_FIELDS
        start, *ends = self.starts[first : first + N_FIELDS + 1].tolist()
        node_ids = self.node_ids[start : ends[-1]].astype(np.intp)
        node_ids += self.base
        starts = (0, *(end - start for end in ends))
        return TermPostings(node_ids, self.tf[start : ends[-1]], starts)

    def moved(self, base: int) -> Segment:
        """The same postings for node ids that begin elsewhere."""
        return replace(self, base=base, serial=next(_serials))

    def _search(self, term: bytes) -> int:
        if not self._landmarks:
            self._landmarks.append([*map(self.term, range(0, self.n_terms, _APART))])
        first = _APART * max(0, bisect_right(self._landmarks[0], term) - 1)
        near = range(first, min(first + _APART, self.n_terms))
        position = first + bisect_left(near, term, key=self.term)
        return position if position in near and self.term(position) == term else -1


_REMEMBERED = 8192
"""Looked-up terms a segment remembers; queries repeat their terms at every key."""

_APART = 64
"""Every so many terms one is kept as an object, which makes the search of others short."""


def build(
    base: int, words: NodeRuns, node_id_of_node: NodeIds, n_node_ids: int
) -> tuple[Segment, NDArray[np.int32]]:
    """A segment of `n_node_ids` node ids from the words of nodes, and their lengths.

    Node ids are relative to `base`; -1 leaves a node out. Lengths are the number of terms in each
    field, [n_labels, N_FIELDS].
    """
    found = counted(words, node_id_of_node, n_node_ids)
    encoded = [term.encode("utf-8", "surrogatepass") for term in found.terms]
    return _segment(
        base, n_node_ids, encoded, found.counts, found.node_ids, found.tf
    ), found.lengths


def merge(
    segments: Sequence[Segment], new_node_ids: NodeIds, base: int, n_node_ids: int
) -> Segment:
    """One segment of several whose node ids ascend.

    `new_node_ids` gives for every node id of the snapshot its new one relative to `base`, or -1 to
    drop its postings; the order of node ids must not change.
    """
    union, ranks = _ranked([*chain.from_iterable(s.vocabulary() for s in segments)])
    ends = np.cumsum([segment.n_terms for segment in segments])
    places = [_places(some) for some in np.split(ranks, ends[:-1])]
    del ranks
    totals = np.zeros(len(union) * N_FIELDS, np.int64)
    for place, segment in zip(places, segments, strict=True):
        totals[place] += _surviving(segment, new_node_ids).counts
    cursor = (np.cumsum(totals) - totals).astype(np.int32)
    node_ids = np.empty(int(totals.sum()), np.int32)
    tf = np.empty(len(node_ids), np.uint16)
    for place, segment in zip(places, segments, strict=True):
        # Once more, since all of them together are as large as what is made of them.
        part = _surviving(segment, new_node_ids)
        shift = cursor[place] - (np.cumsum(part.counts) - part.counts).astype(np.int32)
        target = np.repeat(shift, part.counts)
        target += np.arange(len(target), dtype=np.int32)
        node_ids[target] = part.node_ids
        tf[target] = part.tf
        cursor[place] += part.counts.astype(np.int32)
    return _segment(base, n_node_ids, union, totals, node_ids, tf)


@dataclass(frozen=True, slots=True, eq=False)
class _Surviving:
    counts: NDArray[np.int64]
    node_ids: NodeIds
    tf: TermFrequencies


def _surviving(segment: Segment, new_node_ids: NodeIds) -> _Surviving:
    node_ids = new_node_ids[segment.base : segment.base + segment.n_node_ids][segment.node_ids]
    kept = node_ids >= 0
    if kept.all():
        return _Surviving(np.diff(segment.starts).astype(np.int64), node_ids, segment.tf)
    before = np.zeros(len(kept) + 1, np.int32)
    np.cumsum(kept, out=before[1:])
    return _Surviving(
        np.diff(before[segment.starts]).astype(np.int64), node_ids[kept], segment.tf[kept]
    )


def _ranked(terms: list[bytes]) -> tuple[list[bytes], NDArray[np.int32]]:
    """The distinct terms, ascending, and the position among them of each."""
    # That they come in ascending runs makes sorting cheaper than looking each of them up.
    order = sorted(range(len(terms)), key=terms.__getitem__)
    ordered = [terms[i] for i in order]
    is_first = [True, *map(ne, islice(ordered, 1, None), ordered)][: len(terms)]
    ranks = np.empty(len(terms), np.int32)
    ranks[np.array(order, np.intp)] = np.cumsum(is_first, dtype=np.int32) - 1
    return list(compress(ordered, is_first)), ranks


def _places(terms: NDArray[np.int32]) -> NDArray[np.int32]:
    """Where the counts of each term begin and go on, field by field."""
    places = terms[:, None] * np.int32(N_FIELDS) + np.arange(N_FIELDS, dtype=np.int32)
    return np.asarray(places.ravel(), np.int32)


def _segment(
    base: int,
    n_node_ids: int,
    terms: list[bytes],
    counts: NDArray[np.int64],
    node_ids: NodeIds,
    tf: TermFrequencies,
) -> Segment:
    used = np.asarray(counts.reshape(-1, N_FIELDS).any(axis=1))
    if not used.all():
        terms = list(compress(terms, used.tolist()))
        counts = counts.reshape(-1, N_FIELDS)[used].ravel()
    narrow = len(tf) == 0 or int(tf.max()) < 256
    return Segment(
        base=base,
        n_node_ids=n_node_ids,
        terms=b"".join(terms),
        term_starts=_starts(np.fromiter(map(len, terms), np.int64, len(terms))),
        starts=_starts(counts),
        node_ids=node_ids,
        tf=tf.astype(np.uint8 if narrow else np.uint16),
    )


def _starts(counts: NDArray[np.int64]) -> Ints:
    starts = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=starts[1:])
    return starts
