"""Postings of one term with all that scoring needs of them, cached by snapshot.

The next key stroke, and the next search for a pack, have mostly the same terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import log
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, NodeIds, Positions, unique_sorted
from packhound.core.caching import ByteLru
from packhound.core.types import FIELDS
from packhound.index import Snapshot, TermPostings

Value = TypeVar("Value", bound=np.generic)

NAME, PATH, SIGNATURE, DOC, BODY = (FIELDS.index(f) for f in FIELDS)

WEIGHTS = (3.0, 4.0, 1.0, 1.0, 1.0)
"""Weight of an occurrence in each field (BM25F, Zaragoza and others 2004)."""
LENGTH_NORMS = (0.3, 0.3, 0.5, 0.5, 0.75)
"""Length normalization of each field (b)."""


class Bm25(NamedTuple):
    """The parameters of BM25: `k1`, and `b` of bodies; those of other texts are in proportion."""

    k1: float = 1.2
    b: float = 0.75

    @property
    def b_factor(self) -> float:
        """`b` relative to the default."""
        return self.b / BM25.b


BM25 = Bm25()

FIELDS_SCORED = (NAME, SIGNATURE, DOC)
"""Fields that are also scored by themselves."""

_COMMON = 4_096
"""A term of more postings is worked on alone, where these are; rarer ones together, in a copy."""
_MIN_BYTES, _BYTES_A_NODE = 20_000_000, 64
"""Of all matches; those of a frequent term of a million nodes are some megabytes."""
_OVERHEAD_BYTES = 1_500

SparseCounts: TypeAlias = tuple[NodeIds, Floats]
"""Ascending node ids or file ids, and the value of each."""


@dataclass(frozen=True, slots=True, eq=False)
class TermMatch:
    """One term in one snapshot.

    `nodes` are the node ids with the term in any field, with their BM25F before the idf.
    `field_hits` are the node ids with the term in a field of `FIELDS_SCORED`, field by field,
    field_counts[i] of them in `FIELDS_SCORED[i]`, with their length-normalized frequencies;
    `field_idfs` are the idfs in the fields, `in_paths` the file ids with the term in their path.
    """

    nodes: SparseCounts
    field_hits: SparseCounts
    field_counts: tuple[int, ...]
    in_paths: NodeIds
    idf: float
    field_idfs: tuple[float, ...]

    @property
    def n_bytes(self) -> int:
        """Bytes of its arrays, and about those of the objects that hold them."""
        arrays = (*self.nodes, *self.field_hits, self.in_paths)
        return _OVERHEAD_BYTES + sum(array.nbytes for array in arrays)


class TermMatchCache:
    """LRU cache of the matches of one snapshot, which it does not keep alive. Thread-safe."""

    def __init__(self, n_nodes: int, bm25: Bm25 = BM25) -> None:
        self.bm25 = bm25
        max_bytes = max(_MIN_BYTES, n_nodes * _BYTES_A_NODE)
        self.entries = ByteLru[str, TermMatch](max_bytes, attrgetter("n_bytes"))
        self._no_match: TermMatch | None = None

    def lookup(self, snapshot: Snapshot, terms: Iterable[str]) -> list[TermMatch]:
        """Return the match of each term in the snapshot that this belongs to."""
        terms = [*terms]
        cached = {term: self.entries.get(term) for term in terms}
        missing = [term for term, match in cached.items() if match is None]
        if missing:
            cached.update(zip(missing, self._compute(snapshot, missing), strict=True))
        matches = {term: match for term, match in cached.items() if match is not None}
        self.entries.put(matches)
        return [matches[term] for term in terms]

    def _compute(self, snapshot: Snapshot, terms: Sequence[str]) -> list[TermMatch]:
        postings = [snapshot.postings(term) for term in terms]
        # Most compounds of a query are in no index, and share one empty match.
        scratch = np.empty(snapshot.n_node_ids, np.float32)
        match = partial(_match_postings, snapshot, self.bm25, scratch)
        if self._no_match is None:
            [self._no_match] = match([_NO_POSTINGS])
        rare = [each for each in postings if 0 < len(each.node_ids) <= _COMMON]
        of_rare = iter(match(rare) if rare else ())
        matches = []
        for each in postings:
            if len(each.node_ids) > _COMMON:
                matches += match([each])
            else:
                matches.append(next(of_rare) if len(each.node_ids) else self._no_match)
        return matches


_NO_POSTINGS = TermPostings(np.zeros(0, np.intp), np.zeros(0, np.uint8), (0,) * (len(FIELDS) + 1))


def idf_of(n: int, document_frequency: int) -> float:
    """Return the inverse document frequency as in Lucene's BM25Similarity: never negative."""
    return log(1 + (n - document_frequency + 0.5) / (document_frequency + 0.5))


