"""Arrays that only grow at their end, shared by all snapshots.

The value in a row never changes once a snapshot could see it, so a snapshot is a view of the
rows that existed when it was made, and publishing copies nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from packhound.index.quantized import Codes, scales_of
from packhound.index.scan import sums_of

T = TypeVar("T", bound=np.generic)

VECTOR_BLOCK = 4096
"""Vectors in one block: 1 MB at 256 dimensions, which stays in a processor's cache."""

_FIRST_CAPACITY = 1024


class Column(Generic[T]):
    """One growing array.

    Rows are written at a place that the caller names, so that a write which failed half way
    through several columns is simply written over.
    """

    def __init__(self, dtype: DTypeLike) -> None:
        self._room: NDArray[T] = np.zeros(0, dtype)

    def write(self, first: int, rows: NDArray[Any]) -> None:
        """Set the rows from `first` on, which no snapshot has seen yet."""
        end = first + len(rows)
        if end > len(self._room):
            self._grow(first, end)
        self._room[first:end] = rows

    def view(self, n: int) -> NDArray[T]:
        """The first `n` rows, read-only."""
        view = self._room[:n]
        view.flags.writeable = False
        return view

    def _grow(self, used: int, least: int) -> None:
        capacity = max(_FIRST_CAPACITY, least + least // 2)
        room = np.zeros(capacity, self._room.dtype)
        room[:used] = self._room[:used]
        self._room = room


def distinct(values: NDArray[np.integer[Any]]) -> NDArray[Any]:
    """The distinct values, ascending.

    As `np.unique`, which takes longer and at its first use imports all of numpy.ma.
    """
    # Nearly always some ascending runs, which this sort merges.
    ordered = np.sort(values, kind="stable")
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered.compress(first)


@dataclass(frozen=True, slots=True, eq=False)
class VectorBlock:
    """`VECTOR_BLOCK` vectors, those that are not there yet zero.

    `columns` [dim, VECTOR_BLOCK] has the code of a vector in each column, `scales` 1 / length of
    each, `sums` the sum of each.
    """

    columns: Codes
    scales: NDArray[np.float32]
    sums: NDArray[np.int32]


class VectorColumn:
    """A growing list of vectors in blocks.

    Unlike the other columns a vector may be written later than it was added, once: snapshots that
    are older tell by their own `has_vector` that they must not look.
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.blocks: list[VectorBlock] = []

    def reserve(self, n: int) -> None:
        """Make sure that there is room for `n` vectors; those without dimensions need none."""
        while self.dim and len(self.blocks) * VECTOR_BLOCK < n:
            columns = np.zeros((self.dim, VECTOR_BLOCK), np.int8)
            scales, sums = np.zeros(VECTOR_BLOCK, np.float32), np.zeros(VECTOR_BLOCK, np.int32)
            self.blocks.append(VectorBlock(columns, scales, sums))

    def append(self, first: int, codes: Codes, scales: NDArray[np.float32]) -> None:
        """Set the vectors from `first` on."""
        self.reserve(first + len(codes))
        for number, at, part in _cut(first, len(codes)) if self.dim else ():
            self._put(self.blocks[number], at, codes[part], scales[part])

    def code(self, label: int) -> Codes:
        """The code of one vector, [dim]."""
        code: Codes = self.blocks[label // VECTOR_BLOCK].columns[:, label % VECTOR_BLOCK]
        return code

    def write(self, labels: NDArray[np.int32], codes: Codes) -> None:
        """Set the vectors of `labels`."""
        scales = scales_of(codes)
        for number in distinct(labels // VECTOR_BLOCK).tolist():
            here = labels // VECTOR_BLOCK == number
            at = labels[here] % VECTOR_BLOCK
            self._put(self.blocks[number], at, codes[here], scales[here])

    def _put(
        self,
        block: VectorBlock,
        at: slice | NDArray[np.int32],
        codes: Codes,
        scales: NDArray[np.float32],
    ) -> None:
        columns = np.ascontiguousarray(codes.T)
        block.columns[:, at], block.scales[at] = columns, scales
        block.sums[at] = sums_of(columns)


def _cut(first: int, n: int) -> Iterator[tuple[int, slice, slice]]:
    """`n` rows from `first` on as runs within blocks: block, place in it, and place in the rows."""
    done = 0
    while done < n:
        number, at = divmod(first + done, VECTOR_BLOCK)
        size = min(VECTOR_BLOCK - at, n - done)
        yield number, slice(at, at + size), slice(done, done + size)
        done += size


def gathered(
    blocks: Sequence[VectorBlock], labels: NDArray[np.integer[Any]], dim: int
) -> tuple[Codes, NDArray[np.float32]]:
    """The codes of `labels` from blocks, [len(labels), dim], and their scales."""
    codes, scales = np.zeros((len(labels), dim), np.int8), np.zeros(len(labels), np.float32)
    if not dim or not len(labels):
        return codes, scales
    runs = _runs(labels)
    if _RUN * len(runs) <= len(labels):
        codes[:] = _joined(blocks, runs).T
        return codes, np.concatenate([blocks[i].scales[at] for i, at in runs])
    for number in distinct(labels // VECTOR_BLOCK).tolist():
        here = labels // VECTOR_BLOCK == number
        block, at = blocks[number], labels[here] % VECTOR_BLOCK
        codes[here] = block.columns.take(at, axis=1).T
        scales[here] = block.scales[at]
    return codes, scales


_RUN = 4
"""Labels in a row from which on it is faster to copy them together."""


def columns_of(blocks: Sequence[VectorBlock], labels: NDArray[np.integer[Any]]) -> Codes:
    """The codes of `labels` from blocks, [dim, len(labels)]; fast where labels come in a row."""
    return _joined(blocks, _runs(labels))


def _joined(blocks: Sequence[VectorBlock], runs: Sequence[tuple[int, slice]]) -> Codes:
    return np.concatenate([blocks[number].columns[:, at] for number, at in runs], axis=1)


def _runs(labels: NDArray[np.integer[Any]]) -> list[tuple[int, slice]]:
    """The runs of labels that follow each other within one block: its number, and where in it."""
    broken = (labels[1:] - labels[:-1] != 1) | (labels[1:] % VECTOR_BLOCK == 0)
    firsts = np.concatenate(([0], np.flatnonzero(broken) + 1))
    sizes = np.diff(firsts, append=len(labels)).tolist()
    numbers, starts = np.divmod(labels[firsts], VECTOR_BLOCK)
    places = zip(numbers.tolist(), starts.tolist(), sizes, strict=True)
    return [(number, slice(start, start + size)) for number, start, size in places]
