"""A file as a snapshot holds it: its nodes as compact records, decoded when someone looks.

Forty thousand `Node` objects are a hundred megabytes; their records are twenty.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from packhound.types import KINDS, FileStamp, Node, Span

Labels = NDArray[np.int32]

DIGEST_SIZE = 16

_KIND_IDX = {kind: i for i, kind in enumerate(KINDS)}
_COUNT = struct.Struct("<I")


@dataclass(frozen=True, slots=True, eq=False)
class FileEntry:
    """One file of a snapshot.

    `labels[i]` is the label of node i; `stamp` is None for the text of an open editor.
    `digest` is blake2b-16 of the source, `node_digests` those of the nodes, joined.
    """

    path: str
    language: str
    digest: bytes
    stamp: FileStamp | None
    file_id: int
    labels: Labels
    imports: tuple[str, ...]
    degraded: str | None
    node_digests: bytes
    record: bytes

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes, in the order of their start."""
        return _decoded(self.record)

    def node(self, position: int) -> Node:
        """One node, without decoding the others."""
        return _decoded_one(self.record, position)

    def node_digest(self, position: int) -> bytes:
        """Identity of the terms and the vector of one node."""
        return self.node_digests[position * DIGEST_SIZE : (position + 1) * DIGEST_SIZE]

    def relabelled(self, labels: Labels, file_id: int) -> FileEntry:
        """The same file under other labels."""
        return replace(self, labels=labels, file_id=file_id)


def encode_nodes(nodes: Sequence[Node]) -> bytes:
    """The record of `nodes`: their count, where each ends, and each as JSON."""
    rows = [_ENCODE(_flat(node)).encode("ascii") for node in nodes]
    ends = np.cumsum([0, *map(len, rows)], dtype="<u4")[1:]
    return _COUNT.pack(len(rows)) + ends.tobytes() + b"".join(rows)


def n_records(record: bytes) -> int:
    """Number of nodes in a record."""
    return int(_COUNT.unpack_from(record)[0])


_ENCODE = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def _flat(node: Node) -> list[object]:
    return [
        _KIND_IDX[node.kind],
        node.name,
        node.qualname,
        node.span.start,
        node.span.end,
        node.span.start_line,
        node.span.end_line,
        node.signature,
        node.doc,
        node.own,
        node.parent,
        node.references,
    ]


@lru_cache(maxsize=64)
def _decoded(record: bytes) -> tuple[Node, ...]:
    return tuple(_decoded_one(record, i) for i in range(n_records(record)))


def _decoded_one(record: bytes, position: int) -> Node:
    n = n_records(record)
    if not 0 <= position < n:
        raise IndexError(position)
    base = _COUNT.size * (n + 1)
    (end,) = _COUNT.unpack_from(record, _COUNT.size * (position + 1))
    start = _COUNT.unpack_from(record, _COUNT.size * position)[0] if position else 0
    return _node(record[base + start : base + end])


@lru_cache(maxsize=4096)
def _node(row: bytes) -> Node:
    kind, name, qualname, start, end, first, last, signature, doc, own, parent, used = json.loads(
        row
    )
    return Node(
        kind=KINDS[kind],
        name=name,
        qualname=qualname,
        span=Span(start, end, first, last),
        signature=signature,
        doc=doc,
        own=tuple((first, last) for first, last in own),
        parent=parent,
        references=tuple(used),
    )
