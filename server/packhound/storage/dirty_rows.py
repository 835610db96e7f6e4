"""Dirty rows: those that a snapshot changes in the store, and those that it makes obsolete."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from packhound.core.array_codec import checksum, pack, pack_texts
from packhound.core.arrays import NO_NODE_IDS, Mask
from packhound.index import BLOCK_SIZE, NEVER, FileEntry, Segment, Snapshot, merge_neighbours
from packhound.storage.rows import file_body, file_head, n_blocks, pack_block, pack_segment

# A key is a kind and a number: file id, number of the segment and of its row, number of the block.
FILE, SEGMENT, BLOCK, NAMES, PATHS, NODE_IDS, MANIFEST = (kind << 40 for kind in range(7))
END = 7 << 40
_ROWS_OF_SEGMENT = 1 << 16


@dataclass(frozen=True, slots=True)
class Row:
    """One row; `sum` is a checksum of its key, head and body."""

    key: int
    head: bytes
    body: bytes
    sum: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """Content of the store, in terms of the values in memory it was written from.

    `segments` maps the serial of a segment to the key of its first row, `blocks` the number of a
    block to the vector states of its node ids, and `sums` each key to its checksum. `on_disk` is
    the mask of the node ids that were ever those of a file on disk; nothing of the others, which
    only an editor had, is written. `versions` are those that it was made by.
    """

    epoch: int
    files: dict[int, FileEntry]
    segments: dict[int, int]
    blocks: dict[int, bytes]
    n_names: int
    sums: dict[int, bytes]
    on_disk: Mask
    versions: str


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """One transaction, and the content of the store after it.

    Rows are made lazily, because all of them together are as large as the index; `written` is
    complete after the last one.
    """

    rows: Iterator[Row]
    removed: Sequence[tuple[int]]
    written: Written


def row(key: int, head: bytes, body: bytes) -> Row:
    """Return a row with its checksum."""
    return Row(key, head, body, row_sum(key, head, body))


def row_sum(key: int, head: bytes, body: bytes) -> bytes:
    """Return the checksum that a row must have."""
    return checksum(key.to_bytes(8, "little"), head, body)


def first_of_segment(key: int) -> int:
    """Return the key of the first row of the segment that a row belongs to."""
    return key - key % _ROWS_OF_SEGMENT


def seal(sums: dict[int, bytes]) -> bytes:
    """Return one checksum for all rows, so that none can be missing or of another generation."""
    parts = [key.to_bytes(8, "little") + sums[key] for key in sorted(sums)]
    return checksum(*parts)


def block_states(snapshot: Snapshot, on_disk: Mask) -> dict[int, bytes]:
    """Return the vector states of each block; one with other states than before is dirty."""
    state = np.where(on_disk, snapshot.vectors.state, NEVER)
    return {
        i: state[i * BLOCK_SIZE : (i + 1) * BLOCK_SIZE].tobytes() for i in range(n_blocks(snapshot))
    }


def changed_rows(snapshot: Snapshot, before: Written | None, versions: str) -> Plan:
    """Return the transaction that makes the store hold `snapshot`."""
    before = before or Written(0, {}, {}, {}, -1, {}, np.zeros(0, np.bool_), versions)
    files = {e.file_id: e for e in snapshot.files.values() if e.stamp is not None}
    segments = _segment_keys(snapshot, before)
    same_epoch = before.epoch == snapshot.epoch
    on_disk_before = before.on_disk if same_epoch else before.on_disk[:0]
    on_disk, new = _on_disk(snapshot, files.values(), on_disk_before)
    blocks, n_names = block_states(snapshot, on_disk), len(snapshot.name_table)
    dirty = {s.serial: s for s in snapshot.terms.segments if _is_dirty(s, before, new)}
    clean = {key for serial, key in segments.items() if serial not in dirty}
    retained = {FILE + i for i in files} | {BLOCK + i for i in blocks} | {NAMES, PATHS, NODE_IDS}
    retained |= {key for key in before.sums if first_of_segment(key) in clean}
    removed = [(key,) for key in before.sums if key not in retained]
    sums = {key: digest for key, digest in before.sums.items() if key in retained}

    def dirty_rows() -> Iterator[Row]:
        for i, entry in _dirty_files(files, before):
            yield row(FILE + i, file_head(entry), file_body(entry))
        for serial, segment in dirty.items():
            for i, body in enumerate(pack_segment(_part_on_disk(segment, on_disk))):
                yield row(segments[serial] + i, b"", body)
        for i, state in blocks.items():
            if not (same_epoch and before.blocks.get(i) == state):
                yield row(BLOCK + i, b"", pack_block(snapshot, i, on_disk))
        if before.n_names != n_names or new.any():
            yield row(NAMES, b"", pack_texts(_names_on_disk(snapshot, on_disk)))
        if before.files.keys() != files.keys() or PATHS not in before.sums:
            yield row(PATHS, b"", _pack_paths(snapshot, files))
        yield row(NODE_IDS, b"", _pack_node_ids(files))

    def rows() -> Iterator[Row]:
        for dirty_row in dirty_rows():
            sums[dirty_row.key] = dirty_row.sum
            yield dirty_row
        yield _manifest(snapshot, versions, seal(sums))

    written = Written(snapshot.epoch, files, segments, blocks, n_names, sums, on_disk, versions)
    return Plan(rows(), removed, written)


def _on_disk(snapshot: Snapshot, files: Iterable[FileEntry], before: Mask) -> tuple[Mask, Mask]:
    """Return the mask of node ids that are, or were, of a file on disk, and that of new ones."""
    old = np.zeros(snapshot.n_node_ids, np.bool_)
    old[: len(before)] = before
    on_disk = old.copy()
    for entry in files:
        on_disk[entry.node_ids] = True
    return on_disk, on_disk & ~old


def _is_dirty(segment: Segment, before: Written, new: Mask) -> bool:
    return segment.serial not in before.segments or bool(new[_node_ids(segment)].any())


def _node_ids(segment: Segment) -> slice:
    return slice(segment.base, segment.base + segment.n_node_ids)


def _part_on_disk(segment: Segment, on_disk: Mask) -> Segment:
    return segment if on_disk[_node_ids(segment)].all() else merge_neighbours([segment], on_disk)


def _names_on_disk(snapshot: Snapshot, on_disk: Mask) -> list[str]:
    """Return the names by id, "" for those that no node id on disk has."""
    in_use = np.zeros(len(snapshot.name_table), np.bool_)
    in_use[snapshot.name_of[on_disk]] = in_use[snapshot.tail_of[on_disk]] = True
    names = snapshot.name_table.names[: len(in_use)]
    return [name if used else "" for name, used in zip(names, in_use.tolist(), strict=True)]


def _dirty_files(files: dict[int, FileEntry], before: Written) -> Iterator[tuple[int, FileEntry]]:
    for file_id, entry in files.items():
        old = before.files.get(file_id)
        if old is entry:
            continue
        if old is None or old.record is not entry.record or old.stamp != entry.stamp:
            yield file_id, entry


def _segment_keys(snapshot: Snapshot, before: Written) -> dict[int, int]:
    """Return the keys of the first rows of all segments, new ones above any that is in use."""
    free = max(before.segments.values(), default=SEGMENT) + _ROWS_OF_SEGMENT
    keys: dict[int, int] = {}
    for segment in snapshot.terms.segments:
        key = before.segments.get(segment.serial)
        if key is None:
            key, free = free, free + _ROWS_OF_SEGMENT
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
