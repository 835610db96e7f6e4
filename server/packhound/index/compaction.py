"""Compaction: renumber the live node ids, so that dead ones take no memory any more.

It reads a snapshot, in a thread of its own if need be, while the index goes on; `catch_up` then
adds what happened since.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from packhound.core.arrays import NO_NODE_IDS, NodeIds
from packhound.index.blocks import BLOCK_SIZE, Block
from packhound.index.file_entry import FileEntry
from packhound.index.node_columns import NodeColumns
from packhound.index.postings.segment import Segment, merge_segments
from packhound.index.snapshot import Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class Compacted:
    """The snapshot `before` without its dead node ids.

    `new_node_ids[i]` is the new number of node id i, -1 if it was dead.
    """

    before: Snapshot
    columns: NodeColumns
    segment: Segment
    new_node_ids: NodeIds
    files: Mapping[str, FileEntry]


def compact(snapshot: Snapshot) -> Compacted:
    """Renumber the live node ids of a snapshot, in their order."""
    live = np.flatnonzero(snapshot.live).astype(np.int32)
    new_node_ids = np.full(snapshot.n_node_ids, -1, np.int32)
    new_node_ids[live] = np.arange(len(live), dtype=np.int32)
    columns = NodeColumns(snapshot.vectors.dim)
    _append(columns, snapshot, live)
    segment = merge_segments(snapshot.terms.segments, new_node_ids, 0, len(live))
    files = {path: renumber_entry(e, new_node_ids) for path, e in snapshot.files.items()}
    return Compacted(snapshot, columns, segment, new_node_ids, files)


def catch_up(compacted: Compacted, now: Snapshot) -> NodeIds:
    """Bring the new columns to the state of `now`, a later snapshot of the old epoch.

    Returns the new number of every node id of `now`.
    """
    columns, before, new_node_ids = compacted.columns, compacted.before, compacted.new_node_ids
    tail = np.arange(before.n_node_ids, now.n_node_ids, dtype=np.int32)
    _append(columns, now, tail)
    changed = now.vectors.state[: before.n_node_ids] != before.vectors.state
    encoded_since = np.flatnonzero(changed & (new_node_ids >= 0)).astype(np.int32)
    if len(encoded_since):
        columns.attach(new_node_ids[encoded_since], now.vectors.take(encoded_since)[0])
    renumbered = np.concatenate((new_node_ids, tail - before.n_node_ids + before.n_nodes))
    columns.update_liveness(renumbered[now.live], NO_NODE_IDS)
    return renumbered


def renumber_entry(entry: FileEntry, new_node_ids: NodeIds) -> FileEntry:
    """Return a file under its new node ids."""
    node_ids = new_node_ids[entry.node_ids]
    node_ids.flags.writeable = False
    return entry.renumber(node_ids)


def _append(columns: NodeColumns, snapshot: Snapshot, node_ids: NodeIds) -> None:
    names = snapshot.name_table.names
    for start in range(0, len(node_ids), BLOCK_SIZE):
        part = node_ids[start : start + BLOCK_SIZE]
        block = Block(
            snapshot.file_of[part],
            snapshot.kind_of[part],
            columns.names.add_all([names[i] for i in snapshot.name_of[part].tolist()]),
            columns.names.add_all([names[i] for i in snapshot.tail_of[part].tolist()]),
            np.stack([lengths[part] for lengths in snapshot.lengths], axis=1),
            snapshot.vectors.state[part],
            *snapshot.vectors.take(part),
        )
        columns.append_block(block)
