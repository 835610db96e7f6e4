"""Nodes to what an index stores of them: terms by field, texts for the encoder, digests.

Everything here is derived from the source and the path alone. Arrays are plain bytes, because a
worker that imports numpy starts three times slower.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from packhound.text.tokens import terms
from packhound.types import FIELDS, Document, Node, ParsedFile

MAX_EMBED_CHARACTERS = 2_000
"""The encoder reads no further."""

_MAX_TF = 65_535
_DIGEST_BYTES = 16
_FIELD_BYTES = [bytes([field_idx]) for field_idx in range(len(FIELDS))]


@dataclass(frozen=True, slots=True)
class Analysis:
    """`analysed.AnalysedFile` without numpy: the arrays are their bytes in native order."""

    parsed: ParsedFile
    digest: bytes
    vocabulary: tuple[str, ...]
    term: bytes
    node: bytes
    field: bytes
    tf: bytes
    texts: tuple[str, ...]
    node_digests: tuple[bytes, ...]


class _Vocabulary(dict[str, int]):
    """Terms with their numbers; asking for a new one gives it the next."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


class _Rows:
    """The columns of `analysed.NodeTerms` while they grow."""

    __slots__ = ("field", "node", "term", "tf", "vocabulary")

    def __init__(self) -> None:
        self.vocabulary = _Vocabulary()
        self.term: list[int] = []
        self.node = array("i")
        self.field = bytearray()
        self.tf: list[int] = []

    def add(self, node: int, counts: Sequence[dict[str, int]]) -> None:
        """The terms of one node, one table for each field."""
        total = 0
        for field_idx, table in enumerate(counts):
            self.term.extend(map(self.vocabulary.__getitem__, table))
            self.tf.extend(table.values())
            self.field += _FIELD_BYTES[field_idx] * len(table)
            total += len(table)
        self.node += array("i", [node]) * total

    def capped_tf(self) -> array[int]:
        """Term frequencies in two bytes each."""
        try:
            return array("H", self.tf)
        except OverflowError:
            return array("H", [min(count, _MAX_TF) for count in self.tf])


def analyse(document: Document, parsed: ParsedFile) -> Analysis:
    """Terms, texts and digests of all nodes that `parse` found in `document`."""
    rows = _Rows()
    of_path = Counter(terms(document.path))
    texts, digests = [], []
    for i, node in enumerate(parsed.nodes):
        own = own_text(document.source, node)
        parts = {"name": node.name, "signature": node.signature, "doc": node.doc, "body": own}
        rows.add(i, [of_path if name == "path" else Counter(terms(parts[name])) for name in FIELDS])
        texts.append(embed_text(document.path, node, own))
        digests.append(node_digest(document.path, node, own))
    return Analysis(
        parsed=parsed,
        digest=source_digest(document.source),
        vocabulary=tuple(rows.vocabulary),
        term=array("i", rows.term).tobytes(),
        node=rows.node.tobytes(),
        field=bytes(rows.field),
        tf=rows.capped_tf().tobytes(),
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
