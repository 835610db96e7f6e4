"""Analysed files from small strings, and a bag-of-words encoder: what tests put into an index.

A file is written as one node a line: `kind name: words of its body`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

import numpy as np

from packhound.analysed import AnalysedFile, NodeTerms
from packhound.index.grid import Rows, unit_rows
from packhound.types import FIELDS, FileStamp, Node, ParsedFile, Span


def file(path: str, text: str) -> AnalysedFile:
    nodes = [_node(i, line) for i, line in enumerate(text.splitlines()) if line.strip()]
    return analysed(path, nodes, [node.doc for node in nodes])


def analysed(path: str, nodes: Sequence[Node], bodies: Sequence[str]) -> AnalysedFile:
    return AnalysedFile(
        parsed=ParsedFile(path, "python", tuple(nodes), ("os", "sys")),
        digest=_digest(path, *bodies),
        terms=_terms(path, nodes, bodies),
        texts=tuple(f"{n.name} {body}" for n, body in zip(nodes, bodies, strict=True)),
        node_digests=tuple(
            _digest(path, n.kind, n.qualname, body) for n, body in zip(nodes, bodies, strict=True)
        ),
    )


def stamp(n: int = 1) -> FileStamp:
    return FileStamp(size=n, mtime_ns=n, ctime_ns=n, inode=n)


class BagOfWords:
    """Similar words, near vectors; deterministic."""

    fingerprint = "bag-of-words-1"

    def __init__(self, dim: int = 32, *, fast: bool = True) -> None:
        self.dim = dim
        self.fast = fast
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> Rows:
        self.encoded.extend(texts)
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.split():
                row += self._word(word)
        return unit_rows(rows)

    def encode_query(self, text: str) -> Rows:
        return self.encode([text])[0]

    def _word(self, word: str) -> Rows:
        seed = int.from_bytes(
            hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "little"
        )
        return np.random.default_rng(seed).standard_normal(self.dim).astype(np.float32)


def _node(line: int, text: str) -> Node:
    head, _, body = text.partition(":")
    kind, _, name = head.strip().partition(" ")
    return Node(
        kind=kind,  # type: ignore[arg-type]
        name=name.rpartition(".")[2],
        qualname=name,
        span=Span(line * 100, line * 100 + len(text), line, line),
        signature=f"def {name}()",
        doc=body.strip(),
        own=((line * 100, line * 100 + len(text)),),
        references=tuple(dict.fromkeys(body.split())),
    )


def _terms(path: str, nodes: Sequence[Node], bodies: Sequence[str]) -> NodeTerms:
    vocabulary: dict[str, int] = {}
    rows: list[tuple[int, int, int, int]] = []
    for i, (node, body) in enumerate(zip(nodes, bodies, strict=True)):
        by_field = {
            "name": [node.name.lower()],
            "path": path.replace(".", "/").split("/"),
            "signature": ["def", node.name.lower()],
            "doc": [],
            "body": body.split(),
        }
        for field_idx, field in enumerate(FIELDS):
            for term, count in Counter(by_field[field]).items():
                rows.append((vocabulary.setdefault(term, len(vocabulary)), i, field_idx, count))
    table = np.array(rows, np.int64).reshape(-1, 4)
    return NodeTerms(
        tuple(vocabulary),
        table[:, 0].astype(np.int32),
        table[:, 1].astype(np.int32),
        table[:, 2].astype(np.uint8),
        table[:, 3].astype(np.uint16),
    )


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b(
        "\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16
    ).digest()
