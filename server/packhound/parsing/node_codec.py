"""The nodes of one file as bytes: as parsers send, snapshots hold and the disk keeps them.

Forty thousand `Node` objects are a hundred megabytes; their records are sixteen. A record is a
table of numbers, then the own runs, then where each text ends, then all texts in a row. It is read
without numpy, which a parser cannot wait for.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

from packhound.core.types import KINDS, Kind, Node, Span

_KIND_IDX = {kind: i for i, kind in enumerate(KINDS)}
_HEAD = 3
_WIDTH = 8
_START, _LINES, _PARENT, _OWN_END, _TEXT_END = 1, 3, 5, 6, 7
_OWN_TEXTS = 4
"""Texts of a node before its references."""
_BYTES = 4


def encode_nodes(nodes: Sequence[Node]) -> bytes:
    """The record of `nodes`."""
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
    numbers = array("i", [len(nodes), len(own), len(texts), *table, *own, *ends])
    return _little(numbers).tobytes() + "".join(texts).encode("utf-8", "surrogatepass")


class Told(NamedTuple):
    """A node without its own text and what that refers to."""

    kind: Kind
    name: str
    qualname: str
    signature: str
    doc: str
    span: Span


class Record:
    """A record whose numbers and texts are at hand, and the nodes that were asked for."""

    __slots__ = ("_ends", "_nodes", "_own", "_table", "_text")

    def __init__(self, octets: bytes) -> None:
        """Raises ValueError where the parts do not fit together."""
        n, n_own, n_texts = _numbers(octets, 0, _HEAD)
        own, ends = _HEAD + n * _WIDTH, _HEAD + n * _WIDTH + n_own
        self._table = _numbers(octets, _HEAD, own)
        self._own = _numbers(octets, own, ends)
        self._ends = _numbers(octets, ends, ends + n_texts)
        self._text = octets[(ends + n_texts) * _BYTES :].decode("utf-8", "surrogatepass")
        if (self._ends[-1] if n_texts else 0) != len(self._text):
            raise ValueError("the texts of a record are not those it counts")
        self._nodes: list[Node | None] = [None] * n

    def __len__(self) -> int:
        return len(self._nodes)

    def node(self, i: int) -> Node:
        """One node, without decoding the others."""
        known = self._nodes[i]
        if known is None:
            known = self._nodes[i] = self._decoded(i)
        return known

    def called(self, i: int) -> tuple[Kind, str, str]:
        """The kind, the name and the qualified name of one node."""
        first = self._table[(i - 1) * _WIDTH + _TEXT_END] if i else 0
        return KINDS[self._table[i * _WIDTH]], *self._two(first)

    def told(self, i: int) -> Told:
        """What others say of one node."""
        row = i * _WIDTH
        first = self._table[row - _WIDTH + _TEXT_END] if i else 0
        name, qualname, signature, doc = self._texts(first, first + _OWN_TEXTS)
        span = Span(*self._table[row + _START : row + _PARENT])
        return Told(KINDS[self._table[row]], name, qualname, signature, doc, span)

    def lines(self, i: int) -> tuple[int, int]:
        """The first and the last line of one node."""
        row = i * _WIDTH
        return self._table[row + _LINES], self._table[row + _LINES + 1]

    def start(self, i: int) -> int:
        """Where the span of one node starts."""
        return self._table[i * _WIDTH + _START]

    def sizes(self, i: int) -> tuple[int, int, int]:
        """How long one node is: characters of its signature and its doc, and bytes of its span."""
        row = i * _WIDTH
        first = self._table[row - _WIDTH + _TEXT_END] if i else 0
        before, signature, doc = self._ends[first + 1 : first + _OWN_TEXTS]
        length = self._table[row + _START + 1] - self._table[row + _START]
        return signature - before, doc - signature, length

    def kinds(self) -> bytes:
        """The position in `types.KINDS` of each node's kind."""
        return bytes(self._table[::_WIDTH].tolist())

    def names(self) -> list[tuple[str, str]]:
        """The name and the qualified name of each node."""
        ends = [0, *self._table[_TEXT_END::_WIDTH]]
        return [self._two(first) for first in ends[:-1]]

    def parents(self) -> list[int]:
        """The position of the node that each is in, -1 for none."""
        return self._table[_PARENT::_WIDTH].tolist()

    def references(self) -> list[str]:
        """What all nodes refer to, node by node."""
        texts = self._texts(0, len(self._ends))
        ends = [0, *self._table[_TEXT_END::_WIDTH]]
        return [text for first, last in pairwise(ends) for text in texts[first + _OWN_TEXTS : last]]

    def users(self, name: str) -> list[int]:
        """The nodes that refer to a name."""
        found, at = [], self._text.find(name)
        text_ends = self._table[_TEXT_END::_WIDTH]
        while at >= 0:
            text = bisect_right(self._ends, at)
            start = self._ends[text - 1] if text else 0
            if start == at and self._ends[text] == at + len(name):
                node = bisect_right(text_ends, text)
                first = text_ends[node - 1] if node else 0
                if text >= first + _OWN_TEXTS:
                    found.append(node)
            at = self._text.find(name, at + 1)
        return list(dict.fromkeys(found))

    def _two(self, first: int) -> tuple[str, str]:
        start = self._ends[first - 1] if first else 0
        middle, end = self._ends[first : first + 2]
        return self._text[start:middle], self._text[middle:end]

    def _decoded(self, i: int) -> Node:
        row = i * _WIDTH
        kind, start, end, first, last, parent, own_end, text_end = self._table[row : row + _WIDTH]
        own_start = self._table[row - _WIDTH + _OWN_END] if i else 0
        text_start = self._table[row - _WIDTH + _TEXT_END] if i else 0
        own = self._own[own_start:own_end]
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
        start = self._ends[first - 1] if first else 0
        return [self._text[a:b] for a, b in pairwise([start, *self._ends[first:last]])]


def _numbers(octets: bytes, first: int, last: int) -> array[int]:
    numbers = array("i", octets[first * _BYTES : last * _BYTES])
    if len(numbers) != last - first:
        raise ValueError("a record is too short")
    return _little(numbers)


def _little(numbers: array[int]) -> array[int]:
    """From the order of this machine to little endian, or back."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
