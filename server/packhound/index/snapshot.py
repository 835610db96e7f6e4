"""Snapshot: the whole index at one generation. It never changes, so readers need no lock.

All arrays have one row per node id, dead node ids included, and are read-only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import NO_NODE_IDS, Floats, Ints, Mask, NodeIds, unique_sorted
from packhound.core.types import Node, NodeId, NodeRef
from packhound.index.file_entry import FileEntry
from packhound.index.name_index import NameIndex, NameTable
from packhound.index.path_table import PathTable
from packhound.index.postings.reader import Postings
from packhound.index.postings.segment import TermPostings
from packhound.index.vectors.exact import Vectors
from packhound.text import file_stem, fold_identifier, runs, terms_of_run


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One generation of the index.

    `file_of` has file ids, `kind_of` positions in `types.KINDS`. `name_of` and `tail_of` have ids
    of `name_table`: those of the name, and of the last part of the qualified name.
    Node ids of two snapshots can be compared only within one `epoch`.
    `touched` are the paths that were written, in their order, the first `n_touched` of them before
    this generation; snapshots that have the same list differ in the files of the others at most.
    `lengths[f]` counts the terms of field f, `totals[f]` those of all live node ids together.
    """

    generation: int
    epoch: int
    files: Mapping[str, FileEntry]
    touched: Sequence[str]
    n_touched: int
    live: Mask
    n_nodes: int
    file_of: Ints
    kind_of: NDArray[np.uint8]
    name_of: Ints
    tail_of: Ints
    name_table: NameTable
    name_index: NameIndex
    lengths: tuple[Ints, ...]
    totals: tuple[int, ...]
    path_table: PathTable
    n_file_ids: int
    terms: Postings
    vectors: Vectors

    @property
    def paths(self) -> Sequence[str]:
        """The path of every file id, maybe of later ones too."""
        return self.path_table.paths

    @property
    def n_node_ids(self) -> int:
        """Number of node ids, dead ones included; the length of every array."""
        return len(self.live)

    @property
    def n_files(self) -> int:
        """Number of files."""
        return len(self.files)

    @property
    def average_length(self) -> tuple[float, ...]:
        """Average number of terms of a live node id in each field."""
        return tuple(total / max(1, self.n_nodes) for total in self.totals)

    @property
    def has_vector(self) -> Mask:
        """Mask of the node ids with a vector."""
        return self.vectors.present

    def entry(self, file_id: int) -> FileEntry | None:
        """Return the file of an id, None if it was removed."""
        return self.files.get(self.paths[file_id])

    def locate(self, node_id: int) -> tuple[FileEntry, int]:
        """Return the file of a live node id, and its position there. Raises KeyError if dead."""
        entry = self.entry(int(self.file_of[node_id])) if self.live[node_id] else None
        if entry is None:
            raise KeyError(node_id)
        return entry, entry.position(node_id)

    def node(self, node_id: int) -> Node:
        """Return the node of a live node id."""
        entry, position = self.locate(node_id)
        return entry.node(position)

    def ref(self, node_id: int, root: str) -> NodeRef:
        """Return the reference to a live node id."""
        entry, position = self.locate(node_id)
        node = entry.summary(position)
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

    def refs_below(self, path: str, root: str) -> tuple[NodeRef, ...]:
        """Return the nodes of a file, or of all files below a folder, in reading order."""
        folder = path.rstrip("/") + "/" if path else ""
        is_file = path in self.files
        paths = [path] if is_file else sorted(p for p in self.files if p.startswith(folder))
        return tuple(self.ref(node_id, root) for p in paths for node_id in self.files[p].node_ids)

    def node_id_at(self, path: str, line: int, offset: int = -1) -> NodeId | None:
        """Return the innermost node that touches a 0-based line; None if none does.

        One with a byte of the line comes before others that touch the line.
        """
        entry = self.files.get(path)
        spans = [
            (not span.start <= offset < span.end, span.end - span.start, position)
            for position, span in enumerate(node.span for node in (entry.nodes if entry else ()))
            if span.start_line <= line <= span.end_line
        ]
        return NodeId(int(entry.node_ids[min(spans)[2]])) if entry and spans else None

    def node_id_of(self, node: NodeRef) -> NodeId | None:
        """Return the id of a node of any generation; None if it is not where it was."""
        entry = self.files.get(node.path)
        key = node.span.start, node.kind, node.qualname
        keys = [(n.span.start, n.kind, n.qualname) for n in (entry.nodes if entry else ())]
        return NodeId(int(entry.node_ids[keys.index(key)])) if entry and key in keys else None

    def postings(self, term: str) -> TermPostings:
        """Return the live node ids with `term`, and its frequency in each field."""
        return self.terms.of(term)

    def terms_in(self, text: str) -> list[str]:
        """Return the terms of a text as the index has them, in order, with repeats.

        A word that only identifiers of several parts have is in it whole and not as a stem.
        """
        in_index = list[str]()
        for run in runs(text):
            of_run, whole = terms_of_run(run), fold_identifier(run)
            # Of most words no node has the whole; postings of common stems take long to read.
            if len(of_run) == 1 and of_run[0] != whole and whole in self.terms:
                has_stem, has_whole = (
                    len(self.postings(term).node_ids) > 0 for term in (*of_run, whole)
                )
                of_run = (whole,) if has_whole and not has_stem else of_run
            in_index += of_run
        return in_index

    def paths_named(self, name: str) -> list[str]:
        """Return the files whose path ends with the component `name`."""
        file_ids = self.path_table.stems.of(file_stem(name)).tolist()
        paths = (self.paths[file_id] for file_id in file_ids)
        return [p for p in paths if p in self.files and p.rpartition("/")[2] == name]

    def node_ids_named(self, name: str) -> NodeIds:
        """Return the live node ids whose name, or last part of the qualified name, is `name`."""
        return self._node_ids_of(self.name_table.ids(name))

    def node_ids_named_folded(self, folded: str) -> NodeIds:
        """As `node_ids_named`, for a name in lower case and nodes in any case."""
        return self._node_ids_of(self.name_table.folded_ids(folded))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of every node id, "" for dead ones."""
        table = self.name_table.names
        pairs = zip(self.name_of.tolist(), self.live.tolist(), strict=True)
        return tuple(table[i] if alive else "" for i, alive in pairs)

    def vector(self, node_id: int) -> Floats:
        """Return the unit vector of a node id, zero if it has none."""
        return self.vectors.row(node_id)

    def similarities(
        self, query: Floats, node_ids: NDArray[np.integer[Any]] | None = None
    ) -> Floats:
        """Return cosines of `query` with all node ids or with these; 0 without a live vector."""
        return self.vectors.similarities(query, node_ids)

    def nearest(self, query: Floats, k: int, allowed: Mask | None = None) -> tuple[NodeIds, Floats]:
        """Return at most `k` live node ids of greatest cosine, best first, and their cosines.

        Exact when `allowed` is given or the index is small, approximate in a large one.
        """
        return self.vectors.nearest(query, k, allowed)

    def _node_ids_of(self, name_ids: Sequence[int]) -> NodeIds:
        if not name_ids:
            return NO_NODE_IDS
        parts = [self.name_index.lookup(i, self.name_of, self.tail_of) for i in name_ids]
        node_ids = parts[0] if len(parts) == 1 else unique_sorted(np.concatenate(parts))
        return node_ids[self.live[node_ids]]
