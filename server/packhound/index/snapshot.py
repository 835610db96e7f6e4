"""A snapshot: the whole index at one generation. It never changes, so readers need no lock.

All arrays have one row per label, dead labels included, and are read-only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packhound.core.types import Label, Node, NodeRef
from packhound.index.columns import distinct
from packhound.index.file_entry import FileEntry, Labels
from packhound.index.name_index import Bearers, NameTable
from packhound.index.path_table import PathTable
from packhound.index.postings.reader import Postings
from packhound.index.postings.segment import TermPostings
from packhound.index.vectors.exact import Vectors
from packhound.index.vectors.quantization import Rows
from packhound.text.path_features import stem_of

__all__ = ["FileEntry", "Mask", "Snapshot"]

Mask = NDArray[np.bool_]
_NO_LABELS: Labels = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """One generation of the index.

    `file_of` and `kind_of` are positions: a file id and one in `types.KINDS`. `name_of` and
    `tail_of` are positions in `name_table`: the name, and the last part of the qualified name.
    Labels of two snapshots can be compared only within one `epoch`.
    `lengths[f]` counts the terms of field f, `totals[f]` those of all live labels together.
    """

    generation: int
    epoch: int
    files: Mapping[str, FileEntry]
    live: Mask
    n_nodes: int
    file_of: Labels
    kind_of: NDArray[np.uint8]
    name_of: Labels
    tail_of: Labels
    name_table: NameTable
    bearers: Bearers
    lengths: tuple[Labels, ...]
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
    def n_labels(self) -> int:
        """Number of labels, dead ones included: the length of every array."""
        return len(self.live)

    @property
    def n_files(self) -> int:
        """Number of files."""
        return len(self.files)

    @property
    def average_length(self) -> tuple[float, ...]:
        """Terms of each field in a live label, on average, exactly."""
        return tuple(total / max(1, self.n_nodes) for total in self.totals)

    @property
    def has_vector(self) -> Mask:
        """Labels with a vector."""
        return self.vectors.present

    def entry(self, file_id: int) -> FileEntry | None:
        """The file of an id, None where it is gone."""
        return self.files.get(self.paths[file_id])

    def locate(self, label: int) -> tuple[FileEntry, int]:
        """The file of a live label, and the position among its nodes. Raises KeyError if dead."""
        entry = self.entry(int(self.file_of[label])) if self.live[label] else None
        if entry is None:
            raise KeyError(label)
        return entry, entry.position(label)

    def node(self, label: int) -> Node:
        """The node of a live label."""
        entry, position = self.locate(label)
        return entry.node(position)

    def ref(self, label: int, root: str) -> NodeRef:
        """A live label as others name it."""
        entry, position = self.locate(label)
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
            label=Label(int(label)),
        )

    def label_at(self, path: str, line: int) -> Label | None:
        """The label of the innermost node that touches a 0-based line; None where none does."""
        entry = self.files.get(path)
        spans = [
            (node.span.end - node.span.start, position)
            for position, node in enumerate(entry.nodes if entry else ())
            if node.span.start_line <= line <= node.span.end_line
        ]
        return Label(int(entry.labels[min(spans)[1]])) if entry and spans else None

    def postings(self, term: str) -> TermPostings:
        """Live labels with `term`, and how often each holds it in each field."""
        return self.terms.of(term)

    def paths_named(self, name: str) -> list[str]:
        """The files whose path ends with the component `name`."""
        numbers = self.path_table.stems.of(stem_of(name)).tolist()
        paths = (self.paths[number] for number in numbers)
        return [p for p in paths if p in self.files and p.rpartition("/")[2] == name]

    def labels_named(self, name: str) -> Labels:
        """Live labels whose name, or last part of the qualified name, is exactly `name`."""
        return self._labels_of(self.name_table.ids(name))

    def labels_named_folded(self, folded: str) -> Labels:
        """As `labels_named`, for a name in lower case and whatever case the node has."""
        return self._labels_of(self.name_table.folded_ids(folded))

    def names(self) -> tuple[str, ...]:
        """The name of every label, dead ones ""; made at the first call."""
        if not self._names:
            table = self.name_table.names
            named = zip(self.name_of.tolist(), self.live.tolist(), strict=True)
            self._names.append(tuple(table[i] if alive else "" for i, alive in named))
        return self._names[0]

    def vector(self, label: int) -> NDArray[np.float32]:
        """The unit vector of a label, zero where it has none."""
        return self.vectors.row(label)

    def similarities(self, query: Rows, labels: NDArray[np.integer[Any]] | None = None) -> Rows:
        """Cosines of `query` with all labels, or those given; 0 for dead and vectorless ones."""
        return self.vectors.similarities(query, labels)

    def nearest(
        self, query: NDArray[np.float32], k: int, allowed: Mask | None = None
    ) -> tuple[Labels, Rows]:
        """At most `k` live labels of greatest cosine, best first, and their cosines.

        Exact when `allowed` is given or the index is small, approximate in a large one.
        """
        return self.vectors.nearest(query, k, allowed)

    def _labels_of(self, numbers: Sequence[int]) -> Labels:
        if not numbers:
            return _NO_LABELS
        found = [self.bearers.of(n, self.name_of, self.tail_of) for n in numbers]
        labels = found[0] if len(found) == 1 else distinct(np.concatenate(found))
        return labels[self.live[labels]]
