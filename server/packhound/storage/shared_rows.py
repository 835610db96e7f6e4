"""Rows of the store that an index of this process has in memory already.

Working trees of one project have almost the same rows. What is equal by checksum is shared by
reference: entries of files, segments and whole blocks of vectors, all of them immutable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby

import numpy as np

from packhound.core.arrays import NodeIds
from packhound.index import FileEntry, Segment, Snapshot, VectorBlock
from packhound.storage.dirty_rows import Written
from packhound.storage.row import (
    BLOCK,
    CODES,
    FILE,
    ROW_FILE,
    SEGMENT,
    first_of_segment,
    row_sum,
)
from packhound.storage.rows import file_head, stamp_of
from packhound.storage.stored_rows import StoredRows
from packhound.storage.vector_rows import ROWS_OF_VECTORS


@dataclass(frozen=True, slots=True, eq=False)
class MemoryRows:
    """Rows of a live index by key, with their checksums; `vectors` are its blocks in order."""

    sums: Mapping[int, bytes]
    files: Mapping[int, FileEntry]
    segments: Mapping[int, Segment]
    vectors: Sequence[VectorBlock]


@dataclass(frozen=True, slots=True, eq=False)
class SharedRows:
    """Rows of a store that an index of this process has.

    Segments are by the key of their first row, `vectors` the first blocks, all of them full.
    """

    files: dict[int, FileEntry] = field(default_factory=dict)
    segments: dict[int, Segment] = field(default_factory=dict)
    vectors: list[VectorBlock] = field(default_factory=list)

    def entry(self, key: int, node_ids: NodeIds) -> FileEntry | None:
        """Return the entry of a file with its node ids, if its row is shared."""
        entry = self.files.get(key)
        if entry is None or np.array_equal(entry.node_ids, node_ids):
            return entry
        if len(entry.node_ids) != len(node_ids):
            raise ValueError("a file's node ids do not match its nodes")
        return entry.renumber(node_ids)


def memory_rows(snapshot: Snapshot, written: Written) -> MemoryRows:
    """Return the rows of a store that are as a snapshot of its index has them."""
    keys = written.segments
    return MemoryRows(
        written.sums,
        {FILE + file_id: entry for file_id, entry in written.files.items()},
        {keys[s.serial]: s for s in snapshot.terms.segments if s.serial in keys},
        snapshot.vectors.blocks if snapshot.epoch == written.epoch else (),
    )


def find_shared(rows: StoredRows, indexes: Sequence[MemoryRows]) -> SharedRows:
    """Return the rows of a store that one of some indexes has."""
    shared = SharedRows()
    if not indexes:
        return shared
    for key in rows.of_kind(FILE, SEGMENT):
        head, stored = rows.heads[key], rows.sums[key]
        with_stamp = (each.files.get(key) for each in indexes if each.sums.get(key) == stored)
        without = (_same_entry(each, key, head, stored) for each in indexes)
        if entry := next(filter(None, chain(with_stamp, without)), None):
            shared.files[key] = entry
    for first, keys in groupby(rows.of_kind(SEGMENT, BLOCK), first_of_segment):
        owner = _owner(rows, keys, indexes)
        if owner and first in owner.segments:
            shared.segments[first] = owner.segments[first]
    codes = rows.of_kind(CODES, ROW_FILE)
    # New node ids go into the last block, so that one is nobody else's.
    for n in range((len(codes) - 1) // ROWS_OF_VECTORS):
        part = codes[n * ROWS_OF_VECTORS : (n + 1) * ROWS_OF_VECTORS]
        owner = _owner(rows, part, indexes)
        if owner is None or n >= len(owner.vectors):
            break
        shared.vectors.append(owner.vectors[n])
    return shared


def _same_entry(rows: MemoryRows, key: int, head: bytes, stored: bytes) -> FileEntry | None:
    """Return the entry of a row if its file is as in `rows`, but for its stamp."""
    entry = rows.files.get(key)
    if entry is None:
        return None
    entry = replace(entry, stamp=stamp_of(head))
    is_same = file_head(entry) == head and row_sum(key, head, entry.record) == stored
    return entry if is_same else None


def _owner(
    rows: StoredRows, keys: Iterable[int], indexes: Sequence[MemoryRows]
) -> MemoryRows | None:
    """Return the first index that has all rows of some keys."""
    sums = {key: rows.sums[key] for key in keys}
    for each in indexes:
        if all(each.sums.get(key) == stored for key, stored in sums.items()):
            return each
    return None
