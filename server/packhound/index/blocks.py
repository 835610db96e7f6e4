"""All columns of a run of node ids as one value, as compaction copies and the store holds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, Ints, NodeIds
from packhound.index.file_entry import FileEntry
from packhound.index.path_table import PathTable
from packhound.index.postings.segment import Segment
from packhound.index.vectors.quantization import Codes
from packhound.index.vectors.vector_column import VectorBlock

PENDING, PRESENT, NEVER = 0, 1, 2
"""States of a node id's vector: not encoded yet, encoded, not to be had (no direction)."""

BLOCK_SIZE = 4096
"""Node ids in a block. The store has a row for each block, so another size is another format."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """All columns of up to `BLOCK_SIZE` node ids; `codes` [n, dim] with their `scales`."""

    file_of: NodeIds
    kind_of: NDArray[np.uint8]
    name_of: Ints
    tail_of: Ints
    lengths: Ints
    state: NDArray[np.uint8]
    codes: Codes
    scales: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Saved:
    """An index as read from disk; the `node_ids` of the entries are set.

    `vectors` are all blocks of vectors, which `blocks` lack.
    """

    generation: int
    epoch: int
    names: list[str]
    paths: PathTable
    segments: Sequence[Segment]
    blocks: Sequence[Block]
    files: Sequence[FileEntry]
    vectors: Sequence[VectorBlock]
