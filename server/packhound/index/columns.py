"""Arrays that only grow at their end, shared by all snapshots.

The value in a row never changes once a snapshot could see it, so a snapshot is a view of the
rows that existed when it was made, and publishing copies nothing.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

T = TypeVar("T", bound=np.generic)

_FIRST_CAPACITY = 1024


class Column(Generic[T]):
    """One growing array.

    The caller names the position of each write, so that one that failed half way through several
    columns is simply overwritten.
    """

    def __init__(self, dtype: DTypeLike) -> None:
        self._rows: NDArray[T] = np.zeros(0, dtype)

    @classmethod
    def of(cls, rows: NDArray[T]) -> Column[T]:
        """Return a column that begins with the rows of a snapshot; it copies them to add more."""
        column = cls(rows.dtype)
        column._rows = rows
        return column

    def write(self, first: int, rows: NDArray[Any]) -> None:
        """Set the rows from `first` on, which no snapshot has seen yet."""
        end = first + len(rows)
        if end > len(self._rows):
            self._grow(first, end)
        self._rows[first:end] = rows

    def view(self, n: int) -> NDArray[T]:
        """Return the first `n` rows, read-only."""
        view = self._rows[:n]
        view.flags.writeable = False
        return view

    def _grow(self, n_used: int, min_capacity: int) -> None:
        grown = np.zeros(max(_FIRST_CAPACITY, min_capacity + min_capacity // 2), self._rows.dtype)
        grown[:n_used] = self._rows[:n_used]
        self._rows = grown
