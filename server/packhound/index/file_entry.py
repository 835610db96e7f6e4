"""A file of a snapshot: its nodes as one record, decoded lazily."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from packhound.core.array_codec import Buffer
from packhound.core.arrays import NodeIds
from packhound.core.types import KINDS, FileStamp, Kind, Node
from packhound.parsing import NodeSummary, Record, kind_at

DIGEST_SIZE = 16
UNREAD = FileStamp(-1, -1, -1, -1)
"""Stamp that no file has, of files that have to be read again."""
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
    record: Buffer

    def is_of(self, digest: bytes) -> bool:
        """Return True if this is all that parsing a source of this digest would give."""
        return self.digest == digest and not self.degraded and self.stamp != UNREAD

    def decoded(self) -> Record:
        """Return the record, for many questions: only those of the last files are kept."""
        return _record_of(self)

    def position(self, node_id: int) -> int:
        """Return the position of a node id among the nodes. Raises ValueError for any other."""
        # The node ids of a file were mostly given in a row.
        first = int(self.node_ids[0]) if len(self.node_ids) else node_id
        guess = node_id - first
        if 0 <= guess < len(self.node_ids) and self.node_ids[guess] == node_id:
            return guess
        position: int = self.node_ids.tolist().index(node_id)
        return position

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes, in the order of their start."""
        record = _record_of(self)
        return tuple(record.node(i) for i in range(len(self.node_ids)))

    def node(self, position: int) -> Node:
        """Return one node, without decoding the others."""
        return _record_of(self).node(position)

    def summary(self, position: int) -> NodeSummary:
        """Return a node without its own text and references."""
        return _record_of(self).summary(position)

    def name(self, position: int) -> str:
        """Return the name of a node, "" for one that is no definition."""
        kind, name, _ = _record_of(self).kind_and_names(position)
        return "" if kind in _UNNAMED else name

    def kind(self, position: int) -> Kind:
        """Return the kind of a node."""
        return kind_at(self.record, position)

    def name_as_written(self, position: int) -> str:
        """Return the name of a node, whatever its kind."""
        return _record_of(self).kind_and_names(position)[1]

    def qualname(self, position: int) -> str:
        """Return the qualified name of a node."""
        return _record_of(self).kind_and_names(position)[2]

    def start(self, position: int) -> int:
        """Return the first byte of a node."""
        return _record_of(self).start(position)

    def lines(self, position: int) -> tuple[int, int]:
        """Return the first and the last line of a node."""
        return _record_of(self).lines(position)

    def innermost(self, lines: Sequence[int]) -> list[int]:
        """Return the position of the smallest node that touches each of some ascending lines.

        It is -1 where none does.
        """
        positions = [-1] * len(lines)
        above, below = (lines[0], lines[-1]) if lines else (0, -1)
        touching = [
            (start - end, -i, first, last)
            for i, (start, end, first, last) in enumerate(_record_of(self).spans())
            if first <= below and last >= above
        ]
        # From the largest to the smallest, so that the smallest remains; of equals the first.
        for _, i, first_line, last_line in sorted(touching):
            first, last = bisect_left(lines, first_line), bisect_right(lines, last_line)
            positions[first:last] = [-i] * (last - first)
        return positions

    def sizes(self, position: int) -> tuple[int, int, int]:
        """Return the characters of a node's signature and doc, and the bytes of its span."""
        return _record_of(self).sizes(position)

    def parents(self) -> list[int]:
        """Return the position of each node's parent, -1 for none."""
        return _record_of(self).parents()

    def names(self) -> list[str]:
        """Return the `name` of each node."""
        record = Record(self.record)
        pairs = zip(record.names(), record.kinds(), strict=True)
        return ["" if KINDS[kind] in _UNNAMED else name for (name, _), kind in pairs]

    def references(self) -> list[str]:
        """Return the references of all nodes, node by node."""
        return Record(self.record).references()

    def users(self, name: str) -> list[int]:
        """Return the positions of the nodes that refer to a name."""
        return _record_of(self).users(name)

    def node_digest(self, position: int) -> bytes:
        """Return the identity of the terms and the vector of one node."""
        return self.node_digests[position * DIGEST_SIZE : (position + 1) * DIGEST_SIZE]

    def move(self, record: Buffer) -> None:
        """Have the same record elsewhere, as in a mapped file, and not in memory."""
        object.__setattr__(self, "record", record)

    def renumber(self, node_ids: NodeIds) -> FileEntry:
        """Return the same file under other node ids."""
        return replace(self, node_ids=node_ids)


@lru_cache(maxsize=256)
def _record_of(entry: FileEntry) -> Record:
    # By the entry, which is compared by identity: a record would be hashed, all of it.
    return Record(entry.record)
