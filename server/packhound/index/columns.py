"""Arrays that only grow at their end, shared by all snapshots.

The value in a row never changes once a snapshot could see it, so a snapshot is a view of the
rows that existed when it was made, and publishing copies nothing.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from packhound.index.grid import Rows

T = TypeVar("T", bound=np.generic)

VECTOR_BLOCK = 4096
"""Rows in one block of vectors: 4 MB at 256 dimensions, so that growing never copies."""

_FIRST_CAPACITY = 1024


class Column(Generic[T]):
    """One growing array, of shape [n] or [n, width]."""

    def __init__(self, dtype: DTypeLike, width: int | None = None) -> None:
        self._width = width
        self._room: NDArray[T] = np.zeros(self._shape(0), dtype)
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def append(self, rows: NDArray[Any]) -> None:
        """Add `rows` at the end."""
        end = self._n + len(rows)
        if end > len(self._room):
            self._grow(end)
        self._room[self._n : end] = rows
        self._n = end

    def view(self) -> NDArray[T]:
        """All rows of this moment, read-only."""
        view = self._room[: self._n]
        view.flags.writeable = False
        return view

    def _grow(self, least: int) -> None:
        capacity = max(_FIRST_CAPACITY, least + least // 2)
        room = np.zeros(self._shape(capacity), self._room.dtype)
        room[: self._n] = self._room[: self._n]
        self._room = room

    def _shape(self, n: int) -> tuple[int, ...]:
        return (n,) if self._width is None else (n, self._width)


class VectorColumn:
    """A growing matrix of vectors in blocks; rows not written yet are zero.

    Unlike the other columns a row may be written later than it was added, once: snapshots that
    are older tell by their own `has_vector` that they must not look.
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self._blocks: list[Rows] = []
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def append_empty(self, n: int) -> None:
        """Add `n` rows of zeros."""
        self._n += n
        while len(self._blocks) * VECTOR_BLOCK < self._n:
            self._blocks.append(np.zeros((VECTOR_BLOCK, self.dim), np.float32))

    def append(self, rows: Rows) -> None:
        """Add rows; a whole block is taken as it is."""
        start = self._n
        if len(rows) == VECTOR_BLOCK and start % VECTOR_BLOCK == 0:
            self._blocks.append(rows)
            self._n += len(rows)
        else:
            self.append_empty(len(rows))
            self.write(np.arange(start, self._n, dtype=np.int32), rows)

    def row(self, label: int) -> NDArray[np.float32]:
        """One row."""
        row: NDArray[np.float32] = self._blocks[label // VECTOR_BLOCK][label % VECTOR_BLOCK]
        return row

    def write(self, labels: NDArray[np.int32], rows: Rows) -> None:
        """Set the rows of `labels`."""
        for block in np.unique(labels // VECTOR_BLOCK):
            here = labels // VECTOR_BLOCK == block
            self._blocks[block][labels[here] % VECTOR_BLOCK] = rows[here]

    def views(self) -> tuple[Rows, ...]:
        """The blocks of this moment, cut to the rows in use, read-only."""
        views = []
        for i, block in enumerate(self._blocks):
            view = block[: self._n - i * VECTOR_BLOCK]
            view.flags.writeable = False
            views.append(view)
        return tuple(views)
