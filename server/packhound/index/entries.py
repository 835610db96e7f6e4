"""A file as a snapshot holds it: its nodes as compact records, decoded when someone looks.

Forty thousand `Node` objects are a hundred megabytes; their records are twenty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, chain, pairwise

import numpy as np
from numpy.typing import NDArray

from packhound.types import KINDS, FileStamp, Node, Span

Labels = NDArray[np.int32]

DIGEST_SIZE = 16

_KIND_IDX = {kind: i for i, kind in enumerate(KINDS)}


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
        opened = _opened(self.record)
        return tuple(opened.node(i) for i in range(len(self.labels)))

    def node(self, position: int) -> Node:
        """One node, without decoding the others."""
        return _opened(self.record).node(position)

    def node_digest(self, position: int) -> bytes:
        """Identity of the terms and the vector of one node."""
        return self.node_digests[position * DIGEST_SIZE : (position + 1) * DIGEST_SIZE]

    def relabelled(self, labels: Labels) -> FileEntry:
        """The same file under other labels."""
        return replace(self, labels=labels)


def encode_nodes(nodes: Sequence[Node]) -> bytes:
    """The record of `nodes`: a table of numbers, then the own runs, then all texts in a row."""
    table: list[int] = []
    own: list[int] = []
    texts: list[str] = []
    for node in nodes:
        texts += (node.name, node.qualname, node.signature, node.doc)
        texts += node.references
        own.extend(chain.from_iterable(node.own))
        span, parent = node.span, -1 if node.parent is None else node.parent
        table += (_KIND_IDX[node.kind], span.start, span.end, span.start_line, span.end_line)
        table += (parent, len(own), len(texts))
    ends = accumulate(map(len, texts))
    numbers = np.array([len(nodes), len(own), len(texts), *table, *own, *ends], "<i4")
    return numbers.tobytes() + "".join(texts).encode("utf-8", "surrogatepass")


_WIDTH = 8
_HEAD = 3


class _Opened:
    """A record whose numbers and texts are at hand, and the nodes that were asked for."""

    def __init__(self, record: bytes) -> None:
        n, n_own, n_texts = np.frombuffer(record, "<i4", _HEAD).tolist()
        numbers = np.frombuffer(record, "<i4", _HEAD + n * _WIDTH + n_own + n_texts)
        table, self._own, self._ends = np.split(numbers[_HEAD:], [n * _WIDTH, n * _WIDTH + n_own])
        self._table = table.reshape(n, _WIDTH)
        self._text = record[numbers.nbytes :].decode("utf-8", "surrogatepass")
        self._nodes: list[Node | None] = [None] * n

    def node(self, i: int) -> Node:
        known = self._nodes[i]
        if known is None:
            known = self._nodes[i] = self._decoded(i)
        return known

    def _decoded(self, i: int) -> Node:
        kind, start, end, first, last, parent, own_end, text_end = self._table[i].tolist()
        own_start, text_start = self._table[i - 1, 6:].tolist() if i else (0, 0)
        own = self._own[own_start:own_end].tolist()
        name, qualname, signature, doc, *references = self._texts(text_start, text_end)
        return Node(
            kind=KINDS[kind],
            name=name,
            qualname=qualname,
            span=Span(start, end, first, last),
            signature=signature,
            doc=doc,
            own=tuple(zip(own[::2], own[1::2], strict=True)),
            parent=None if parent < 0 else parent,
            references=tuple(references),
        )

    def _texts(self, first: int, last: int) -> list[str]:
        start = int(self._ends[first - 1]) if first else 0
        bounds = [start, *self._ends[first:last].tolist()]
        return [self._text[a:b] for a, b in pairwise(bounds)]


@lru_cache(maxsize=256)
def _opened(record: bytes) -> _Opened:
    return _Opened(record)
