"""Nodes of a document to runs by field, texts for the encoder, and digests.

Arrays are plain bytes, because a parser process that imports numpy starts three times slower.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter, defaultdict
from itertools import count

from packhound.core.types import KINDS, Document, Node, ParsedFile
from packhound.parsing.analysed_file import PARTS, AnalysedFile
from packhound.parsing.node_codec import encode_nodes
from packhound.text import blank_separators, runs, split_blanked

MAX_EMBED_CHARACTERS = 2_000
"""The encoder reads no further."""

DIGEST_BYTES = 16
_NO_RUNS = (0,) * len(PARTS)


def analyse(
    document: Document, parsed: ParsedFile, *, with_texts: bool = False, indexed: bytes = b""
) -> AnalysedFile:
    """Cut the nodes of a parsed document into runs, and digest them.

    `with_texts` adds the texts themselves, for an encoder that cannot read runs. `indexed` are
    concatenated digests of nodes whose words and texts are left out, each as often as it occurs.
    """
    writer = _RunWriter(document, with_texts=with_texts, indexed=indexed)
    own_texts = parsed.own_texts or (None,) * len(parsed.nodes)
    for node, own_text in zip(parsed.nodes, own_texts, strict=True):
        writer.add(node, own_text)
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    run = array("i", [*map(numbers.__getitem__, writer.runs)])
    return AnalysedFile(
        path=parsed.path,
        language=parsed.language,
        imports=parsed.imports,
        degraded=parsed.degraded,
        digest=source_digest(document.source),
        record=encode_nodes(parsed.nodes, parsed.captured),
        runs=" ".join(numbers),
        run=run.tobytes(),
        lengths=array("i", writer.lengths).tobytes(),
        texts=tuple(writer.texts),
        node_digests=tuple(writer.digests),
    )


class _RunWriter:
    """The runs, lengths, texts and digests of the nodes that were added."""

    def __init__(self, document: Document, *, with_texts: bool, indexed: bytes) -> None:
        self._path, self._source = document.path, document.source
        self._blanked = blank_separators(document.source)
        self._path_runs, self._framed_path = runs(document.path), _frame(document.path)
        self._with_texts = with_texts
        digests = (indexed[i : i + DIGEST_BYTES] for i in range(0, len(indexed), DIGEST_BYTES))
        self._n_indexed = Counter(digests)
        self.runs: list[str] = []
        self.lengths: list[int] = []
        self.texts: list[str] = []
        self.digests: list[bytes] = []

    def add(self, node: Node, text: bytes | None = None) -> None:
        """Append one node; `text` stands for that of its own runs."""
        own_text = _own_text(self._source, node) if text is None else text
        digest = _node_digest(self._framed_path, node, own_text)
        self.digests.append(digest)
        if self._n_indexed[digest]:
            self._n_indexed[digest] -= 1
            self.lengths += _NO_RUNS
            self.texts += [""] * self._with_texts
            return
        blanked = _own_text(self._blanked, node) if text is None else blank_separators(text)
        body = split_blanked(_decode(blanked))
        name, doc = runs(node.name), runs(node.doc) if node.doc else []
        qualname = name if node.qualname == node.name else runs(node.qualname)
        head = (name, runs(node.signature), doc, qualname, self._path_runs)
        for part in (*head, *_split_body(self._path, node, own_text, body)):
            self.runs += part
            self.lengths.append(len(part))
        if self._with_texts:
            self.texts.append(_embed_text(self._path, node, own_text))


def _split_body(path: str, node: Node, own_text: bytes, body: list[str]) -> tuple[list[str], ...]:
    """Split a body into the runs an encoder reads, the part of a run it reads, and the rest."""
    n_bytes = MAX_EMBED_CHARACTERS - len(node.qualname) - len(path) - len("_\n")
    if len(own_text) <= n_bytes:
        return body, [], []
    read = runs(_decode(own_text)[: max(n_bytes, 0)])
    n = len(read)
    if read and read[-1] != body[n - 1]:
        return body[: n - 1], read[-1:], body[n - 1 :]
    return read, [], body[n:]


def _own_text(source: bytes, node: Node) -> bytes:
    return b"".join([source[low:high] for low, high in node.own_ranges])


def _decode(own_text: bytes) -> str:
    """Decode UTF-8; what is not becomes U+FFFD."""
    return own_text.decode("utf-8", "replace")


def _embed_text(path: str, node: Node, own_text: bytes) -> str:
    """Return what the encoder reads for a node: its qualified name, its path and its own text."""
    return f"{node.qualname} {path}\n{_decode(own_text)}"[:MAX_EMBED_CHARACTERS]


def _node_digest(framed_path: bytes, node: Node, own_text: bytes) -> bytes:
    """Identify what is derived from a node: equal digest, equal terms and equal vector."""
    head = map(_frame, (node.qualname, node.signature, node.doc))
    size = len(own_text).to_bytes(8, "little")
    framed = b"".join((_FRAMED_KINDS[node.kind], framed_path, *head, size, own_text))
    return hashlib.blake2b(framed, digest_size=DIGEST_BYTES).digest()


def _frame(part: str) -> bytes:
    """Encode a part behind its length, so that no two sequences of parts are alike."""
    octets = part.encode("utf-8", "surrogatepass")
    return len(octets).to_bytes(8, "little") + octets


_FRAMED_KINDS = {kind: _frame(kind) for kind in KINDS}


def source_digest(source: bytes) -> bytes:
    """Return the identity of a source."""
    return hashlib.blake2b(source, digest_size=DIGEST_BYTES).digest()
