"""Names with an id each, and the inverted index from name ids to node ids.

The table only grows, so all snapshots share it. One thread adds; any number of threads read.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress, count
from operator import ne

import numpy as np

from packhound.core.arrays import NO_NODE_IDS, Ints, NodeIds


class NameTable:
    """Distinct names by id, and ids by name, exactly and in lower case.

    `_folded` has the lower case of names that are not.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        # Indexes of working trees have the same names.
        self.names = [*map(sys.intern, names)]
        self._ids = dict(zip(self.names, range(len(self.names)), strict=True))
        self._folded: dict[str, tuple[int, ...]] = {}
        self._n_folded = 0
        self._folding = threading.Lock()

    def __len__(self) -> int:
        return len(self.names)

    def fork(self) -> NameTable:
        """Return a table that begins as this one is now; any thread may call."""
        fork = NameTable()
        # The ids first: a name is in the list before it has one.
        fork._ids = self._ids.copy()
        fork.names = self.names[: len(fork._ids)]
        with self._folding:
            fork._folded = self._folded.copy()
            fork._n_folded = min(self._n_folded, len(fork.names))
        return fork

    def add(self, name: str) -> int:
        """Return the id of `name`, a new one if need be."""
        name_id = self._ids.get(name)
        if name_id is None:
            name_id = len(self.names)
            # The name is in the list before any thread can learn its id.
            self.names.append(sys.intern(name))
            self._ids[name] = name_id
        return name_id

    def add_all(self, names: Sequence[str]) -> Ints:
        """Return the ids of `names`, in their order."""
        return np.fromiter(map(self.add, names), np.int32, len(names))

    def ids(self, name: str) -> tuple[int, ...]:
        """Return the id of `name`, or nothing."""
        name_id = self._ids.get(name)
        return () if name_id is None else (name_id,)

    def folded_ids(self, folded: str) -> tuple[int, ...]:
        """Return the ids of the names that are `folded` in lower case."""
        self.fold()
        return (*self.ids(folded), *self._folded.get(folded, ()))

    def fold(self) -> None:
        """Index the lower case of new names: of 30,000, some 10 ms."""
        with self._folding:
            names = self.names[self._n_folded :]
            lower = [*map(str.lower, names)]
            for i in compress(count(), map(ne, lower, names)):
                same = self._folded.get(lower[i], ())
                self._folded[lower[i]] = (*same, self._n_folded + i)
            self._n_folded += len(names)


class NameIndex:
    """Inverted index from name id to node ids: by name, and by last part of the qualified name.

    Shared by the snapshots of one epoch, within which names of node ids never change. Node ids
    that were added since the last sort are scanned.
    """

    def __init__(self) -> None:
        self._sorted = _SortedNames(0, NO_NODE_IDS, NO_NODE_IDS)

    def fork(self, n: int) -> NameIndex:
        """Return an index of names that are the same for the first `n` node ids."""
        fork = NameIndex()
        if self._sorted.n <= n:
            fork._sorted = self._sorted
        return fork

    def lookup(self, name_id: int, name_of: Ints, tail_of: Ints) -> NodeIds:
        """Return the node ids whose `name_of` or `tail_of` is `name_id`, ascending, dead or not."""
        index = self._sorted
        if len(name_of) - index.n > _MAX_UNSORTED:
            index = self._sorted = _sort_names(name_of, tail_of)
        # Of the same type: it would copy all name ids otherwise.
        start, end = index.name_ids.searchsorted(np.array((name_id, name_id + 1), np.int32))
        matches, n = index.node_ids[start:end], index.n
        if n >= len(name_of):
            return matches if n == len(name_of) else matches[matches < len(name_of)]
        tail = np.flatnonzero((name_of[n:] == name_id) | (tail_of[n:] == name_id))
        return np.concatenate((matches, tail.astype(np.int32) + np.int32(n)))


@dataclass(frozen=True, slots=True, eq=False)
class _SortedNames:
    """The first `n` node ids, ordered by the ids of their names."""

    n: int
    name_ids: Ints
    node_ids: NodeIds


_MAX_UNSORTED = 2_048
"""Node ids scanned at every lookup: some microseconds."""


def _sort_names(name_of: Ints, tail_of: Ints) -> _SortedNames:
    qualified = np.flatnonzero(tail_of != name_of).astype(np.int32)
    name_ids = np.concatenate((name_of, tail_of[qualified]))
    node_ids = np.concatenate((np.arange(len(name_of), dtype=np.int32), qualified))
    order = np.lexsort((node_ids, name_ids))
    return _SortedNames(len(name_of), name_ids[order], node_ids[order])
