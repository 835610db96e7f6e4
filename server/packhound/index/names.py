"""Distinct names with a number each. It only grows, so all snapshots share it.

One thread adds; any number of threads ask.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray


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
        with self._folding:
            self._fold_new()
        return self._folded.get(folded, ())

    def _fold_new(self) -> None:
        for number in range(self._n_folded, len(self.names)):
            folded = self.names[number].lower()
            self._folded[folded] = (*self._folded.get(folded, ()), number)
            self._n_folded = number + 1
