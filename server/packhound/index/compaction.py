"""Numbering the live node ids anew, so that the dead ones take no room any more.

It reads a snapshot, in a thread of its own if need be, while the index goes on; `catch_up` then
adds what happened since.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from packhound.core.arrays import NodeIds
from packhound.index.columns import VECTOR_BLOCK
from packhound.index.file_entry import FileEntry
from packhound.index.node_columns import NO_LABELS, NodeColumns
from packhound.index.postings.segment import Segment, merge
from packhound.index.snapshot import Snapshot
from packhound.storage.rows import Block


@dataclass(frozen=True, slots=True, eq=False)
class Compacted:
    """A snapshot without its dead node ids. `new_node_ids[i]` is what became of node id i, -1 if dead."""

    before: Snapshot
    columns: NodeColumns
    segment: Segment
    new_node_ids: NodeIds
    files: Mapping[str, FileEntry]


def compact(snapshot: Snapshot) -> Compacted:
    """Number the live node ids of a snapshot anew, in their order."""
    kept = np.flatnonzero(snapshot.live).astype(np.int32)
    new_node_ids = np.full(snapshot.n_node_ids, -1, np.int32)
    new_node_ids[kept] = np.arange(len(kept), dtype=np.int32)
    columns = NodeColumns(snapshot.vectors.dim)
    _append(columns, snapshot, kept)
    segment = merge(snapshot.terms.segments, new_node_ids, 0, len(kept))
    files = {path: renumbered(entry, new_node_ids) for path, entry in snapshot.files.items()}
    return Compacted(snapshot, columns, segment, new_node_ids, files)


def catch_up(compacted: Compacted, now: Snapshot) -> NodeIds:
    """Bring the new columns to the state of `now`, a later snapshot of the old epoch.

    Returns what became of every node id of `now`.
    """
    columns, before, new_node_ids = compacted.columns, compacted.before, compacted.new_node_ids
    tail = np.arange(before.n_node_ids, now.n_node_ids, dtype=np.int32)
    _append(columns, now, tail)
    changed = now.vectors.state[: before.n_node_ids] != before.vectors.state
    late = np.flatnonzero(changed & (new_node_ids >= 0)).astype(np.int32)
    if len(late):
        columns.attach(new_node_ids[late], now.vectors.take(late)[0])
    followed = np.concatenate((new_node_ids, tail - before.n_node_ids + before.n_nodes))
    columns.update_liveness(followed[now.live], NO_LABELS)
    return followed


def renumbered(entry: FileEntry, new_node_ids: NodeIds) -> FileEntry:
    """A file under its new node ids."""
    node_ids = new_node_ids[entry.node_ids]
    node_ids.flags.writeable = False
    return entry.renumbered(node_ids)


def _append(columns: NodeColumns, snapshot: Snapshot, node_ids: NodeIds) -> None:
    names = snapshot.name_table.names
    for start in range(0, len(node_ids), VECTOR_BLOCK):
        here = node_ids[start : start + VECTOR_BLOCK]
        block = Block(
            snapshot.file_of[here],
            snapshot.kind_of[here],
            columns.names.add_all([names[i] for i in snapshot.name_of[here].tolist()]),
            columns.names.add_all([names[i] for i in snapshot.tail_of[here].tolist()]),
            np.stack([lengths[here] for lengths in snapshot.lengths], axis=1),
            snapshot.vectors.state[here],
            *snapshot.vectors.take(here),
        )
        columns.append_block(block)
