"""Arrays that only grow at their end, shared by all snapshots.

The value in a row never changes once a snapshot could see it, so a snapshot is a view of the
rows that existed when it was made, and publishing copies nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from packhound.index.grid import Rows

T = TypeVar("T", bound=np.generic)

VECTOR_BLOCK = 4096
"""Rows in one block of vectors: 4 MB at 256 dimensions, so that growing never copies."""

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


class VectorColumn:
    """A growing matrix of vectors in blocks; rows not written yet are zero.

    Unlike the other columns a row may be written later than it was added, once: snapshots that
    are older tell by their own `has_vector` that they must not look.
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self._blocks: list[Rows] = []

    def reserve(self, n: int) -> None:
        """Make sure that there are `n` rows."""
        while len(self._blocks) * VECTOR_BLOCK < n:
            self._blocks.append(np.zeros((VECTOR_BLOCK, self.dim), np.float32))

    def append(self, first: int, rows: Rows) -> None:
        """Set the rows from `first` on; a whole block is taken as it is."""
        if len(rows) == VECTOR_BLOCK and first == len(self._blocks) * VECTOR_BLOCK:
            self._blocks.append(rows)
        else:
            self.reserve(first + len(rows))
            self.write(np.arange(first, first + len(rows), dtype=np.int32), rows)

    def row(self, label: int) -> NDArray[np.float32]:
        """One row."""
        row: NDArray[np.float32] = self._blocks[label // VECTOR_BLOCK][label % VECTOR_BLOCK]
        return row

    def write(self, labels: NDArray[np.int32], rows: Rows) -> None:
        """Set the rows of `labels`."""
        for block in np.unique(labels // VECTOR_BLOCK):
            here = labels // VECTOR_BLOCK == block
            self._blocks[block][labels[here] % VECTOR_BLOCK] = rows[here]

    def views(self, n: int) -> tuple[Rows, ...]:
        """The first `n` rows in blocks, read-only."""
        views = []
        for start in range(0, n, VECTOR_BLOCK):
            view = self._blocks[start // VECTOR_BLOCK][: n - start]
            view.flags.writeable = False
            views.append(view)
        return tuple(views)


def gathered(blocks: Sequence[Rows], labels: NDArray[np.int32], dim: int) -> Rows:
    """The rows of `labels` from blocks, [len(labels), dim]."""
    rows = np.zeros((len(labels), dim), np.float32)
    for block in np.unique(labels // VECTOR_BLOCK):
        here = labels // VECTOR_BLOCK == block
        rows[here] = blocks[block][labels[here] % VECTOR_BLOCK]
    return rows
