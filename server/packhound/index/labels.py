"""The per-label columns of an index that is being written, and snapshots' views of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

from packhound.index.columns import Column, VectorColumn
from packhound.index.grid import Rows
from packhound.index.names import NameTable
from packhound.index.rows import Block, Saved
from packhound.index.segment import N_FIELDS, Labels
from packhound.index.vectors import Graph, Mask, Vectors, no_vectors
from packhound.types import KINDS, Node

PENDING, PRESENT, NEVER = 0, 1, 2
"""States of a label's vector: not there yet, there, and not to be had (no direction)."""

_epochs = count(1)

_KIND_IDX = {kind: i for i, kind in enumerate(KINDS)}


class LabelColumns:
    """What the index knows of each label. Labels are only added; `live` says which still count.

    Within one `epoch` a label means the same node for ever; renumbering begins another.
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.names = NameTable()
        self.file_of: Column[np.int32] = Column(np.int32)
        self.kind_of: Column[np.uint8] = Column(np.uint8)
        self.name_of: Column[np.int32] = Column(np.int32)
        self.tail_of: Column[np.int32] = Column(np.int32)
        self.lengths: Column[np.int32] = Column(np.int32, N_FIELDS)
        self.rows = VectorColumn(dim)
        self.epoch = new_epoch()
        self.live: Mask = np.zeros(0, np.bool_)
        self.vector_state: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self.n_live = 0
        self.totals: NDArray[np.int64] = np.zeros(N_FIELDS, np.int64)

    def __len__(self) -> int:
        return len(self.live)

    def add(self, nodes: Sequence[Node], file_ids: Labels, lengths: NDArray[np.int32]) -> Labels:
        """Add one live label a node, without a vector, and return them."""
        first, n = len(self), len(nodes)
        self.file_of.append(file_ids)
        self.kind_of.append(np.array([_KIND_IDX[node.kind] for node in nodes], np.uint8))
        self.name_of.append(self.names.add_all([node.name for node in nodes]))
        self.tail_of.append(self.names.add_all([_tail(node) for node in nodes]))
        self.lengths.append(lengths)
        self.rows.append_empty(n)
        self.live = np.concatenate((self.live, np.ones(n, np.bool_)))
        self.vector_state = np.concatenate((self.vector_state, np.zeros(n, np.uint8)))
        self.n_live += n
        self.totals += lengths.sum(axis=0, dtype=np.int64)
        return np.arange(first, first + n, dtype=np.int32)

    def append_block(self, block: Block) -> None:
        """Add labels as they were saved, all dead."""
        self.file_of.append(block.file_of)
        self.kind_of.append(block.kind_of)
        self.name_of.append(block.name_of)
        self.tail_of.append(block.tail_of)
        self.lengths.append(block.lengths)
        self.rows.append(block.rows)
        self.live = np.concatenate((self.live, np.zeros(len(block.file_of), np.bool_)))
        self.vector_state = np.concatenate((self.vector_state, block.state))

    def revive(self, labels: Labels) -> None:
        """Let dead labels count."""
        self.live = self.live.copy()
        self.live[labels] = True
        self.n_live += len(labels)
        self.totals += self.lengths.view()[labels].sum(axis=0, dtype=np.int64)

    def kill(self, labels: Labels) -> None:
        """Take labels that are live out of every later snapshot."""
        if len(labels):
            self.live = self.live.copy()
            self.live[labels] = False
            self.n_live -= len(labels)
            self.totals -= self.lengths.view()[labels].sum(axis=0, dtype=np.int64)

    def attach(self, labels: Labels, rows: Rows) -> None:
        """Give labels their vectors; a zero row has no direction and stays out for good."""
        directed = rows.any(axis=1)
        self.rows.write(labels[directed], rows[directed])
        self.vector_state = self.vector_state.copy()
        self.vector_state[labels] = np.where(directed, PRESENT, NEVER)

    def vectors(self, graph: Graph | None) -> Vectors:
        """The vectors as of now."""
        if not self.dim:
            return no_vectors(self.live)
        present = self.vector_state == PRESENT
        usable = present & self.live
        present.flags.writeable = usable.flags.writeable = False
        return Vectors(self.dim, self.rows.views(), self.vector_state, present, usable, graph)


def restored(saved: Saved, dim: int) -> LabelColumns:
    """The columns of a saved index, its files' labels live. Raises ValueError on another `dim`."""
    columns = LabelColumns(dim)
    columns.epoch = saved.epoch
    columns.names = NameTable(saved.names)
    for block in saved.blocks:
        if block.rows.shape[1] != dim:
            raise ValueError(f"saved vectors have {block.rows.shape[1]} dimensions, not {dim}")
        columns.append_block(block)
    columns.revive(np.concatenate([np.zeros(0, np.int32), *(e.labels for e in saved.files)]))
    return columns


def new_epoch() -> int:
    """A number for an epoch that no other of this process has."""
    return next(_epochs)


def _tail(node: Node) -> str:
    """The last part of a qualified name, where that is not the name itself: `C::f` gives f."""
    for separator in ("::", "#", "/", "."):
        _, found, last = node.qualname.rpartition(separator)
        if found:
            return last or node.name
    return node.qualname or node.name
