"""Quantized vectors in blocks that only fill up, shared by all snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, Ints, Mask, Positions, unique_sorted
from packhound.index.vectors.int8_matmul import offsets_of
from packhound.index.vectors.quantization import Codes, scales_of

BLOCK_VECTORS = 32_768
"""Vectors in a block: 8 MB at 256 dimensions. A scan is one product a block. The system hands out
the pages of a new block as they are written, so a small index takes no more than it needs."""

GROUP_VECTORS = 64
"""Vectors whose values of one dimension lie side by side: a cache line. So a scan reads memory
from one end to the other, which takes two thirds of the time of blocks without groups."""


@dataclass(frozen=True, slots=True, eq=False)
class VectorBlock:
    """`BLOCK_VECTORS` vectors; those that were not written yet are zero.

    `codes` [groups, dim, GROUP_VECTORS] holds one vector a column, `scales` 1 / length of each,
    `offsets` what the offset of a query adds to the product with each.
    """

    codes: Codes
    scales: Floats
    offsets: Ints

    def move(self, codes: Codes) -> None:
        """Have the same codes elsewhere, as in a mapped file, and not in memory."""
        object.__setattr__(self, "codes", codes)


class VectorColumn:
    """A growing list of vectors.

    Unlike in other columns a row may be written later than it was added, once: older snapshots
    tell by their own states that they must not read it.
    """

    def __init__(self, dim: int, shared: Sequence[VectorBlock] = ()) -> None:
        """`shared` are blocks of another column, whose first vectors are the same, or of a file."""
        self.dim = dim
        self.blocks = [*shared]
        self.n_shared = len(shared) * BLOCK_VECTORS

    @classmethod
    def fork(cls, dim: int, blocks: Sequence[VectorBlock], n: int) -> VectorColumn:
        """Return a column that begins with the first `n` vectors of a snapshot.

        Its last block, to which it adds, is a copy of the part in use.
        """
        n_full, n_last = divmod(n, BLOCK_VECTORS)
        column = cls(dim, blocks[:n_full])
        if n_last and dim:
            column.reserve(n)
            last, groups = blocks[n_full], -(-n_last // GROUP_VECTORS)
            column.blocks[-1].codes[:groups] = last.codes[:groups]
            column.blocks[-1].scales[:n_last] = last.scales[:n_last]
            column.blocks[-1].offsets[:n_last] = last.offsets[:n_last]
        return column

    def reserve(self, n: int) -> None:
        """Allocate blocks for `n` vectors; those without dimensions need none."""
        while self.dim and len(self.blocks) * BLOCK_VECTORS < n:
            codes = np.zeros((BLOCK_VECTORS // GROUP_VECTORS, self.dim, GROUP_VECTORS), np.int8)
            scales, offsets = np.zeros(BLOCK_VECTORS, np.float32), np.zeros(BLOCK_VECTORS, np.int32)
            self.blocks.append(VectorBlock(codes, scales, offsets))

    def append(self, first: int, codes: Codes, scales: Floats) -> None:
        """Set the vectors from `first` on."""
        self.reserve(first + len(codes))
        for number, inside, part in _split_by_block(first, len(codes)) if self.dim else ():
            _write_block(self.blocks[number], inside, codes[part], scales[part])

    def code(self, node_id: int) -> Codes:
        """Return the code of one vector, [dim]."""
        group, column = divmod(node_id % BLOCK_VECTORS, GROUP_VECTORS)
        code: Codes = self.blocks[node_id // BLOCK_VECTORS].codes[group, :, column]
        return code

    def write(self, node_ids: NDArray[np.int32], codes: Codes) -> None:
        """Set the vectors of `node_ids`."""
        scales = scales_of(codes)
        for number, mask in _masks_by_block(node_ids):
            inside = node_ids[mask] % BLOCK_VECTORS
            _write_block(self._writable(number), inside, codes[mask], scales[mask])

    def _writable(self, number: int) -> VectorBlock:
        """Return a block, one of its own in place of a mapped one."""
        block = self.blocks[number]
        if not block.codes.flags.writeable:
            self.blocks[number] = block = replace(block, codes=block.codes.copy())
        return block


def gather_codes(
    blocks: Sequence[VectorBlock], node_ids: NDArray[np.integer[Any]], dim: int
) -> tuple[Codes, Floats]:
    """Return the codes of `node_ids`, [len(node ids), dim], and their scales."""
    codes = np.zeros((len(node_ids), dim), np.int8)
    for number, mask in _masks_by_block(node_ids) if dim else ():
        block, inside = blocks[number], node_ids[mask] % BLOCK_VECTORS
        codes[mask] = block.codes[inside // GROUP_VECTORS, :, inside % GROUP_VECTORS]
    return codes, gather_scales(blocks, node_ids)


def gather_scales(blocks: Sequence[VectorBlock], node_ids: NDArray[np.integer[Any]]) -> Floats:
    """Return 1 / length of the vectors of `node_ids`; 0 where there are no blocks."""
    scales = np.zeros(len(node_ids), np.float32)
    for number, mask in _masks_by_block(node_ids) if blocks else ():
        scales[mask] = blocks[number].scales[node_ids[mask] % BLOCK_VECTORS]
    return scales


def gather_groups(
    blocks: Sequence[VectorBlock], node_ids: NDArray[np.integer[Any]]
) -> tuple[Codes, Positions]:
    """Return the groups that hold any of `node_ids`, [groups, dim, GROUP_VECTORS].

    Second value: the position of each node id in these, counted column by column.
    """
    group_ids, column = np.divmod(node_ids, GROUP_VECTORS)
    groups = unique_sorted(group_ids)
    numbers, firsts = np.divmod(groups, BLOCK_VECTORS // GROUP_VECTORS)
    ends = np.flatnonzero(np.diff(numbers, append=-1)) + 1
    parts = [
        blocks[numbers[start]].codes[firsts[start:end]]
        for start, end in pairwise([0, *ends.tolist()])
    ]
    return np.concatenate(parts), groups.searchsorted(group_ids) * GROUP_VECTORS + column


def block_slices(blocks: Sequence[VectorBlock], n: int) -> Iterator[tuple[VectorBlock, int]]:
    """Yield the blocks of the first `n` vectors, and how many of these each holds."""
    for number, inside, _ in _split_by_block(0, n):
        yield blocks[number], inside.stop


def _write_block(
    block: VectorBlock, rows: slice | NDArray[np.int32], codes: Codes, scales: Floats
) -> None:
    """Set some vectors of a block; whole groups of a slice are transposed at once."""
    n_grouped = 0
    if isinstance(rows, slice):
        first, last = rows.start // GROUP_VECTORS, -(-rows.stop // GROUP_VECTORS)
        touched: slice | NDArray[np.int32] = slice(first, last)
        positions = np.arange(rows.start, rows.stop)
        if rows.start % GROUP_VECTORS == 0:
            n_grouped = len(codes) // GROUP_VECTORS * GROUP_VECTORS
            grouped = codes[:n_grouped].reshape(-1, GROUP_VECTORS, codes.shape[1])
            block.codes[first : first + len(grouped)] = grouped.transpose(0, 2, 1)
    else:
        touched, positions = unique_sorted(rows // GROUP_VECTORS), rows
    groups, columns = np.divmod(positions[n_grouped:], GROUP_VECTORS)
    block.codes[groups, :, columns] = codes[n_grouped:]
    block.scales[rows] = scales
    block.offsets.reshape(-1, GROUP_VECTORS)[touched] = offsets_of(block.codes[touched])


def _split_by_block(first: int, n: int) -> Iterator[tuple[int, slice, slice]]:
    """Split `n` rows from `first` on at block bounds: block, rows in it, and rows of the `n`."""
    done = 0
    while done < n:
        number, start = divmod(first + done, BLOCK_VECTORS)
        size = min(BLOCK_VECTORS - start, n - done)
        yield number, slice(start, start + size), slice(done, done + size)
        done += size


def _masks_by_block(node_ids: NDArray[np.integer[Any]]) -> Iterator[tuple[int, Mask]]:
    """Yield each block that holds any of `node_ids`, and the mask of those that it holds."""
    numbers = node_ids // BLOCK_VECTORS
    for number in unique_sorted(numbers).tolist():
        yield number, numbers == number
