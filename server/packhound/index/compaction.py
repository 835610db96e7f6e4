"""Numbering the live labels anew, so that the dead ones take no room any more.

It reads a snapshot, in a thread of its own if need be, while the index goes on; `catch_up` then
adds what happened since.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from packhound.index.columns import VECTOR_BLOCK
from packhound.index.file_entry import FileEntry, Labels
from packhound.index.node_columns import NO_LABELS, LabelColumns
from packhound.index.postings.segment import Segment, merge
from packhound.index.snapshot import Snapshot
from packhound.storage.rows import Block


@dataclass(frozen=True, slots=True, eq=False)
class Compacted:
    """A snapshot without its dead labels. `new_labels[i]` is what became of label i, -1 if dead."""

    before: Snapshot
    columns: LabelColumns
    segment: Segment
    new_labels: Labels
    files: Mapping[str, FileEntry]


def compact(snapshot: Snapshot) -> Compacted:
    """Number the live labels of a snapshot anew, in their order."""
    kept = np.flatnonzero(snapshot.live).astype(np.int32)
    new_labels = np.full(snapshot.n_labels, -1, np.int32)
    new_labels[kept] = np.arange(len(kept), dtype=np.int32)
    columns = LabelColumns(snapshot.vectors.dim)
    _append(columns, snapshot, kept)
    segment = merge(snapshot.terms.segments, new_labels, 0, len(kept))
    files = {path: relabelled(entry, new_labels) for path, entry in snapshot.files.items()}
    return Compacted(snapshot, columns, segment, new_labels, files)


def catch_up(compacted: Compacted, now: Snapshot) -> Labels:
    """Bring the new columns to the state of `now`, a later snapshot of the old epoch.

    Returns what became of every label of `now`.
    """
    columns, before, new_labels = compacted.columns, compacted.before, compacted.new_labels
    tail = np.arange(before.n_labels, now.n_labels, dtype=np.int32)
    _append(columns, now, tail)
    changed = now.vectors.state[: before.n_labels] != before.vectors.state
    late = np.flatnonzero(changed & (new_labels >= 0)).astype(np.int32)
    if len(late):
        columns.attach(new_labels[late], now.vectors.take(late)[0])
    followed = np.concatenate((new_labels, tail - before.n_labels + before.n_nodes))
    columns.turn(followed[now.live], NO_LABELS)
    return followed


def relabelled(entry: FileEntry, new_labels: Labels) -> FileEntry:
    """A file under its new labels."""
    labels = new_labels[entry.labels]
    labels.flags.writeable = False
    return entry.relabelled(labels)


def _append(columns: LabelColumns, snapshot: Snapshot, labels: Labels) -> None:
    names = snapshot.name_table.names
    for start in range(0, len(labels), VECTOR_BLOCK):
        here = labels[start : start + VECTOR_BLOCK]
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
