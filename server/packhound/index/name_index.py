"""Distinct names with a number each. It only grows, so all snapshots share it.

One thread adds; any number of threads ask.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import NodeIds

_NONE: NodeIds = np.zeros(0, np.int32)


class NameTable:
    """Names by number and numbers by name, exactly and in lower case."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = list(names)
        self._ids = dict(zip(self.names, range(len(self.names)), strict=True))
        self._folded: dict[str, tuple[int, ...]] = {}
        self._n_folded = 0
        self._folding = threading.Lock()

    def __len__(self) -> int:
        return len(self.names)

    def add(self, name: str) -> int:
        """The number of `name`, given now if it is new."""
        number = self._ids.get(name)
        if number is None:
            number = len(self.names)
            # The name stands at its number before anyone can learn the number.
            self.names.append(name)
            self._ids[name] = number
        return number

    def add_all(self, names: Sequence[str]) -> NDArray[np.int32]:
        """The numbers of `names`, in their order."""
        return np.fromiter(map(self.add, names), np.int32, len(names))

    def ids(self, name: str) -> tuple[int, ...]:
        """The number of `name`, or nothing."""
        number = self._ids.get(name)
        return () if number is None else (number,)

    def folded_ids(self, folded: str) -> tuple[int, ...]:
        """Numbers of the names that are `folded` in lower case."""
        self.fold()
        return self._folded.get(folded, ())

    def fold(self) -> None:
        """See to the lower case of names that are new: of 30,000, some 30 ms."""
        with self._folding:
            for number in range(self._n_folded, len(self.names)):
                folded = self.names[number].lower()
                self._folded[folded] = (*self._folded.get(folded, ()), number)
                self._n_folded = number + 1


class NameIndex:
    """Which node ids bear a name, by its number: their own name, or the last part of the qualified.

    Shared by the snapshots of one epoch, within which names of node ids never change. Node ids that
    came since the last sorting are looked through.
    """

    def __init__(self) -> None:
        self._sorted = _Sorted(0, _NONE, _NONE)

    def of(self, number: int, name_of: NodeIds, tail_of: NodeIds) -> NodeIds:
        """Node ids, ascending and dead ones included, whose `name_of` or `tail_of` is `number`."""
        known = self._sorted
        if len(name_of) - known.n > _UNSORTED:
            known = self._sorted = _sorted(name_of, tail_of)
        # Of the same type: it would copy all numbers otherwise.
        start, end = known.numbers.searchsorted(np.array((number, number + 1), np.int32))
        found, n = known.node_ids[start:end], known.n
        if n >= len(name_of):
            return found if n == len(name_of) else found[found < len(name_of)]
        late = np.flatnonzero((name_of[n:] == number) | (tail_of[n:] == number))
        return np.concatenate((found, late.astype(np.int32) + np.int32(n)))


@dataclass(frozen=True, slots=True, eq=False)
class _Sorted:
    """The first `n` node ids by the numbers of their names."""

    n: int
    numbers: NodeIds
    node_ids: NodeIds


_UNSORTED = 2_048
"""Node ids that are looked through at every question: some microseconds."""


def _sorted(name_of: NodeIds, tail_of: NodeIds) -> _Sorted:
    qualified = np.flatnonzero(tail_of != name_of).astype(np.int32)
    numbers = np.concatenate((name_of, tail_of[qualified]))
    node_ids = np.concatenate((np.arange(len(name_of), dtype=np.int32), qualified))
    order = np.lexsort((node_ids, numbers))
    return _Sorted(len(name_of), numbers[order], node_ids[order])
