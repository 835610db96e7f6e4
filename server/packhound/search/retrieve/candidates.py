"""Candidates: the nodes that are ranked, grouped by file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import (
    NO_NODE_IDS,
    Floats,
    Mask,
    Positions,
    unique_sorted,
)
from packhound.index import FileEntry, Snapshot

Value = TypeVar("Value", bound=np.generic)

_FILE_ID = attrgetter("file_id")


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Nodes to rank, grouped by file: nodes starts[i]..starts[i+1] are of files[i].

    `owner[j]` is the position in `files` of node j, `mask` that of all node ids of the snapshot,
    `ascending` are the node ids in their order, with the position of each in `order`. `truncated`
    says that the budget left some out.
    """

    files: Positions
    node_ids: Positions
    starts: Positions
    owner: Positions
    mask: Mask
    ascending: Positions
    order: Positions
    entries: tuple[FileEntry, ...]
    truncated: bool = False

    def __len__(self) -> int:
        return len(self.node_ids)

    def locate(self, node_ids: NDArray[np.integer[Any]]) -> tuple[Positions, Positions]:
        """Return the rows of `node_ids` that are candidates, and their positions among these."""
        rows = np.flatnonzero(self.mask.take(node_ids))
        return rows, self.positions(node_ids.take(rows))

    def positions(self, node_ids: NDArray[np.integer[Any]]) -> Positions:
        """Return the positions of some candidates."""
        return self.order.take(self.ascending.searchsorted(node_ids))

    def mask_of(self, node_ids: NDArray[np.integer[Any]]) -> Mask:
        """Return the mask of the candidate nodes that are among some node ids."""
        mask = np.zeros(len(self), np.bool_)
        if len(node_ids):
            mask[self.locate(node_ids)[1]] = True
        return mask

    def file_max(self, values: NDArray[Value]) -> NDArray[Value]:
        """Return the largest of each file's node values."""
        return np.maximum.reduceat(values, self.starts) if len(values) else values

    def file_sum(self, values: Floats) -> Floats:
        """Return the sum of each file's node values."""
        return np.add.reduceat(values, self.starts) if len(values) else values


def gather(
    snapshot: Snapshot,
    files: NDArray[np.integer[Any]],
    allowed: Mask | None,
    *,
    truncated: bool = False,
) -> Candidates:
    """Return all allowed nodes of the given files; files without one are dropped."""
    entries = [snapshot.files[snapshot.paths[file_id]] for file_id in files.tolist()]
    groups = [entry.node_ids for entry in entries]
    if allowed is not None:
        groups = [node_ids[allowed[node_ids]] for node_ids in groups]
    counts = np.fromiter(map(len, groups), np.intp, len(groups))
    if not counts.all():
        entries = [*compress(entries, counts.tolist())]
        counts = counts[counts > 0]
    node_ids = np.concatenate([NO_NODE_IDS, *groups], dtype=np.intp)
    return _candidates(snapshot, entries, node_ids, counts, truncated)


def group_by_file(
    snapshot: Snapshot, node_ids: NDArray[np.integer[Any]], *, truncated: bool = False
) -> Candidates:
    """Return live node ids as candidates."""
    file_ids = snapshot.file_of.take(node_ids)
    order = np.lexsort((node_ids, file_ids))
    files = unique_sorted(file_ids)
    counts = np.diff(file_ids[order].searchsorted(files), append=len(node_ids))
    entries = [snapshot.files[snapshot.paths[file_id]] for file_id in files.tolist()]
    return _candidates(snapshot, entries, node_ids[order].astype(np.intp), counts, truncated)


def _candidates(
    snapshot: Snapshot,
    entries: Sequence[FileEntry],
    node_ids: Positions,
    counts: Positions,
    truncated: bool,
) -> Candidates:
    """Return candidates that are in the order of their files, counts[i] in each."""
    mask = np.zeros(snapshot.n_node_ids, np.bool_)
    mask[node_ids] = True
    order = np.argsort(node_ids, kind="stable")
    return Candidates(
        files=np.fromiter(map(_FILE_ID, entries), np.intp, len(entries)),
        node_ids=node_ids,
        starts=np.cumsum(counts) - counts,
        owner=np.repeat(np.arange(len(entries)), counts),
        mask=mask,
        ascending=node_ids.take(order),
        order=order,
        entries=tuple(entries),
        truncated=truncated,
    )
