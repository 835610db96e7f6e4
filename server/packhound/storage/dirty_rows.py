"""Which rows of the store a snapshot makes new, and which it makes obsolete."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from packhound.core.array_codec import checksum, pack, pack_texts
from packhound.core.arrays import Mask
from packhound.index.columns import VECTOR_BLOCK
from packhound.index.file_entry import FileEntry
from packhound.index.postings.merge_policy import merged_run
from packhound.index.postings.segment import Segment
from packhound.index.snapshot import Snapshot
from packhound.storage.rows import (
    NEVER,
    file_body,
    file_head,
    n_blocks,
    pack_block,
    pack_segment,
)

# A key is a kind and a number: file id, number of the segment and of its row, number of the block.
FILE, SEGMENT, BLOCK, NAMES, PATHS, LABELS, MANIFEST = (kind << 40 for kind in range(7))
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
    """What is on disk, in terms of the values in memory it was made from.

    `segments` maps the serial of a segment to the key of its first row, `blocks` the number of a
    block to the state of its node ids, and `sums` each key to its checksum. `shown` says which node ids
    have been those of a file on disk; nothing of the others, which only an editor had, is written.
    """

    epoch: int
    files: dict[int, FileEntry]
    segments: dict[int, int]
    blocks: dict[int, bytes]
    n_names: int
    sums: dict[int, bytes]
    shown: Mask


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """One transaction, and what is on disk after it.

    Rows are made while they are asked for, because all of them together are as large as the index;
    `written` is complete when the last one was.
    """

    rows: Iterator[Row]
    removed: Sequence[tuple[int]]
    written: Written


def row(key: int, head: bytes, body: bytes) -> Row:
    """A row with its checksum."""
    return Row(key, head, body, row_sum(key, head, body))


def row_sum(key: int, head: bytes, body: bytes) -> bytes:
    """The checksum that a row must have."""
    return checksum(key.to_bytes(8, "little"), head, body)


def first_of_segment(key: int) -> int:
    """The key of the first row of the segment that a row belongs to."""
    return key - key % _ROWS_OF_SEGMENT


def seal(sums: dict[int, bytes]) -> bytes:
    """One checksum for all rows, so that none can be missing or be of another generation."""
    parts = [key.to_bytes(8, "little") + sums[key] for key in sorted(sums)]
    return checksum(*parts)


def block_states(snapshot: Snapshot, shown: Mask) -> dict[int, bytes]:
    """A block has changed on disk where it has more node ids, or vectors that it had not."""
    state = np.where(shown, snapshot.vectors.state, NEVER)
    return {
        i: state[i * VECTOR_BLOCK : (i + 1) * VECTOR_BLOCK].tobytes()
        for i in range(n_blocks(snapshot))
    }


def changed_rows(snapshot: Snapshot, before: Written | None, versions: str) -> Plan:
    """The transaction that makes the store hold `snapshot`."""
    before = before or Written(0, {}, {}, {}, -1, {}, np.zeros(0, np.bool_))
    files = {e.file_id: e for e in snapshot.files.values() if e.stamp is not None}
    segments = _segment_keys(snapshot, before)
    same_epoch = before.epoch == snapshot.epoch
    seen = before.shown if same_epoch else before.shown[:0]
    shown, new = _shown(snapshot, files.values(), seen)
    blocks, n_names = block_states(snapshot, shown), len(snapshot.name_table)
    due = {s.serial: s for s in snapshot.terms.segments if _is_due(s, before, new)}
    staying = {key for serial, key in segments.items() if serial not in due}
    kept = {FILE + i for i in files} | {BLOCK + i for i in blocks} | {NAMES, PATHS, LABELS}
    kept |= {key for key in before.sums if first_of_segment(key) in staying}
    removed = [(key,) for key in before.sums if key not in kept]
    sums = {key: found for key, found in before.sums.items() if key in kept}

    def changed() -> Iterator[Row]:
        for i, entry in _new_files(files, before):
            yield row(FILE + i, file_head(entry), file_body(entry))
        for serial, segment in due.items():
            for i, body in enumerate(pack_segment(_shown_part(segment, shown))):
                yield row(segments[serial] + i, b"", body)
        for i, state in blocks.items():
            if not (same_epoch and before.blocks.get(i) == state):
                yield row(BLOCK + i, b"", pack_block(snapshot, i, shown))
        if before.n_names != n_names or new.any():
            yield row(NAMES, b"", pack_texts(_shown_names(snapshot, shown)))
        if before.files.keys() != files.keys() or PATHS not in before.sums:
            yield row(PATHS, b"", _pack_paths(snapshot, files))
        yield row(LABELS, b"", _pack_node_ids(files))

    def rows() -> Iterator[Row]:
        for one in changed():
            sums[one.key] = one.sum
            yield one
        yield _manifest(snapshot, versions, seal(sums))

    written = Written(snapshot.epoch, files, segments, blocks, n_names, sums, shown)
    return Plan(rows(), removed, written)


def _shown(snapshot: Snapshot, files: Iterable[FileEntry], before: Mask) -> tuple[Mask, Mask]:
    """Which node ids are, or were, those of a file on disk, and which of them were not before."""
    known = np.zeros(snapshot.n_node_ids, np.bool_)
    known[: len(before)] = before
    shown = known.copy()
    for entry in files:
        shown[entry.node_ids] = True
    return shown, shown & ~known


def _is_due(segment: Segment, before: Written, new: Mask) -> bool:
    return segment.serial not in before.segments or bool(new[_node_ids(segment)].any())


def _node_ids(segment: Segment) -> slice:
    return slice(segment.base, segment.base + segment.n_node_ids)


def _shown_part(segment: Segment, shown: Mask) -> Segment:
    return segment if shown[_node_ids(segment)].all() else merged_run([segment], shown)


def _shown_names(snapshot: Snapshot, shown: Mask) -> list[str]:
    """The names in their places; those that no shown node id bears are left empty."""
    used = np.zeros(len(snapshot.name_table), np.bool_)
    used[snapshot.name_of[shown]] = used[snapshot.tail_of[shown]] = True
    names = snapshot.name_table.names[: len(used)]
    return [name if known else "" for name, known in zip(names, used.tolist(), strict=True)]


def _new_files(files: dict[int, FileEntry], before: Written) -> Iterator[tuple[int, FileEntry]]:
    for file_id, entry in files.items():
        old = before.files.get(file_id)
        if old is entry:
            continue
        if old is None or old.record is not entry.record or old.stamp != entry.stamp:
            yield file_id, entry


def _segment_keys(snapshot: Snapshot, before: Written) -> dict[int, int]:
    """Keys of the first rows of all segments, new ones above any that is in use."""
    free = max(before.segments.values(), default=SEGMENT) + _ROWS_OF_SEGMENT
    keys: dict[int, int] = {}
    for segment in snapshot.terms.segments:
        known = before.segments.get(segment.serial)
        if known is None:
            known, free = free, free + _ROWS_OF_SEGMENT
        keys[segment.serial] = known
    return keys


def _pack_paths(snapshot: Snapshot, files: Iterable[int]) -> bytes:
    kept = np.zeros(snapshot.n_file_ids, np.bool_)
    kept[[*files]] = True
    return snapshot.path_table.packed(kept)


def _pack_node_ids(files: dict[int, FileEntry]) -> bytes:
    node_ids = [entry.node_ids for entry in files.values()]
    joined = np.concatenate(node_ids) if node_ids else np.zeros(0, np.int32)
    counts = np.array([len(found) for found in node_ids], np.int32)
    return pack(np.array([*files], np.int32), counts, joined)


def _manifest(snapshot: Snapshot, versions: str, sealed: bytes) -> Row:
    head = {
        "versions": versions,
        "generation": snapshot.generation,
        "file_ids": snapshot.n_file_ids,
        "dim": snapshot.vectors.dim,
    }
    return row(MANIFEST, json.dumps(head).encode("ascii"), sealed)
