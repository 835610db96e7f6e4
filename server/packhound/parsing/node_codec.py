"""Codec of the nodes of one file, as parsers send, snapshots hold and the disk stores them.

Forty thousand `Node` objects are a hundred megabytes; their records are sixteen. A record is a
table of numbers, then the own ranges, then the end of each text, then the rows of what else was
captured (`captured.py`), then all texts concatenated. It is read without numpy, which a parser
process cannot wait for.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

from packhound.core.types import KINDS, Kind, Node, Span

_KIND_IDX = {kind: i for i, kind in enumerate(KINDS)}
_HEAD = 4
WIDTH = 8
START, _LINES, PARENT, OWN_END, TEXT_END = 1, 3, 5, 6, 7
TEXTS_BEFORE = 4
"""Texts of a node before its references."""
_BYTES = 4


def encode_nodes(nodes: Sequence[Node], captured: Sequence[int] = ()) -> bytes:
    """Encode `nodes` as a record, with the rows of `captured`."""
    table: list[int] = []
    own_edges: list[int] = []
    texts: list[str] = []
    for node in nodes:
        texts += (node.name, node.qualname, node.signature, node.doc)
        texts += node.references
        own_edges.extend(chain.from_iterable(node.own_ranges))
        span, parent = node.span, -1 if node.parent is None else node.parent
        table += (_KIND_IDX[node.kind], span.start, span.end, span.start_line, span.end_line)
        table += (parent, len(own_edges), len(texts))
    ends = accumulate(map(len, texts))
    sizes = (len(nodes), len(own_edges), len(texts), len(captured))
    numbers = array("i", [*sizes, *table, *own_edges, *ends, *captured])
    return _little_endian(numbers).tobytes() + "".join(texts).encode("utf-8", "surrogatepass")


class NodeSummary(NamedTuple):
    """A node without its own ranges, parent and references."""

    kind: Kind
    name: str
    qualname: str
    signature: str
    doc: str
    span: Span


class Record:
    """Decoder of a record; nodes are decoded when asked for, and cached."""

    __slots__ = ("_ends", "_nodes", "_own", "_table", "_text", "captured")

    def __init__(self, octets: bytes | memoryview) -> None:
        """Raises ValueError if the record is damaged."""
        n, n_own, n_texts, n_captured = _numbers(octets, 0, _HEAD)
        own_start = _HEAD + n * WIDTH
        ends_start = own_start + n_own
        self._table = _numbers(octets, _HEAD, own_start)
        self._own = _numbers(octets, own_start, ends_start)
        self._ends = _numbers(octets, ends_start, ends_start + n_texts)
        captured_start = ends_start + n_texts
        text_start = captured_start + n_captured
        self.captured = _numbers(octets, captured_start, text_start)
        self._text = str(octets[text_start * _BYTES :], "utf-8", "surrogatepass")
        if (self._ends[-1] if n_texts else 0) != len(self._text):
            raise ValueError("a record has texts of another length than it says")
        self._nodes: list[Node | None] = [None] * n

    def __len__(self) -> int:
        return len(self._nodes)

    def node(self, i: int) -> Node:
        """Return one node, without decoding the others."""
        node = self._nodes[i]
        if node is None:
            node = self._nodes[i] = self._decode(i)
        return node

    def kind_and_names(self, i: int) -> tuple[Kind, str, str]:
        """Return the kind, the name and the qualified name of one node."""
        first = self._table[(i - 1) * WIDTH + TEXT_END] if i else 0
        return KINDS[self._table[i * WIDTH]], *self._name_pair(first)

    def summary(self, i: int) -> NodeSummary:
        """Return the summary of one node."""
        row = i * WIDTH
        first = self._table[row - WIDTH + TEXT_END] if i else 0
        name, qualname, signature, doc = self._texts(first, first + TEXTS_BEFORE)
        span = Span(*self._table[row + START : row + PARENT])
        return NodeSummary(KINDS[self._table[row]], name, qualname, signature, doc, span)

    def lines(self, i: int) -> tuple[int, int]:
        """Return the first and the last line of one node."""
        row = i * WIDTH
        return self._table[row + _LINES], self._table[row + _LINES + 1]

    def start(self, i: int) -> int:
        """Return the start of the span of one node."""
        return self._table[i * WIDTH + START]

    def spans(self) -> Iterator[tuple[int, ...]]:
        """Yield the span of each node, as a tuple."""
        columns = (self._table[i::WIDTH] for i in range(START, PARENT))
        return zip(*columns, strict=True)

    def sizes(self, i: int) -> tuple[int, int, int]:
        """Return the characters of a node's signature and doc, and the bytes of its span."""
        row = i * WIDTH
        first = self._table[row - WIDTH + TEXT_END] if i else 0
        before, signature, doc = self._ends[first + 1 : first + TEXTS_BEFORE]
        length = self._table[row + START + 1] - self._table[row + START]
        return signature - before, doc - signature, length

    def kinds(self) -> bytes:
        """Return the position in `types.KINDS` of each node's kind, one byte each."""
        return bytes(self._table[::WIDTH].tolist())

    def names(self) -> list[tuple[str, str]]:
        """Return the name and the qualified name of each node."""
        ends = [0, *self._table[TEXT_END::WIDTH]]
        return [self._name_pair(first) for first in ends[:-1]]

    def parents(self) -> list[int]:
        """Return the position of each node's parent, -1 for none."""
        return self._table[PARENT::WIDTH].tolist()

    def references(self) -> list[str]:
        """Return the references of all nodes, node by node."""
        texts = self._texts(0, len(self._ends))
        ends = [0, *self._table[TEXT_END::WIDTH]]
        return [
            text for first, last in pairwise(ends) for text in texts[first + TEXTS_BEFORE : last]
        ]

    def users(self, name: str) -> list[int]:
        """Return the positions of the nodes that refer to a name."""
        positions, offset = [], self._text.find(name)
        text_ends = self._table[TEXT_END::WIDTH]
        while offset >= 0:
            text = bisect_right(self._ends, offset)
            start = self._ends[text - 1] if text else 0
            if start == offset and self._ends[text] == offset + len(name):
                node = bisect_right(text_ends, text)
                first = text_ends[node - 1] if node else 0
                if text >= first + TEXTS_BEFORE:
                    positions.append(node)
            offset = self._text.find(name, offset + 1)
        return list(dict.fromkeys(positions))

    def _name_pair(self, first: int) -> tuple[str, str]:
        start = self._ends[first - 1] if first else 0
        middle, end = self._ends[first : first + 2]
        return self._text[start:middle], self._text[middle:end]

    def _decode(self, i: int) -> Node:
        row = i * WIDTH
        kind, start, end, first, last, parent, own_end, text_end = self._table[row : row + WIDTH]
        own_start = self._table[row - WIDTH + OWN_END] if i else 0
        text_start = self._table[row - WIDTH + TEXT_END] if i else 0
        edges = self._own[own_start:own_end]
        name, qualname, signature, doc, *references = self._texts(text_start, text_end)
        return Node(
            kind=KINDS[kind],
            name=name,
            qualname=qualname,
            span=Span(start, end, first, last),
            signature=signature,
            doc=doc,
            own_ranges=tuple(zip(edges[::2], edges[1::2], strict=True)),
            parent=None if parent < 0 else parent,
            references=tuple(references),
        )

    def _texts(self, first: int, last: int) -> list[str]:
        start = self._ends[first - 1] if first else 0
        return [self._text[a:b] for a, b in pairwise([start, *self._ends[first:last]])]


def kind_at(octets: bytes | memoryview, i: int) -> Kind:
    """Return the kind of one node of a record, without decoding it."""
    start = (_HEAD + i * WIDTH) * _BYTES
    return KINDS[int.from_bytes(octets[start : start + _BYTES], "little")]


def _numbers(octets: bytes | memoryview, first: int, last: int) -> array[int]:
    numbers = array("i", bytes(octets[first * _BYTES : last * _BYTES]))
    if len(numbers) != last - first:
        raise ValueError("a record is too short")
    return _little_endian(numbers)


def _little_endian(numbers: array[int]) -> array[int]:
    """Convert between native and little-endian order, in place."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
