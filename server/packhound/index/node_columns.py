"""Columns of an index that is being written, with one row per node id."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import NO_NODE_IDS, Ints, LongInts, Mask, NodeIds, Positions
from packhound.core.titles import is_impl_title
from packhound.index.blocks import NEVER, PENDING, PRESENT, Block, Saved
from packhound.index.columns import Column
from packhound.index.name_index import NameIndex, NameTable
from packhound.index.postings.builder import N_FIELDS
from packhound.index.vectors.exact import Vectors, no_vectors
from packhound.index.vectors.hnsw import NeighbourGraph
from packhound.index.vectors.quantization import Codes
from packhound.index.vectors.vector_column import VectorColumn
from packhound.parsing import Record

if TYPE_CHECKING:
    from packhound.index.snapshot import Snapshot

_epochs = count(1)

_NO_CODES = np.zeros((0, 0), np.int8)
_NO_SCALES = np.zeros(0, np.float32)


class NodeColumns:
    """Data of each node id. Node ids are only added; `live` is the mask of those that count.

    Within one `epoch` a node id means the same node for ever; renumbering begins another.
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.names = NameTable()
        self.name_index = NameIndex()
        self.file_of: Column[np.int32] = Column(np.int32)
        self.kind_of: Column[np.uint8] = Column(np.uint8)
        self.name_of: Column[np.int32] = Column(np.int32)
        self.tail_of: Column[np.int32] = Column(np.int32)
        self.lengths = tuple(Column[np.int32](np.int32) for _ in range(N_FIELDS))
        self.codes = VectorColumn(dim)
        self.epoch = new_epoch()
        self.live: Mask = np.zeros(0, np.bool_)
        self.vector_state: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self.n_live = 0
        self.totals: LongInts = np.zeros(N_FIELDS, np.int64)

    def __len__(self) -> int:
        return len(self.live)

    def add(
        self, nodes: Sequence[tuple[Record, Positions]], file_ids: Ints, lengths: Ints
    ) -> NodeIds:
        """Add one node id per node, dead and without a vector, and return them.

        The nodes are those at the given positions of each record.
        """
        first, n = len(self), len(file_ids)
        kinds = np.concatenate([np.frombuffer(r.kinds(), np.uint8)[added] for r, added in nodes])
        pairs = [pair for r, added in nodes for pair in map(r.names().__getitem__, added.tolist())]
        names = self.names.add_all([name for name, _ in pairs])
        tails = self.names.add_all([_tail(*pair) for pair in pairs])
        state = np.full(n, PENDING, np.uint8)
        self._append(Block(file_ids, kinds, names, tails, lengths, state, _NO_CODES, _NO_SCALES))
        return np.arange(first, first + n, dtype=np.int32)

    def append_block(self, block: Block) -> None:
        """Add node ids with their vectors, all dead."""
        if len(self) >= self.codes.n_shared:
            self.codes.append(len(self), block.codes, block.scales)
        self._append(block)

    def _append(self, block: Block) -> None:
        first, n = len(self), len(block.file_of)
        self.file_of.write(first, block.file_of)
        self.kind_of.write(first, block.kind_of)
        self.name_of.write(first, block.name_of)
        self.tail_of.write(first, block.tail_of)
        for lengths, column in zip(block.lengths.T, self.lengths, strict=True):
            column.write(first, lengths)
        self.codes.reserve(first + n)
        # From here on nothing can fail that would leave the columns of different lengths.
        state = np.concatenate((self.vector_state, block.state))
        self.live = np.concatenate((self.live, np.zeros(n, np.bool_)))
        self.vector_state = state

    def update_liveness(self, added: NodeIds, removed: NodeIds) -> None:
        """Set and clear liveness bits in one step; a cleared bit is a tombstone."""
        if not len(added) and not len(removed):
            return
        totals = self.totals + self._total_lengths(added) - self._total_lengths(removed)
        live = self.live.copy()
        live[added], live[removed] = True, False
        n_live = self.n_live + len(added) - len(removed)
        self.live, self.n_live, self.totals = live, n_live, totals

    def _total_lengths(self, node_ids: NodeIds) -> LongInts:
        columns = [column.view(len(self))[node_ids] for column in self.lengths]
        return np.array([column.sum(dtype=np.int64) for column in columns])

    def attach(self, node_ids: NodeIds, codes: Codes) -> None:
        """Give node ids their vectors; a zero one has no direction and stays out for good."""
        directed = codes.any(axis=1)
        self.codes.write(node_ids[directed], codes[directed])
        self.vector_state = self.vector_state.copy()
        self.vector_state[node_ids] = np.where(directed, PRESENT, NEVER)

    def vectors(self, graph: NeighbourGraph | None) -> Vectors:
        """Return the vectors as of now."""
        if not self.dim:
            return no_vectors(self.live)
        present = self.vector_state == PRESENT
        usable = present & self.live
        present.flags.writeable = usable.flags.writeable = False
        blocks = tuple(self.codes.blocks)
        return Vectors(self.dim, blocks, self.vector_state, present, usable, graph)


def fork_columns(snapshot: Snapshot) -> NodeColumns:
    """Return columns that begin as those of a snapshot and share its rows, with an epoch of own."""
    n, vectors = snapshot.n_node_ids, snapshot.vectors
    columns = NodeColumns(vectors.dim)
    columns.names = snapshot.name_table.fork()
    columns.name_index = snapshot.name_index.fork(n)
    columns.file_of, columns.kind_of = Column.of(snapshot.file_of), Column.of(snapshot.kind_of)
    columns.name_of, columns.tail_of = Column.of(snapshot.name_of), Column.of(snapshot.tail_of)
    columns.lengths = tuple(map(Column.of, snapshot.lengths))
    columns.codes = VectorColumn.fork(vectors.dim, vectors.blocks, n)
    columns.live, columns.vector_state = snapshot.live, vectors.state
    columns.n_live, columns.totals = snapshot.n_nodes, np.array(snapshot.totals, np.int64)
    return columns


def restore_columns(saved: Saved, dim: int) -> NodeColumns:
    """Return the columns of a saved index, the node ids of its files live.

    Raises ValueError if its vectors have another dimension than `dim`.
    """
    columns = NodeColumns(dim)
    columns.epoch = saved.epoch
    columns.names = NameTable(saved.names)
    columns.codes = VectorColumn(dim, saved.vectors)
    if any(block.codes.shape[1] != dim for block in saved.vectors):
        raise ValueError(f"saved vectors have other dimensions than {dim}")
    if dim and saved.blocks and not saved.vectors:
        raise ValueError("the saved index has no vectors")
    for block in saved.blocks:
        columns.append_block(block)
    node_ids = np.concatenate([NO_NODE_IDS, *(entry.node_ids for entry in saved.files)])
    columns.update_liveness(node_ids, NO_NODE_IDS)
    return columns


def new_epoch() -> int:
    """Return the number of an epoch that no other in this process has."""
    return next(_epochs)


def _tail(name: str, qualname: str) -> str:
    """Return the last part of a qualified name if that is not the name itself: `C::f` gives f."""
    if is_impl_title(qualname):
        return name
    for separator in ("::", "#", "/", "."):
        _, matched, last = qualname.rpartition(separator)
        if matched:
            return last or name
    return qualname or name
