"""Rows of the store that an index of this process has in memory already.

Working trees of one project have almost the same rows. What is equal by checksum is shared by
reference: entries of files, segments and whole blocks of vectors, all of them immutable.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby

import numpy as np

from packhound.core.arrays import NodeIds
from packhound.core.types import FileStamp
from packhound.index import (
    BLOCK_SIZE,
    BLOCK_VECTORS,
    FileEntry,
    Segment,
    Snapshot,
    VectorBlock,
)
from packhound.storage.dirty_rows import (
    BLOCK,
    FILE,
    NAMES,
    SEGMENT,
    Written,
    first_of_segment,
    row_sum,
)
from packhound.storage.rows import file_body, file_head

_ROWS_OF_VECTORS = BLOCK_VECTORS // BLOCK_SIZE
_STAMP = 3
"""Position in the head of a file's row."""


@dataclass(frozen=True, slots=True, eq=False)
class MemoryRows:
    """Rows of a live index by key, with their checksums; `vectors` are its blocks in order."""

    sums: Mapping[int, bytes]
    files: Mapping[int, FileEntry]
    segments: Mapping[int, Segment]
    vectors: Sequence[VectorBlock]


@dataclass(frozen=True, slots=True, eq=False)
class SharedRows:
    """Rows of a database that need not be read.

    Segments are by the key of their first row, `vectors` the first blocks, all of them full.
    """

    files: dict[int, FileEntry] = field(default_factory=dict)
    segments: dict[int, Segment] = field(default_factory=dict)
    vectors: list[VectorBlock] = field(default_factory=list)

    def __contains__(self, key: int) -> bool:
        """Return True for the key of a row whose body need not be read."""
        return key in self.files or first_of_segment(key) in self.segments

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


def find_shared(connection: sqlite3.Connection, indexes: Sequence[MemoryRows]) -> SharedRows:
    """Return the rows of a database that one of some indexes has."""
    shared = SharedRows()
    if not indexes:
        return shared
    query = "SELECT key, head, sum FROM rows WHERE key >= ? AND key < ?"
    for key, head, stored in connection.execute(query, (FILE, SEGMENT)):
        with_stamp = (rows.files.get(key) for rows in indexes if rows.sums.get(key) == stored)
        without = (_same_entry(rows, key, head, stored) for rows in indexes)
        if entry := next(filter(None, chain(with_stamp, without)), None):
            shared.files[key] = entry
    query = "SELECT key, sum FROM rows WHERE key >= ? AND key < ? ORDER BY key"
    segments = connection.execute(query, (SEGMENT, BLOCK)).fetchall()
    for first, rows in groupby(segments, lambda row: first_of_segment(row[0])):
        owner = _owner([*rows], indexes)
        if owner and first in owner.segments:
            shared.segments[first] = owner.segments[first]
    blocks = connection.execute(query, (BLOCK, NAMES)).fetchall()
    # New node ids go into the last block, so that one is nobody else's.
    for n in range((len(blocks) - 1) // _ROWS_OF_VECTORS):
        owner = _owner(blocks[n * _ROWS_OF_VECTORS : (n + 1) * _ROWS_OF_VECTORS], indexes)
        if owner is None or n >= len(owner.vectors):
            break
        shared.vectors.append(owner.vectors[n])
    return shared


def _same_entry(rows: MemoryRows, key: int, head: bytes, stored: bytes) -> FileEntry | None:
    """Return the entry of a row if its file is as in `rows`, but for its stamp."""
    entry = rows.files.get(key)
    if entry is None:
        return None
    stamp = json.loads(head)[_STAMP]
    entry = replace(entry, stamp=FileStamp(*stamp) if stamp else None)
    is_same = file_head(entry) == head and row_sum(key, head, file_body(entry)) == stored
    return entry if is_same else None


def _owner(sums: Sequence[tuple[int, bytes]], indexes: Sequence[MemoryRows]) -> MemoryRows | None:
    """Return the first index that has all of some rows."""
    for rows in indexes:
        if all(rows.sums.get(key) == stored for key, stored in sums):
            return rows
    return None
