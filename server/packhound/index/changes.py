"""Which rows of the store a snapshot makes new, and which it makes obsolete."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from packhound.index.columns import VECTOR_BLOCK
from packhound.index.entries import FileEntry
from packhound.index.packing import checksum, pack, pack_texts
from packhound.index.rows import file_body, file_head, n_blocks, pack_block, pack_segment
from packhound.index.snapshot import Snapshot

# A key is a kind and a number: file id, number of the segment, number of the block.
FILE, SEGMENT, BLOCK, NAMES, LABELS, MANIFEST = (kind << 40 for kind in range(6))
END = 6 << 40


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

    `segments` maps the serial of a segment to its key, `blocks` the number of a block to the
    state of its labels, and `sums` each key to its checksum.
    """

    epoch: int
    files: dict[int, FileEntry]
    segments: dict[int, int]
    blocks: dict[int, bytes]
    n_names: int
    sums: dict[int, bytes]


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """One transaction, and what is on disk after it."""

    rows: Sequence[Row]
    removed: Sequence[tuple[int]]
    written: Written


def row(key: int, head: bytes, body: bytes) -> Row:
    """A row with its checksum."""
    return Row(key, head, body, row_sum(key, head, body))


def row_sum(key: int, head: bytes, body: bytes) -> bytes:
    """The checksum that a row must have."""
    return checksum(key.to_bytes(8, "little"), head, body)


def seal(sums: dict[int, bytes]) -> bytes:
    """One checksum for all rows, so that none can be missing or be of another generation."""
    parts = [key.to_bytes(8, "little") + sums[key] for key in sorted(sums)]
    return blake2b(b"".join(parts), digest_size=16).digest()


def block_states(snapshot: Snapshot) -> dict[int, bytes]:
    """A block has changed on disk where it has more labels, or vectors that it had not."""
    state = snapshot.vectors.state
    return {
        i: state[i * VECTOR_BLOCK : (i + 1) * VECTOR_BLOCK].tobytes()
        for i in range(n_blocks(snapshot))
    }


def changed_rows(snapshot: Snapshot, before: Written | None, versions: str) -> Plan:
    """The transaction that makes the store hold `snapshot`."""
    before = before or Written(0, {}, {}, {}, -1, {})
    files = {e.file_id: e for e in snapshot.files.values() if e.stamp is not None}
    segments = _segment_keys(snapshot, before)
    blocks, n_names = block_states(snapshot), len(snapshot.name_table)
    rows = [row(FILE + i, file_head(e), file_body(e)) for i, e in _new_files(files, before)]
    rows += [
        row(segments[segment.serial], b"", pack_segment(segment))
        for segment in snapshot.terms.segments
        if segment.serial not in before.segments
    ]
    same_epoch = before.epoch == snapshot.epoch
    rows += [
        row(BLOCK + i, b"", pack_block(snapshot, i))
        for i, state in blocks.items()
        if not (same_epoch and before.blocks.get(i) == state)
    ]
    if before.n_names != n_names or not same_epoch:
        rows.append(row(NAMES, b"", pack_texts(snapshot.name_table.names[:n_names])))
    rows.append(row(LABELS, b"", _pack_labels(files)))
    kept = {FILE + i for i in files} | {*segments.values()} | {BLOCK + i for i in blocks}
    kept |= {NAMES, LABELS}
    removed = [(key,) for key in before.sums if key not in kept]
    sums = {key: found for key, found in before.sums.items() if key in kept}
    sums |= {new.key: new.sum for new in rows}
    rows.append(_manifest(snapshot, versions, seal(sums)))
    written = Written(snapshot.epoch, files, segments, blocks, n_names, sums)
    return Plan(rows, removed, written)


def _new_files(files: dict[int, FileEntry], before: Written) -> Iterator[tuple[int, FileEntry]]:
    for file_id, entry in files.items():
        old = before.files.get(file_id)
        if old is entry:
            continue
        if old is None or old.record is not entry.record or old.stamp != entry.stamp:
            yield file_id, entry


def _segment_keys(snapshot: Snapshot, before: Written) -> dict[int, int]:
    """Keys of all segments, new ones above any that is in use."""
    free = max(before.segments.values(), default=SEGMENT) + 1
    keys: dict[int, int] = {}
    for segment in snapshot.terms.segments:
        known = before.segments.get(segment.serial)
        if known is None:
            known, free = free, free + 1
        keys[segment.serial] = known
    return keys


def _pack_labels(files: dict[int, FileEntry]) -> bytes:
    labels = [entry.labels for entry in files.values()]
    joined = np.concatenate(labels) if labels else np.zeros(0, np.int32)
    counts = np.array([len(found) for found in labels], np.int32)
    return pack(np.array([*files], np.int32), counts, joined)


def _manifest(snapshot: Snapshot, versions: str, sealed: bytes) -> Row:
    head = {
        "versions": versions,
        "generation": snapshot.generation,
        "file_ids": snapshot.n_file_ids,
        "dim": snapshot.vectors.dim,
    }
    return row(MANIFEST, json.dumps(head).encode("ascii"), sealed)
