"""A file as a snapshot holds it: its nodes as one record, decoded when someone looks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from packhound.core.arrays import NodeIds
from packhound.core.types import KINDS, FileStamp, Node
from packhound.parsing.node_codec import NodeSummary, Record

DIGEST_SIZE = 16
_UNNAMED = frozenset({"file", "section", "window"})


@dataclass(frozen=True, slots=True, eq=False)
class FileEntry:
    """One file of a snapshot.

    `node_ids[i]` is the node id of node i; `stamp` is None for the text of an open editor.
    `digest` is blake2b-16 of the source, `node_digests` those of the nodes, joined.
    """

    path: str
    language: str
    digest: bytes
    stamp: FileStamp | None
    file_id: int
    node_ids: NodeIds
    imports: tuple[str, ...]
    degraded: str | None
    node_digests: bytes
    record: bytes

    def position(self, node_id: int) -> int:
        """Where a node id of this file is among its nodes. Raises ValueError for any other."""
        # Those of a file were mostly given in a row.
        first = int(self.node_ids[0]) if len(self.node_ids) else node_id
        guess = node_id - first
        if 0 <= guess < len(self.node_ids) and self.node_ids[guess] == node_id:
            return guess
        found: int = self.node_ids.tolist().index(node_id)
        return found

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes, in the order of their start."""
        opened = _opened(self)
        return tuple(opened.node(i) for i in range(len(self.node_ids)))

    def node(self, position: int) -> Node:
        """One node, without decoding the others."""
        return _opened(self).node(position)

    def qualname(self, position: int) -> str:
        """The qualified name of a node, without decoding the rest of it."""
        return _opened(self).kind_and_names(position)[2]

    def told(self, position: int) -> NodeSummary:
        """What is told of a node elsewhere, without decoding the rest of it."""
        return _opened(self).summary(position)

    def lines(self, position: int) -> tuple[int, int]:
        """The first and the last line of a node, without decoding it."""
        return _opened(self).lines(position)

    def name_as_written(self, position: int) -> str:
        """The name of a node, whatever it is, without decoding the rest of it."""
        return _opened(self).kind_and_names(position)[1]

    def start(self, position: int) -> int:
        """Where a node starts, without decoding it."""
        return _opened(self).start(position)

    def sizes(self, position: int) -> tuple[int, int, int]:
        """Characters of a node's signature and doc, and bytes of its span, without decoding it."""
        return _opened(self).sizes(position)

    def parents(self) -> list[int]:
        """The position of the node that each is in, -1 for none."""
        return _opened(self).parents()

    def name(self, position: int) -> str:
        """The name of a node, "" for one that is no definition."""
        kind, name, _ = _opened(self).kind_and_names(position)
        return "" if kind in _UNNAMED else name

    def names(self) -> list[str]:
        """The `name` of each node, without decoding them."""
        record = Record(self.record)
        named = zip(record.names(), record.kinds(), strict=True)
        return ["" if KINDS[kind] in _UNNAMED else name for (name, _), kind in named]

    def references(self) -> list[str]:
        """What all nodes refer to, node by node."""
        return Record(self.record).references()

    def users(self, name: str) -> list[int]:
        """The positions of the nodes that refer to a name."""
        return _opened(self).users(name)

    def node_digest(self, position: int) -> bytes:
        """Identity of the terms and the vector of one node."""
        return self.node_digests[position * DIGEST_SIZE : (position + 1) * DIGEST_SIZE]

    def renumbered(self, node_ids: NodeIds) -> FileEntry:
        """The same file under other node ids."""
        return replace(self, node_ids=node_ids)


@lru_cache(maxsize=256)
def _opened(entry: FileEntry) -> Record:
    # By the entry, which is compared by identity: a record would be hashed, all of it.
    return Record(entry.record)
