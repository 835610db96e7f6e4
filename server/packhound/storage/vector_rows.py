"""Vectors of the store: whole blocks mapped where a file has their codes side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from packhound.core.arrays import Ints
from packhound.index import BLOCK_SIZE, BLOCK_VECTORS, GROUP_VECTORS, Block, Codes, VectorBlock
from packhound.storage.row import CODES
from packhound.storage.stored_rows import StoredRows

ROWS_OF_VECTORS = BLOCK_VECTORS // BLOCK_SIZE
"""Rows that a block of vectors is in."""


def unpack_vectors(
    rows: StoredRows, blocks: Sequence[tuple[Block, Ints]], dim: int, shared: Sequence[VectorBlock]
) -> list[VectorBlock]:
    """Return all blocks of vectors, the first of which are `shared`.

    `blocks` are those of node ids, with the offsets of their vectors. Raises ValueError where
    codes are missing.
    """
    vectors = [*shared]
    for first in range(len(shared) * ROWS_OF_VECTORS, len(blocks) if dim else 0, ROWS_OF_VECTORS):
        part = blocks[first : first + ROWS_OF_VECTORS]
        scales, offsets = np.zeros(BLOCK_VECTORS, np.float32), np.zeros(BLOCK_VECTORS, np.int32)
        start = 0
        for block, block_offsets in part:
            inside = slice(start, start := start + len(block.file_of))
            scales[inside], offsets[inside] = block.scales, block_offsets
        vectors.append(VectorBlock(_codes(rows, first, start, dim), scales, offsets))
    return vectors


def mapped_codes(joined: memoryview, dim: int) -> Codes:
    """Return the codes of a block whose rows lie side by side."""
    return np.frombuffer(joined, np.int8).reshape(-1, dim, GROUP_VECTORS)


def _codes(rows: StoredRows, first: int, n: int, dim: int) -> Codes:
    """Return the codes of a block, that of `n` node ids, whose first row is that of block `first`.

    The last block, to which vectors are added, is a copy.
    """
    if n == BLOCK_VECTORS and (mapped := rows.joined(CODES + first, ROWS_OF_VECTORS)) is not None:
        return mapped_codes(mapped, dim)
    codes = np.zeros((BLOCK_VECTORS // GROUP_VECTORS, dim, GROUP_VECTORS), np.int8)
    for i in range(-(-n // BLOCK_SIZE)):
        n_groups = -(-min(BLOCK_SIZE, n - i * BLOCK_SIZE) // GROUP_VECTORS)
        start = i * BLOCK_SIZE // GROUP_VECTORS
        packed = np.frombuffer(rows.bodies[CODES + first + i], np.int8)
        codes[start : start + n_groups] = packed.reshape(n_groups, dim, GROUP_VECTORS)
    return codes
