"""Arrays that only grow at their end, shared by all snapshots.

The value in a row never changes once a snapshot could see it, so a snapshot is a view of the
rows that existed when it was made, and publishing copies nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from packhound.core.arrays import unique_sorted
from packhound.index.vectors.int8_matmul import sums_of
from packhound.index.vectors.quantization import Codes, scales_of

T = TypeVar("T", bound=np.generic)

VECTOR_BLOCK = 4096
"""Vectors in one block: 1 MB at 256 dimensions, which stays in a processor's cache."""

VECTOR_GROUP = 64
"""Vectors whose values of one dimension lie side by side: a line of the cache. So a scan reads
memory from one end to the other, which takes two thirds of the time of blocks without groups."""

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


@dataclass(frozen=True, slots=True, eq=False)
class VectorBlock:
    """`VECTOR_BLOCK` vectors, those that are not there yet zero.

    `columns` [groups, dim, VECTOR_GROUP] has the code of a vector in each column, `scales`
    1 / length of each, `sums` the sum of each.
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
            columns = np.zeros((VECTOR_BLOCK // VECTOR_GROUP, self.dim, VECTOR_GROUP), np.int8)
            scales, sums = np.zeros(VECTOR_BLOCK, np.float32), np.zeros(VECTOR_BLOCK, np.int32)
            self.blocks.append(VectorBlock(columns, scales, sums))

    def append(self, first: int, codes: Codes, scales: NDArray[np.float32]) -> None:
        """Set the vectors from `first` on."""
        self.reserve(first + len(codes))
        for number, at, part in _cut(first, len(codes)) if self.dim else ():
            _put(self.blocks[number], at, codes[part], scales[part])

    def code(self, node_id: int) -> Codes:
        """The code of one vector, [dim]."""
        group, column = divmod(node_id % VECTOR_BLOCK, VECTOR_GROUP)
        code: Codes = self.blocks[node_id // VECTOR_BLOCK].columns[group, :, column]
        return code

    def write(self, node_ids: NDArray[np.int32], codes: Codes) -> None:
        """Set the vectors of `node_ids`."""
        scales = scales_of(codes)
        for number in unique_sorted(node_ids // VECTOR_BLOCK).tolist():
            here = node_ids // VECTOR_BLOCK == number
            at = node_ids[here] % VECTOR_BLOCK
            _put(self.blocks[number], at, codes[here], scales[here])


def _put(
    block: VectorBlock,
    at: slice | NDArray[np.int32],
    codes: Codes,
    scales: NDArray[np.float32],
) -> None:
    """Set the vectors of a block at some places, whole groups of them the fast way."""
    n_whole = 0
    if isinstance(at, slice):
        first, last = at.start // VECTOR_GROUP, -(-at.stop // VECTOR_GROUP)
        touched: slice | NDArray[np.int32] = slice(first, last)
        places = np.arange(at.start, at.stop)
        if at.start % VECTOR_GROUP == 0:
            n_whole = len(codes) // VECTOR_GROUP
            whole = codes[: n_whole * VECTOR_GROUP].reshape(n_whole, VECTOR_GROUP, codes.shape[1])
            block.columns[first : first + n_whole] = whole.transpose(0, 2, 1)
    else:
        touched, places = unique_sorted(at // VECTOR_GROUP), at
    rest = slice(n_whole * VECTOR_GROUP, None)
    groups, columns = np.divmod(places[rest], VECTOR_GROUP)
    block.columns[groups, :, columns] = codes[rest]
    block.scales[at] = scales
    block.sums.reshape(-1, VECTOR_GROUP)[touched] = sums_of(block.columns[touched])


def _cut(first: int, n: int) -> Iterator[tuple[int, slice, slice]]:
    """`n` rows from `first` on as runs within blocks: block, place in it, and place in the rows."""
    done = 0
    while done < n:
        number, at = divmod(first + done, VECTOR_BLOCK)
        size = min(VECTOR_BLOCK - at, n - done)
        yield number, slice(at, at + size), slice(done, done + size)
        done += size


def gathered(
    blocks: Sequence[VectorBlock], node_ids: NDArray[np.integer[Any]], dim: int
) -> tuple[Codes, NDArray[np.float32]]:
    """The codes of `node_ids` from blocks, [len(node ids), dim], and their scales."""
    codes, scales = np.zeros((len(node_ids), dim), np.int8), np.zeros(len(node_ids), np.float32)
    for number in unique_sorted(node_ids // VECTOR_BLOCK).tolist() if dim else ():
        here = node_ids // VECTOR_BLOCK == number
        block, at = blocks[number], node_ids[here] % VECTOR_BLOCK
        codes[here] = block.columns[at // VECTOR_GROUP, :, at % VECTOR_GROUP]
        scales[here] = block.scales[at]
    return codes, scales


def groups_of(
    blocks: Sequence[VectorBlock], node_ids: NDArray[np.integer[Any]]
) -> tuple[Codes, NDArray[np.intp]]:
    """The groups that hold any of `node_ids`, [groups, dim, VECTOR_GROUP], and the place of each
    node id in these, counted column by column."""
    at, column = np.divmod(node_ids, VECTOR_GROUP)
    groups = unique_sorted(at)
    numbers, firsts = np.divmod(groups, VECTOR_BLOCK // VECTOR_GROUP)
    ends = np.flatnonzero(np.diff(numbers, append=-1)) + 1
    parts = [
        blocks[numbers[start]].columns[firsts[start:end]]
        for start, end in pairwise([0, *ends.tolist()])
    ]
    return np.concatenate(parts), groups.searchsorted(at) * VECTOR_GROUP + column
