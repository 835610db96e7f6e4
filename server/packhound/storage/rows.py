"""What each row of the store holds: a file, a segment, or a block of node ids."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from packhound.core.array_codec import pack, unpack
from packhound.core.arrays import Mask, NodeIds
from packhound.core.types import FileStamp
from packhound.index.columns import VECTOR_BLOCK
from packhound.index.file_entry import DIGEST_SIZE, FileEntry
from packhound.index.path_table import PathTable
from packhound.index.postings.builder import N_FIELDS
from packhound.index.postings.segment import Segment
from packhound.index.snapshot import Snapshot
from packhound.index.vectors.quantization import Codes

PENDING, PRESENT, NEVER = 0, 1, 2
"""States of a node id's vector: not there yet, there, and not to be had (no direction)."""

ROW_POSTINGS = 1 << 20
"""Postings in a row of a segment: some six megabytes, of which SQLite makes two copies. Of a size
that the allocator gives back at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """All columns of up to `VECTOR_BLOCK` node ids; `codes` [n, dim] with their `scales`."""

    file_of: NodeIds
    kind_of: NDArray[np.uint8]
    name_of: NodeIds
    tail_of: NodeIds
    lengths: NDArray[np.int32]
    state: NDArray[np.uint8]
    codes: Codes
    scales: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Saved:
    """An index as it was read from disk; `node_ids` of the entries are set."""

    generation: int
    epoch: int
    names: list[str]
    paths: PathTable
    segments: Sequence[Segment]
    blocks: Sequence[Block]
    files: Sequence[FileEntry]


def file_head(entry: FileEntry) -> bytes:
    """All of a file but its nodes and node ids."""
    head = (entry.path, entry.language, entry.digest.hex(), entry.stamp, entry.imports)
    return json.dumps([*head, entry.degraded, len(entry.node_digests)]).encode("ascii")


def file_body(entry: FileEntry) -> bytes:
    """The nodes of a file: their digests and their record."""
    return entry.node_digests + entry.record


def file_entry(file_id: int, head: bytes, body: bytes, node_ids: NodeIds) -> FileEntry:
    """The file of a row."""
    path, language, digest, stamp, imports, degraded, split = json.loads(head.decode("ascii"))
    if split != len(node_ids) * DIGEST_SIZE:
        raise ValueError("a file's labels do not match its nodes")
    return FileEntry(
        path=path,
        language=language,
        digest=bytes.fromhex(digest),
        stamp=FileStamp(*stamp) if stamp else None,
        file_id=file_id,
        node_ids=node_ids,
        imports=tuple(imports),
        degraded=degraded,
        node_digests=body[:split],
        record=body[split:],
    )


def pack_segment(segment: Segment) -> Iterator[bytes]:
    """The rows of a segment, made while they are asked for: its terms, then its postings."""
    place = np.array([segment.base, segment.n_node_ids], np.int64)
    terms = np.frombuffer(segment.terms, np.uint8)
    yield pack(place, terms, segment.term_starts, segment.starts)
    for first in range(0, segment.n_postings, ROW_POSTINGS):
        some = slice(first, first + ROW_POSTINGS)
        yield pack(segment.node_ids[some], segment.tf[some])


def unpack_segment(rows: Iterator[bytes]) -> Segment:
    """The segment of its rows, each of which is let go before the next is asked for.

    Raises ValueError where its parts do not fit together.
    """
    place, terms, term_starts, starts = unpack(next(rows))
    base, n_node_ids = place.tolist()
    node_ids, tf, end = np.empty(starts[-1], np.int32), np.zeros(0, np.uint8), 0
    for row in rows:
        some, their_tf = unpack(row)
        if not end:
            tf = np.empty(len(node_ids), their_tf.dtype)
        start, end = end, end + len(some)
        node_ids[start:end], tf[start:end] = some, their_tf
    if (
        len(starts) != (len(term_starts) - 1) * N_FIELDS + 1
        or not (starts[-1] == end == len(tf))
        or term_starts[-1] != len(terms)
    ):
        raise ValueError("the parts of a segment do not fit together")
    return Segment(base, n_node_ids, terms.tobytes(), term_starts, starts, node_ids, tf)


def n_blocks(snapshot: Snapshot) -> int:
    """Number of blocks that the node ids of a snapshot fill."""
    return -(-snapshot.n_node_ids // VECTOR_BLOCK)


def pack_block(snapshot: Snapshot, i: int, shown: Mask) -> bytes:
    """The row of block i; node ids that are not shown have nothing in it."""
    here = slice(i * VECTOR_BLOCK, (i + 1) * VECTOR_BLOCK)
    known = shown[here]
    columns, scales = _vectors(snapshot, i, known)
    lengths = np.stack([column[here] for column in snapshot.lengths], axis=1)
    return pack(
        snapshot.file_of[here],
        snapshot.kind_of[here],
        snapshot.name_of[here] * known,
        snapshot.tail_of[here] * known,
        lengths * known[:, None],
        np.where(known, snapshot.vectors.state[here], NEVER).astype(np.uint8),
        columns,
        scales,
    )


def _vectors(snapshot: Snapshot, i: int, known: Mask) -> tuple[Codes, NDArray[np.float32]]:
    """The vectors of a block in columns, those of node ids that are not known zero."""
    blocks = snapshot.vectors.blocks
    if not blocks:
        return np.zeros((0, len(known)), np.int8), np.zeros(len(known), np.float32)
    n, dim = len(known), snapshot.vectors.dim
    columns = blocks[i].columns.transpose(1, 0, 2).reshape(dim, -1)
    return columns[:, :n] * known, blocks[i].scales[:n] * known


def unpack_block(packed: bytes) -> Block:
    """The block of a row."""
    file_of, kind_of, name_of, tail_of, lengths, state, columns, scales = unpack(packed)
    return Block(file_of, kind_of, name_of, tail_of, lengths, state, columns.T, scales)
