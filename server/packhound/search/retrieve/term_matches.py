"""What one term matches in one snapshot, whatever else a query has: made once, kept a while.

The next key stroke, and the next search for a pack, ask for mostly the same terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, NodeIds, unique_sorted
from packhound.core.caching import ByteLru
from packhound.core.types import FIELDS
from packhound.index.postings.segment import TermPostings
from packhound.index.snapshot import Snapshot

Value = TypeVar("Value", bound=np.generic)

NAME, PATH, SIGNATURE, DOC, BODY = (FIELDS.index(f) for f in FIELDS)
INSIDE = (NAME, SIGNATURE, DOC, BODY)
"""What a file says, apart from where it lies."""

WEIGHTS = (3.0, 4.0, 1.0, 1.0, 1.0)
"""How much an occurrence in each field counts (BM25F)."""
LENGTH_NORMS = (0.3, 0.3, 0.5, 0.5, 0.75)
"""How much the length of each field counts (b)."""
K1 = 1.2

SAID = (NAME, SIGNATURE, DOC)
"""Fields that are scored by themselves too."""

_MOST_BYTES = 20_000_000
"""Of the matches that are kept; the longest unused goes first."""

Tally: TypeAlias = tuple[NodeIds, Floats]
"""Ascending numbers, of node ids or of files, and a value beside each."""


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """One term in one snapshot.

    `nodes` are the node ids with the term in any field, with their BM25F before it is weighed. `said`
    has the node ids with the term in a field of `SAID`, field by field, n_said[i] of them in
    `SAID[i]`, with how often they have it, evened out for the length of the field; `said_idfs` are
    those of the fields. `in_files` and `in_paths` count the term inside each file and in its path.
    """

    nodes: Tally
    said: Tally
    n_said: tuple[int, ...]
    in_files: Tally
    in_paths: Tally
    idf: float
    said_idfs: tuple[float, ...]
    file_idf: float
    path_idf: float

    @property
    def n_bytes(self) -> int:
        """What its arrays take, and some of what they are held by."""
        tallies = (self.nodes, self.said, self.in_files, self.in_paths)
        return _OVERHEAD + sum(numbers.nbytes + values.nbytes for numbers, values in tallies)


_OVERHEAD = 1_500


class MatchCache:
    """The matches of one snapshot, which it does not keep alive. Safe to use from any thread."""

    def __init__(self) -> None:
        self.kept = ByteLru[str, Match](_MOST_BYTES, attrgetter("n_bytes"))
        self._nothing: Match | None = None

    def of(self, snapshot: Snapshot, terms: Iterable[str]) -> list[Match]:
        """What each term matches in the snapshot that this belongs to."""
        wanted = [*terms]
        found = {term: self.kept.get(term) for term in wanted}
        new = [term for term, match in found.items() if match is None]
        if new:
            found.update(zip(new, self._looked_up(snapshot, new), strict=True))
        matches = {term: match for term, match in found.items() if match is not None}
        self.kept.put(matches)
        return [matches[term] for term in wanted]

    def _looked_up(self, snapshot: Snapshot, terms: Sequence[str]) -> list[Match]:
        postings = [snapshot.postings(term) for term in terms]
        there = [found for found in postings if len(found.node_ids)]
        # Of the words that a query joins most are in no index, and they all match alike.
        if self._nothing is None:
            [self._nothing] = _matches(snapshot, [_NO_POSTINGS])
        made = iter(_matches(snapshot, there) if there else ())
        return [next(made) if len(found.node_ids) else self._nothing for found in postings]


_NO_POSTINGS = TermPostings(np.zeros(0, np.intp), np.zeros(0, np.uint8), (0,) * (len(FIELDS) + 1))


def idf_of(n: int, document_frequency: int) -> float:
    """Inverse document frequency as in Lucene: never negative."""
    return log(1 + (n - document_frequency + 0.5) / (document_frequency + 0.5))


def _matches(snapshot: Snapshot, found: Sequence[TermPostings]) -> list[Match]:
    """What each of some terms matches: all are worked on at once, since most of them are rare."""
    node_ids = np.concatenate([postings.node_ids for postings in found])
    counts = np.concatenate([postings.tf for postings in found])
    sizes = np.diff([postings.starts for postings in found])
    fields = np.repeat(np.tile(_FIELD_NUMBERS, len(found)), sizes.ravel())
    norms = _norms(snapshot, node_ids, counts, fields)
    weighted = _WEIGHTS.take(fields) * norms
    owners = snapshot.file_of.take(node_ids)
    inside = counts * (fields != PATH)
    room = np.empty(snapshot.n_node_ids, np.float32)
    made, start = [], 0
    for postings in found:
        here = slice(start, start := start + len(postings.node_ids))
        path = postings.within(PATH)
        n_said = _n_said(postings)
        nodes, frequencies = _summed(postings.node_ids, weighted[here], room)
        in_files = _tally(np.bincount(owners[here], inside[here], snapshot.n_file_ids))
        in_paths = _of_files(snapshot, owners[here][path], postings.tf[path])
        made.append(
            Match(
                nodes=(nodes, frequencies / (frequencies + np.float32(K1))),
                said=(
                    _said(postings, postings.node_ids).astype(np.int32),
                    _said(postings, norms[here]),
                ),
                n_said=n_said,
                in_files=in_files,
                in_paths=in_paths,
                idf=idf_of(snapshot.n_nodes, len(nodes)),
                said_idfs=tuple(idf_of(snapshot.n_nodes, n) for n in n_said),
                file_idf=idf_of(snapshot.n_files, len(in_files[0])),
                path_idf=idf_of(snapshot.n_files, len(in_paths[0])),
            )
        )
    return made


_FIELD_NUMBERS = np.arange(len(FIELDS), dtype=np.uint8)
_WEIGHTS = np.array(WEIGHTS, np.float32)


def _norms(
    snapshot: Snapshot,
    node_ids: NDArray[np.intp],
    counts: NDArray[np.unsignedinteger[Any]],
    fields: NDArray[np.uint8],
) -> Floats:
    """How often each node id holds a term in a field, evened out for the length of the field."""
    norms = np.empty(len(node_ids), np.float32)
    for field, average in enumerate(snapshot.average_length):
        here = np.flatnonzero(fields == field)
        if len(here):
            b = LENGTH_NORMS[field]
            lengths = snapshot.lengths[field].take(node_ids.take(here)).astype(np.float32)
            lengths *= np.float32(b / (average or 1.0))
            lengths += np.float32(1 - b)
            norms[here] = counts.take(here) / lengths
    return norms


def _summed(node_ids: NDArray[np.intp], values: Floats, room: Floats) -> Tally:
    """The sum of the values of each node id, added in their order.

    `room` has a value for every node id there is, whatever it holds.
    """
    nodes = unique_sorted(node_ids)
    room[nodes] = 0
    np.add.at(room, node_ids, values)
    return nodes.astype(np.int32), room.take(nodes)


def _said(postings: TermPostings, values: NDArray[Value]) -> NDArray[Value]:
    """The values beside those of some postings that are of the fields of `SAID`."""
    return np.concatenate([values[postings.within(field)] for field in SAID])


def _n_said(postings: TermPostings) -> tuple[int, ...]:
    starts = postings.starts
    return tuple(starts[field + 1] - starts[field] for field in SAID)


def _of_files(
    snapshot: Snapshot, owners: NodeIds, counts: NDArray[np.unsignedinteger[Any]]
) -> Tally:
    """What the path of each file counts, which every node of the file has."""
    if not len(owners):
        return _NOTHING
    found = np.zeros(snapshot.n_file_ids, np.float32)
    found[owners] = counts
    return _tally(found)


def _tally(counts: NDArray[Any]) -> Tally:
    """The places of those that are more than zero, and they."""
    places = np.flatnonzero(counts > 0)
    return places.astype(np.int32), counts.take(places).astype(np.float32)


_NOTHING: Tally = np.zeros(0, np.int32), np.zeros(0, np.float32)
