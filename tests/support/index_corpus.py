"""Analysed files from small strings, and a bag-of-words encoder: what tests put into an index.

A file is written as one node a line: `kind name: words of its body`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from packhound.core.arrays import Floats, Ints, unit_rows
from packhound.core.types import FileStamp, Node, Span
from packhound.parsing.analysed_file import PARTS, AnalysedFile, NodeRuns
from packhound.parsing.node_codec import encode_nodes


def file(path: str, text: str) -> AnalysedFile:
    nodes = [_node(i, line) for i, line in enumerate(text.splitlines()) if line.strip()]
    return analysed(path, nodes, [node.doc for node in nodes])


def analysed(path: str, nodes: Sequence[Node], bodies: Sequence[str]) -> AnalysedFile:
    runs, run, lengths = _words(path, nodes, bodies)
    return AnalysedFile(
        path=path,
        language="python",
        imports=("os", "sys"),
        degraded=None,
        record=encode_nodes(nodes),
        digest=_digest(path, *bodies),
        runs=" ".join(runs),
        run=run.tobytes(),
        lengths=lengths.tobytes(),
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
        self.reads_runs = False
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> Floats:
        self.encoded.extend(texts)
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.split():
                row += self._word(word)
        return unit_rows(rows)

    def encode_runs(self, nodes: NodeRuns) -> Floats:
        raise AssertionError("it reads texts")

    def encode_query(self, text: str) -> Floats:
        return self.encode([text])[0]

    def _word(self, word: str) -> Floats:
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
        own_ranges=((line * 100, line * 100 + len(text)),),
        references=tuple(dict.fromkeys(body.split())),
    )


def _words(path: str, nodes: Sequence[Node], bodies: Sequence[str]) -> tuple[list[str], Ints, Ints]:
    runs: list[str] = []
    lengths: list[int] = []
    for node, body in zip(nodes, bodies, strict=True):
        by_part = {
            "name": [node.name],
            "signature": ["def", node.name],
            "path": path.replace(".", "/").split("/"),
            "read": body.split(),
        }
        for part in PARTS:
            runs += by_part.get(part, [])
            lengths.append(len(by_part.get(part, [])))
    distinct, run = np.unique(np.array(runs, object), return_inverse=True)
    return distinct.tolist(), run.astype(np.int32), np.array(lengths, np.int32)


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b(
        "\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16
    ).digest()
