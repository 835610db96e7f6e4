"""A snapshot: the whole index at one generation. It never changes, so readers need no lock.

All arrays have one row per node id, dead node ids included, and are read-only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, Mask, NodeIds, unique_sorted
from packhound.core.types import Node, NodeId, NodeRef
from packhound.index.file_entry import FileEntry
from packhound.index.name_index import NameIndex, NameTable
from packhound.index.path_table import PathTable
from packhound.index.postings.reader import Postings
from packhound.index.postings.segment import TermPostings
from packhound.index.vectors.exact import Vectors
from packhound.text.path_features import file_stem

__all__ = ["FileEntry", "Mask", "Snapshot"]

NO_NODE_IDS: NodeIds = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """One generation of the index.

    `file_of` and `kind_of` are positions: a file id and one in `types.KINDS`. `name_of` and
    `tail_of` are positions in `name_table`: the name, and the last part of the qualified name.
    Node ids of two snapshots can be compared only within one `epoch`.
    `lengths[f]` counts the terms of field f, `totals[f]` those of all live node ids together.
    """

    generation: int
    epoch: int
    files: Mapping[str, FileEntry]
    live: Mask
    n_nodes: int
    file_of: NodeIds
    kind_of: NDArray[np.uint8]
    name_of: NodeIds
    tail_of: NodeIds
    name_table: NameTable
    bearers: NameIndex
    lengths: tuple[NodeIds, ...]
    totals: tuple[int, ...]
    path_table: PathTable
    n_file_ids: int
    terms: Postings
    vectors: Vectors
    _names: list[tuple[str, ...]] = field(default_factory=list)

    @property
    def paths(self) -> Sequence[str]:
        """The path of every file id; later ones may follow."""
        return self.path_table.paths

    @property
    def n_node_ids(self) -> int:
        """Number of node ids, dead ones included: the length of every array."""
        return len(self.live)

    @property
    def n_files(self) -> int:
        """Number of files."""
        return len(self.files)

    @property
    def average_length(self) -> tuple[float, ...]:
        """Terms of each field in a live node id, on average, exactly."""
        return tuple(total / max(1, self.n_nodes) for total in self.totals)

    @property
    def has_vector(self) -> Mask:
        """Node ids with a vector."""
        return self.vectors.present

    def entry(self, file_id: int) -> FileEntry | None:
        """The file of an id, None where it is gone."""
        return self.files.get(self.paths[file_id])

    def locate(self, node_id: int) -> tuple[FileEntry, int]:
        """The file of a live node id, and the position among its nodes. Raises KeyError if dead."""
        entry = self.entry(int(self.file_of[node_id])) if self.live[node_id] else None
        if entry is None:
            raise KeyError(node_id)
        return entry, entry.position(node_id)

    def node(self, node_id: int) -> Node:
        """The node of a live node id."""
        entry, position = self.locate(node_id)
        return entry.node(position)

    def ref(self, node_id: int, root: str) -> NodeRef:
        """A live node id as others name it."""
        entry, position = self.locate(node_id)
        node = entry.told(position)
        return NodeRef(
            root=root,
            path=entry.path,
            language=entry.language,
            kind=node.kind,
            name=node.name,
            qualname=node.qualname,
            signature=node.signature,
            doc=node.doc,
            span=node.span,
            generation=self.generation,
            node_id=NodeId(int(node_id)),
        )

    def node_id_at(self, path: str, line: int) -> NodeId | None:
        """The node id of the innermost node that touches a 0-based line; None where none does."""
        entry = self.files.get(path)
        spans = [
            (node.span.end - node.span.start, position)
            for position, node in enumerate(entry.nodes if entry else ())
            if node.span.start_line <= line <= node.span.end_line
        ]
        return NodeId(int(entry.node_ids[min(spans)[1]])) if entry and spans else None

    def postings(self, term: str) -> TermPostings:
        """Live node ids with `term`, and how often each holds it in each field."""
        return self.terms.of(term)

    def paths_named(self, name: str) -> list[str]:
        """The files whose path ends with the component `name`."""
        numbers = self.path_table.stems.of(file_stem(name)).tolist()
        paths = (self.paths[number] for number in numbers)
        return [p for p in paths if p in self.files and p.rpartition("/")[2] == name]

    def node_ids_named(self, name: str) -> NodeIds:
        """Live node ids whose name, or last part of the qualified name, is exactly `name`."""
        return self._node_ids_of(self.name_table.ids(name))

    def node_ids_named_folded(self, folded: str) -> NodeIds:
        """As `node_ids_named`, for a name in lower case and whatever case the node has."""
        return self._node_ids_of(self.name_table.folded_ids(folded))

    def names(self) -> tuple[str, ...]:
        """The name of every node id, dead ones ""; made at the first call."""
        if not self._names:
            table = self.name_table.names
            named = zip(self.name_of.tolist(), self.live.tolist(), strict=True)
            self._names.append(tuple(table[i] if alive else "" for i, alive in named))
        return self._names[0]

    def vector(self, node_id: int) -> NDArray[np.float32]:
        """The unit vector of a node id, zero where it has none."""
        return self.vectors.row(node_id)

    def similarities(
        self, query: Floats, node_ids: NDArray[np.integer[Any]] | None = None
    ) -> Floats:
        """Cosines of `query` with all node ids, or those given; 0 for dead and vectorless ones."""
        return self.vectors.similarities(query, node_ids)

    def nearest(
        self, query: NDArray[np.float32], k: int, allowed: Mask | None = None
    ) -> tuple[NodeIds, Floats]:
        """At most `k` live node ids of greatest cosine, best first, and their cosines.

        Exact when `allowed` is given or the index is small, approximate in a large one.
        """
        return self.vectors.nearest(query, k, allowed)

    def _node_ids_of(self, numbers: Sequence[int]) -> NodeIds:
        if not numbers:
            return NO_NODE_IDS
        found = [self.bearers.of(n, self.name_of, self.tail_of) for n in numbers]
        node_ids = found[0] if len(found) == 1 else unique_sorted(np.concatenate(found))
        return node_ids[self.live[node_ids]]