def _match_postings(
    snapshot: Snapshot, bm25: Bm25, scratch: Floats, terms: Sequence[TermPostings]
) -> list[TermMatch]:
    """Return the match of each term; arrays span all of them.

    `scratch` has a value of any kind for every node id of the snapshot.
    """
    node_ids, counts = terms[0].node_ids, terms[0].tf
    rows_by_field: Sequence[slice | Positions] = [terms[0].within(f) for f in range(len(FIELDS))]
    sizes = np.diff([postings.starts for postings in terms]).ravel()
    if len(terms) > 1:
        node_ids = np.concatenate([postings.node_ids for postings in terms])
        counts = np.concatenate([postings.tf for postings in terms])
        fields = np.repeat(np.tile(_FIELD_NUMBERS, len(terms)), sizes)
        rows_by_field = [np.flatnonzero(fields == field) for field in range(len(FIELDS))]
    frequencies = _normalize_lengths(snapshot, node_ids, counts, rows_by_field, bm25.b_factor)
    weighted = np.repeat(np.tile(_WEIGHTS, len(terms)), sizes) * frequencies
    matches, start = [], 0
    for postings in terms:
        rows = slice(start, start := start + len(postings.node_ids))
        nodes, sums = _sum_by_node(postings.node_ids, weighted[rows], scratch)
        field_counts = _count_fields(postings)
        file_ids = snapshot.file_of.take(postings.node_ids[postings.within(PATH)])
        matches.append(
            TermMatch(
                nodes=(nodes, sums / (sums + np.float32(bm25.k1))),
                field_hits=(
                    _take_fields(postings, postings.node_ids).astype(np.int32),
                    _take_fields(postings, frequencies[rows]),
                ),
                field_counts=field_counts,
                in_paths=_distinct(file_ids, snapshot.n_file_ids).astype(np.int32),
                idf=idf_of(snapshot.n_nodes, len(nodes)),
                field_idfs=tuple(idf_of(snapshot.n_nodes, n) for n in field_counts),
            )
        )
    return matches


_FIELD_NUMBERS = np.arange(len(FIELDS), dtype=np.uint8)
_WEIGHTS = np.array(WEIGHTS, np.float32)


def _normalize_lengths(
    snapshot: Snapshot,
    node_ids: NDArray[np.intp],
    counts: NDArray[np.unsignedinteger[Any]],
    rows_by_field: Iterable[slice | Positions],
    b_factor: float,
) -> Floats:
    """Return each term frequency divided by BM25's length norm of its field."""
    frequencies = np.empty(len(node_ids), np.float32)
    averages = snapshot.average_length
    for field, (rows, average) in enumerate(zip(rows_by_field, averages, strict=True)):
        lengths = snapshot.lengths[field].take(node_ids[rows]).astype(np.float32)
        b = LENGTH_NORMS[field] * b_factor
        lengths *= np.float32(b / (average or 1.0))
        lengths += np.float32(1 - b)
        frequencies[rows] = counts[rows] / lengths
    return frequencies


def _sum_by_node(node_ids: NDArray[np.intp], values: Floats, scratch: Floats) -> SparseCounts:
    """Sum the values of each node id in their order.

    `scratch` has a value of any kind for every node id of the snapshot.
    """
    nodes = _distinct(node_ids, len(scratch))
    scratch[nodes] = 0
    np.add.at(scratch, node_ids, values)
    return nodes.astype(np.int32), scratch.take(nodes)


def _take_fields(postings: TermPostings, values: NDArray[Value]) -> NDArray[Value]:
    """Return the values that belong to postings in the fields of `FIELDS_SCORED`."""
    return np.concatenate([values[postings.within(field)] for field in FIELDS_SCORED])


def _count_fields(postings: TermPostings) -> tuple[int, ...]:
    starts = postings.starts
    return tuple(starts[field + 1] - starts[field] for field in FIELDS_SCORED)


def _distinct(ids: NDArray[np.integer[Any]], n_all: int) -> NDArray[np.integer[Any]]:
    """Return the distinct ids, ascending; `n_all` ids there are."""
    if _are_few(ids, n_all):
        return unique_sorted(ids)
    mask = np.zeros(n_all, np.bool_)
    mask[ids] = True
    return np.flatnonzero(mask)


def _are_few(ids: NDArray[np.integer[Any]], n_all: int) -> bool:
    """Return True if sorting ids is cheaper than an array with a row for each of all."""
    return len(ids) * 16 + 16_384 < n_all


def n_files_with(snapshot: Snapshot, term: str) -> int:
    """Return the number of files with a term in their text."""
    postings = snapshot.postings(term)
    inside = np.delete(postings.node_ids, postings.within(PATH))
    return len(_distinct(snapshot.file_of.take(inside), snapshot.n_file_ids))
