"""Binary format of the rows of the store: files, segments, and blocks of node ids."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from packhound.core.array_codec import pack, unpack
from packhound.core.arrays import Floats, Mask, NodeIds
from packhound.core.types import FileStamp
from packhound.index import (
    BLOCK_SIZE,
    DIGEST_SIZE,
    N_FIELDS,
    NEVER,
    Block,
    Codes,
    FileEntry,
    Segment,
    Snapshot,
)

ROW_POSTINGS = 1 << 20
"""Postings in a row of a segment: some six megabytes, of which SQLite makes two copies. Of a size
that the allocator gives back at once."""


def file_head(entry: FileEntry) -> bytes:
    """Pack all of a file but its nodes and node ids."""
    head = (entry.path, entry.language, entry.digest.hex(), entry.stamp, entry.imports)
    return json.dumps([*head, entry.degraded, len(entry.node_digests)]).encode("ascii")


def file_body(entry: FileEntry) -> bytes:
    """Pack the nodes of a file: their digests and their record."""
    return entry.node_digests + entry.record


def file_entry(file_id: int, head: bytes, body: bytes, node_ids: NodeIds) -> FileEntry:
    """Unpack the file of a row."""
    path, language, digest, stamp, imports, degraded, split = json.loads(head.decode("ascii"))
    if split != len(node_ids) * DIGEST_SIZE:
        raise ValueError("a file's node ids do not match its nodes")
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
    """Yield the rows of a segment: its terms, then its postings."""
    extent = np.array([segment.base, segment.n_node_ids], np.int64)
    terms = np.frombuffer(segment.terms, np.uint8)
    yield pack(extent, terms, segment.term_starts, segment.starts)
    for first in range(0, segment.n_postings, ROW_POSTINGS):
        part = slice(first, first + ROW_POSTINGS)
        yield pack(segment.node_ids[part], segment.tf[part])


def unpack_segment(rows: Iterator[bytes]) -> Segment:
    """Unpack the rows of a segment, each of which is freed before the next is asked for.

    Raises ValueError where its parts do not fit together.
    """
    extent, terms, term_starts, starts = unpack(next(rows))
    base, n_node_ids = extent.tolist()
    node_ids, tf, end = np.empty(starts[-1], np.int32), np.zeros(0, np.uint8), 0
    for row in rows:
        row_node_ids, row_tf = unpack(row)
        if not end:
            tf = np.empty(len(node_ids), row_tf.dtype)
        start, end = end, end + len(row_node_ids)
        node_ids[start:end], tf[start:end] = row_node_ids, row_tf
    if (
        len(starts) != (len(term_starts) - 1) * N_FIELDS + 1
        or not (starts[-1] == end == len(tf))
        or term_starts[-1] != len(terms)
    ):
        raise ValueError("the parts of a segment do not fit together")
    return Segment(base, n_node_ids, terms.tobytes(), term_starts, starts, node_ids, tf)


def n_blocks(snapshot: Snapshot) -> int:
    """Return the number of blocks that the node ids of a snapshot fill."""
    return -(-snapshot.n_node_ids // BLOCK_SIZE)


def pack_block(snapshot: Snapshot, i: int, on_disk: Mask) -> bytes:
    """Pack block i; the columns of node ids that are not `on_disk` are blank."""
    part = slice(i * BLOCK_SIZE, (i + 1) * BLOCK_SIZE)
    mask = on_disk[part]
    codes, scales = _vectors(snapshot, part, mask)
    lengths = np.stack([column[part] for column in snapshot.lengths], axis=1)
    return pack(
        snapshot.file_of[part],
        snapshot.kind_of[part],
        snapshot.name_of[part] * mask,
        snapshot.tail_of[part] * mask,
        lengths * mask[:, None],
        np.where(mask, snapshot.vectors.state[part], NEVER).astype(np.uint8),
        codes,
        scales,
    )


def _vectors(snapshot: Snapshot, part: slice, mask: Mask) -> tuple[Codes, Floats]:
    """Return codes [dim, n] and scales of a slice of node ids, zero outside the mask."""
    if not snapshot.vectors.blocks:
        return np.zeros((0, len(mask)), np.int8), np.zeros(len(mask), np.float32)
    codes, scales = snapshot.vectors.columns(part.start, len(mask))
    return codes * mask, scales * mask


def unpack_block(packed: bytes) -> Block:
    """Unpack the block of a row."""
    file_of, kind_of, name_of, tail_of, lengths, state, codes, scales = unpack(packed)
    return Block(file_of, kind_of, name_of, tail_of, lengths, state, codes.T, scales)
