"""Dirty rows: those that a snapshot changes in the store, and those that it makes obsolete."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from packhound.core.array_codec import pack, pack_texts
from packhound.core.arrays import NO_NODE_IDS, Mask
from packhound.index import BLOCK_SIZE, NEVER, FileEntry, Segment, Snapshot
from packhound.storage.bulk_rows import Bulk, Placement, keys_of, place
from packhound.storage.row import (
    ABSENT,
    BLOCK,
    CODES,
    FILE,
    MANIFEST,
    NAMES,
    NODE_IDS,
    PATHS,
    ROW_FILE,
    SEGMENT,
    Row,
    next_segment,
    row,
    seal,
)
from packhound.storage.row_files import RowFile, write_rows
from packhound.storage.rows import n_blocks, pack_block


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """Content of the store, in terms of the values in memory it was written from.

    `segments` maps the serial of a segment to the key of its first row, `blocks` the number of a
    block to the vector states of its node ids, and `sums` each key to its checksum. `on_disk` is
    the mask of the node ids that were ever those of a file on disk; nothing of the others, which
    only an editor had, is written. `versions` are those that it was made by. `database` has the
    sizes of the rows of the database, see `StoredRows`, and `row_files` the files by key.
    """

    epoch: int
    files: dict[int, FileEntry]
    segments: dict[int, int]
    blocks: dict[int, bytes]
    n_names: int
    sums: dict[int, bytes]
    on_disk: Mask
    versions: str
    database: dict[int, int]
    row_files: dict[int, RowFile]


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """One transaction, and the content of the store after it.

    Rows of the database are made lazily, because all of them together are as large as the index,
    and a file of rows before the first, with its directory in `directories`; `written` is complete
    after the last one.
    """

    rows: Iterator[Row]
    removed: Sequence[tuple[int]]
    written: Written
    bulk: Bulk
    directories: list[Row]


def block_states(snapshot: Snapshot, on_disk: Mask) -> dict[int, bytes]:
    """Return the vector states of each block; one with other states than before is dirty."""
    state = np.where(on_disk, snapshot.vectors.state, NEVER)
    return {
        i: state[i * BLOCK_SIZE : (i + 1) * BLOCK_SIZE].tobytes() for i in range(n_blocks(snapshot))
    }


def changed_rows(snapshot: Snapshot, before: Written | None, versions: str, folder: Path) -> Plan:
    """Return the transaction that makes the store in `folder` hold `snapshot`."""
    before = before or Written(0, {}, {}, {}, -1, {}, np.zeros(0, np.bool_), versions, {}, {})
    files = {e.file_id: e for e in snapshot.files.values() if e.stamp is not None}
    segments = _segment_keys(snapshot, before)
    same_epoch = before.epoch == snapshot.epoch
    on_disk_before = before.on_disk if same_epoch else before.on_disk[:0]
    on_disk, new = _on_disk(snapshot, files.values(), on_disk_before)
    blocks, n_names = block_states(snapshot, on_disk), len(snapshot.name_table)
    dirty_blocks = {i for i in blocks if not same_epoch or before.blocks.get(i) != blocks[i]}
    bulk = Bulk(snapshot, on_disk, files, segments)
    sizes = bulk.sizes()
    dirty = {FILE + i for i in _dirty_files(files, before)}
    dirty |= {segments[s.serial] for s in snapshot.terms.segments if _is_dirty(s, before, new)}
    dirty |= {CODES + i for i in dirty_blocks} & sizes.keys()
    placed = place(dirty, sizes, before.database, before.row_files)
    retained = {*keys_of(sizes), NAMES, PATHS, NODE_IDS, MANIFEST, *placed.row_files}
    retained.update(BLOCK + i for i in blocks)
    removed = (before.database.keys() - retained - placed.hidden) | (
        before.database.keys() & placed.moved
    )
    written = Written(
        epoch=snapshot.epoch,
        files=files,
        segments=segments,
        blocks=blocks,
        n_names=n_names,
        sums={key: digest for key, digest in before.sums.items() if key in retained},
        on_disk=on_disk,
        versions=versions,
        database={key: size for key, size in before.database.items() if key not in removed},
        row_files=placed.row_files,
    )

    def columns() -> Iterator[Row]:
        for i in dirty_blocks:
            yield row(BLOCK + i, b"", pack_block(snapshot, i, on_disk))
        if before.n_names != n_names or new.any():
            yield row(NAMES, b"", pack_texts(_names_on_disk(snapshot, on_disk)))
        if before.files.keys() != files.keys() or PATHS not in before.sums:
            yield row(PATHS, b"", _pack_paths(snapshot, files))
        yield row(NODE_IDS, b"", _pack_node_ids(files))

    def rows() -> Iterator[Row]:
        for each in _in_database(_bulk_rows(bulk, placed, written, folder), written):
            directories.extend([each] if each.key >= ROW_FILE else ())
            yield each
        yield from _in_database(columns(), written)
        yield _manifest(snapshot, versions, seal(written.sums))

    directories = list[Row]()
    return Plan(rows(), [(key,) for key in removed], written, bulk, directories)


def _bulk_rows(bulk: Bulk, placed: Placement, written: Written, folder: Path) -> Iterator[Row]:
    """Yield the rows of bulk in the database, once those of a file are on disk."""
    for key in placed.hidden:
        if written.database.get(key) != ABSENT:
            yield Row(key, b"", b"", b"")
    rows = bulk.rows(placed.dirty)
    if placed.new_file:
        file, directory, sums = write_rows(folder, placed.new_file, rows)
        written.row_files[placed.new_file] = file
        written.sums.update(sums)
        yield directory
    else:
        yield from rows


def _in_database(rows: Iterable[Row], written: Written) -> Iterator[Row]:
    """Yield rows of the database, and note each as written."""
    for each in rows:
        written.database[each.key] = len(each.body) if each.sum else ABSENT
        if each.sum:
            written.sums[each.key] = each.sum
        yield each


def _on_disk(snapshot: Snapshot, files: Iterable[FileEntry], before: Mask) -> tuple[Mask, Mask]:
    """Return the mask of node ids that are, or were, of a file on disk, and that of new ones."""
    old = np.zeros(snapshot.n_node_ids, np.bool_)
    old[: len(before)] = before
    on_disk = old.copy()
    for entry in files:
        on_disk[entry.node_ids] = True
    return on_disk, on_disk & ~old


def _is_dirty(segment: Segment, before: Written, new: Mask) -> bool:
    return segment.serial not in before.segments or bool(new[slice(*segment.bounds)].any())


def _names_on_disk(snapshot: Snapshot, on_disk: Mask) -> list[str]:
    """Return the names by id, "" for those that no node id on disk has."""
    in_use = np.zeros(len(snapshot.name_table), np.bool_)
    in_use[snapshot.name_of[on_disk]] = in_use[snapshot.tail_of[on_disk]] = True
    names = snapshot.name_table.names[: len(in_use)]
    return [name if used else "" for name, used in zip(names, in_use.tolist(), strict=True)]


def _dirty_files(files: dict[int, FileEntry], before: Written) -> Iterator[int]:
    for file_id, entry in files.items():
        old = before.files.get(file_id)
        if old is entry:
            continue
        if old is None or old.record is not entry.record or old.stamp != entry.stamp:
            yield file_id


def _segment_keys(snapshot: Snapshot, before: Written) -> dict[int, int]:
    """Return the keys of the first rows of all segments, new ones above any that is in use."""
    free = next_segment(max(before.segments.values(), default=SEGMENT))
    keys: dict[int, int] = {}
    for segment in snapshot.terms.segments:
        key = before.segments.get(segment.serial)
        if key is None:
            key, free = free, next_segment(free)
        keys[segment.serial] = key
    return keys


def _pack_paths(snapshot: Snapshot, file_ids: Iterable[int]) -> bytes:
    selected = np.zeros(snapshot.n_file_ids, np.bool_)
    selected[[*file_ids]] = True
    return snapshot.path_table.to_bytes(selected)


def _pack_node_ids(files: dict[int, FileEntry]) -> bytes:
    parts = [entry.node_ids for entry in files.values()]
    counts = np.array([*map(len, parts)], np.int32)
    return pack(np.array([*files], np.int32), counts, np.concatenate([NO_NODE_IDS, *parts]))


def _manifest(snapshot: Snapshot, versions: str, sealed: bytes) -> Row:
    head = {
        "versions": versions,
        "generation": snapshot.generation,
        "file_ids": snapshot.n_file_ids,
        "dim": snapshot.vectors.dim,
    }
    return row(MANIFEST, json.dumps(head).encode("ascii"), sealed)
