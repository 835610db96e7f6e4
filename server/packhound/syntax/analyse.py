"""Nodes to what an index stores of them: runs by field, texts for the encoder, digests.

Everything here is derived from the source and the path alone. Arrays are plain bytes, because a
worker that imports numpy starts three times slower.
"""

from __future__ import annotations

import hashlib
from array import array
from dataclasses import dataclass

from packhound.records import encode_nodes
from packhound.text.tokens import runs
from packhound.types import Document, Node, ParsedFile

MAX_EMBED_CHARACTERS = 2_000
"""The encoder reads no further."""

_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Analysis:
    """`analysed.AnalysedFile` without numpy: the arrays are their bytes in native order."""

    path: str
    language: str
    imports: tuple[str, ...]
    degraded: str | None
    digest: bytes
    record: bytes
    runs: tuple[str, ...]
    run: bytes
    lengths: bytes
    texts: tuple[str, ...]
    node_digests: tuple[bytes, ...]


class _Numbers(dict[str, int]):
    """Runs with their numbers; asking for a new one gives it the next."""

    def __missing__(self, run: str) -> int:
        number = self[run] = len(self)
        return number


def analyse(document: Document, parsed: ParsedFile) -> Analysis:
    """Runs, texts and digests of all nodes that `parse` found in `document`."""
    numbers = _Numbers()
    number = numbers.__getitem__
    run: list[int] = []
    lengths: list[int] = []
    texts, digests = [], []
    for node in parsed.nodes:
        own = own_text(document.source, node)
        for text in (node.name, document.path, node.signature, node.doc, own):
            before = len(run)
            run.extend(map(number, runs(text)))
            lengths.append(len(run) - before)
        texts.append(embed_text(document.path, node, own))
        digests.append(node_digest(document.path, node, own))
    return Analysis(
        path=parsed.path,
        language=parsed.language,
        imports=parsed.imports,
        degraded=parsed.degraded,
        digest=source_digest(document.source),
        record=encode_nodes(parsed.nodes),
        runs=tuple(numbers),
        run=array("i", run).tobytes(),
        lengths=array("i", lengths).tobytes(),
        texts=tuple(texts),
        node_digests=tuple(digests),
    )


def own_text(source: bytes, node: Node) -> str:
    """The node's own runs as one text; bytes that are not UTF-8 become U+FFFD."""
    return b"".join([source[low:high] for low, high in node.own]).decode("utf-8", "replace")


def embed_text(path: str, node: Node, own: str) -> str:
    """What the encoder reads for a node: what it is called, where it is, and its own text."""
    return f"{node.qualname} {path}\n{own}"[:MAX_EMBED_CHARACTERS]


def node_digest(path: str, node: Node, own: str) -> bytes:
    """Identity of what is derived from a node: equal digest, equal terms and equal vector."""
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for part in (node.kind, path, node.qualname, node.signature, node.doc, own):
        octets = part.encode("utf-8", "surrogatepass")
        digest.update(len(octets).to_bytes(8, "little") + octets)
    return digest.digest()


def source_digest(source: bytes) -> bytes:
    """Identity of a source."""
    return hashlib.blake2b(source, digest_size=_DIGEST_BYTES).digest()
