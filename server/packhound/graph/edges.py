"""Edges of the reference graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

import numpy as np

from packhound.index import FileEntry

EdgeKind = Literal["contains", "contained-in", "imports", "references", "referenced-by"]


class Edge(NamedTuple):
    """From a node asked about to `node_id`; `weight` in 0..1 says how sure the edge is."""

    kind: EdgeKind
    node_id: int
    weight: float


def containment_edges(file: FileEntry, position: int) -> Iterator[Edge]:
    """Yield the edges from a node to its parent and its children."""
    parents = file.parents()
    if parents[position] >= 0:
        yield Edge("contained-in", int(file.node_ids[parents[position]]), 1.0)
    for child, parent in enumerate(parents):
        if parent == position:
            yield Edge("contains", int(file.node_ids[child]), 1.0)


def import_edges(imported: Iterable[FileEntry]) -> Iterator[Edge]:
    """Yield the edges of a file's own node, which alone stands for its imports."""
    for file in imported:
        if len(file.node_ids):
            yield Edge("imports", int(file.node_ids[0]), 0.5)


def has_changed(old: FileEntry | None, file: FileEntry) -> bool:
    """Return True if a file has other nodes, or node ids, than it had."""
    if old is None or old is file:
        return old is None
    return not (old.digest == file.digest and np.array_equal(old.node_ids, file.node_ids))
