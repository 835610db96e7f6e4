"""Binary format of the rows of the store: files, segments, blocks of node ids and of vectors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from packhound.core.array_codec import Buffer, pack, unpack
from packhound.core.arrays import Ints, Mask, NodeIds
from packhound.core.types import FileStamp
from packhound.index import (
    BLOCK_SIZE,
    BLOCK_VECTORS,
    DIGEST_SIZE,
    GROUP_VECTORS,
    N_FIELDS,
    NEVER,
    Block,
    FileEntry,
    Segment,
    Snapshot,
    VectorBlock,
)

ROWS_OF_SEGMENT = 3
"""Its terms, the node ids of its postings, and their frequencies."""
_NO_CODES = np.zeros((0, 0), np.int8)


def file_head(entry: FileEntry) -> bytes:
    """Pack all of a file but its record and node ids: a line of JSON, then digests of nodes."""
    head = (entry.path, entry.language, entry.digest.hex(), entry.stamp, entry.imports)
    line = json.dumps([*head, entry.degraded], separators=(",", ":")).encode("ascii")
    return line + b"\n" + entry.node_digests


def path_and_digest(head: bytes) -> tuple[str, bytes]:
    """Return the path and the digest of the source of a file."""
    path, _, digest, *_ = _decode(head.partition(b"\n")[0])
    return str(path), bytes.fromhex(digest)


def stamp_of(head: bytes) -> FileStamp | None:
    """Return the stamp of a file."""
    stamp = _decode(head.partition(b"\n")[0])[3]
    return FileStamp(*stamp) if stamp else None


class FileUnpacker:
    """Unpacks files; those with equal imports and languages share them."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def entry(self, file_id: int, head: bytes, record: Buffer, node_ids: NodeIds) -> FileEntry:
        """Unpack the file of a row. Raises ValueError where the row does not fit its node ids."""
        line, _, node_digests = head.partition(b"\n")
        path, language, digest, stamp, imports, degraded = _decode(line)
        if len(node_digests) != len(node_ids) * DIGEST_SIZE:
            raise ValueError("a file's node ids do not match its nodes")
        shared = self._texts.setdefault
        return FileEntry(
            path=path,
            language=shared(language, language),
            digest=bytes.fromhex(digest),
            stamp=FileStamp(*stamp) if stamp else None,
            file_id=file_id,
            node_ids=node_ids,
            imports=tuple(map(shared, imports, imports)),
            degraded=degraded,
            node_digests=node_digests,
            record=record,
        )


def _decode(line: bytes) -> Any:  # noqa: ANN401 - what JSON may be
    """Decode a line of JSON: with json it takes six times as long, but that reads any text."""
    try:
        return msgspec.json.decode(line)
    except msgspec.DecodeError:
        return json.loads(line)


def pack_segment(segment: Segment) -> tuple[Buffer, ...]:
    """Return the rows of a segment."""
    extent = np.array([segment.base, segment.n_node_ids], np.int64)
    terms = np.frombuffer(segment.terms, np.uint8)
    head = pack(extent, terms, segment.term_starts, segment.starts)
    return head, _octets(segment.node_ids), _octets(segment.tf)


def unpack_segment(rows: Sequence[Buffer]) -> Segment:
    """Unpack the rows of a segment, whose postings stay where they are.

    Raises ValueError where its parts do not fit together.
    """
    head, packed_node_ids, packed_tf = rows
    extent, terms, term_starts, starts = unpack(head)
    base, n_node_ids = extent.tolist()
    node_ids = np.frombuffer(packed_node_ids, "<i4")
    tf = np.frombuffer(packed_tf, "|u1" if len(packed_tf) == len(node_ids) else "<u2")
    if (
        len(starts) != (len(term_starts) - 1) * N_FIELDS + 1
        or not (starts[-1] == len(node_ids) == len(tf))
        or term_starts[-1] != len(terms)
    ):
        raise ValueError("the parts of a segment do not fit together")
    return Segment(base, n_node_ids, terms.tobytes(), term_starts, starts, node_ids, tf)


def n_blocks(snapshot: Snapshot) -> int:
    """Return the number of blocks that the node ids of a snapshot fill."""
    return -(-snapshot.n_node_ids // BLOCK_SIZE)


def pack_block(snapshot: Snapshot, i: int, on_disk: Mask) -> bytes:
    """Pack block i but for its codes; the columns of node ids that are not `on_disk` are blank."""
    part = slice(i * BLOCK_SIZE, (i + 1) * BLOCK_SIZE)
    mask = on_disk[part]
    lengths = np.stack([column[part] for column in snapshot.lengths], axis=1)
    scales, offsets = np.zeros(0, np.float32), np.zeros(0, np.int32)
    if snapshot.vectors.blocks:
        block, first = _place(snapshot, i)
        scales = block.scales[first : first + len(mask)] * mask
        offsets = block.offsets[first : first + len(mask)] * mask
    return pack(
        snapshot.file_of[part],
        snapshot.kind_of[part],
        snapshot.name_of[part] * mask,
        snapshot.tail_of[part] * mask,
        lengths * mask[:, None],
        np.where(mask, snapshot.vectors.state[part], NEVER).astype(np.uint8),
        scales,
        offsets,
    )


def unpack_block(packed: Buffer) -> tuple[Block, Ints]:
    """Unpack the block of a row, without codes, and the offsets of its vectors."""
    *columns, scales, offsets = unpack(packed)
    file_of, kind_of, name_of, tail_of, lengths, state = columns
    block = Block(file_of, kind_of, name_of, tail_of, lengths, state, _NO_CODES, scales)
    return block, offsets


def pack_codes(snapshot: Snapshot, i: int, on_disk: Mask) -> Buffer:
    """Pack the codes of block i as a block of vectors has them, zero where not `on_disk`."""
    mask = on_disk[i * BLOCK_SIZE : (i + 1) * BLOCK_SIZE]
    block, first = _place(snapshot, i)
    n_groups = -(-len(mask) // GROUP_VECTORS)
    columns = np.zeros((n_groups, 1, GROUP_VECTORS), np.bool_)
    columns.reshape(-1)[: len(mask)] = mask
    # A copy: vectors that are still to come are written while this is saved.
    group = first // GROUP_VECTORS
    return _octets(block.codes[group : group + n_groups] * columns)


def _place(snapshot: Snapshot, i: int) -> tuple[VectorBlock, int]:
    """Return the block of vectors that block i is part of, and where it begins there."""
    number, first = divmod(i * BLOCK_SIZE, BLOCK_VECTORS)
    return snapshot.vectors.blocks[number], first


def _octets(array: NDArray[Any]) -> Buffer:
    plain = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return plain.data.cast("B") if plain.size else b""
