"""Nodes to what an index stores of them: runs by field, texts for the encoder, digests.

Everything here is derived from the source and the path alone. Arrays are plain bytes, because a
worker that imports numpy starts three times slower.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import count

from packhound.core.types import KINDS, Document, Node, ParsedFile
from packhound.parsing.node_codec import encode_nodes
from packhound.text.tokenizer import runs, runs_of_spaced, spaced

MAX_EMBED_CHARACTERS = 2_000
"""The encoder reads no further."""

DIGEST_BYTES = 16
_NO_RUNS = (0,) * 8


@dataclass(frozen=True, slots=True)
class Analysis:
    """`analysed.AnalysedFile` without numpy: arrays are their bytes in native order.

    `runs` are joined by blanks.
    """

    path: str
    language: str
    imports: tuple[str, ...]
    degraded: str | None
    digest: bytes
    record: bytes
    runs: str
    run: bytes
    lengths: bytes
    texts: tuple[str, ...]
    node_digests: tuple[bytes, ...]


def analyse(
    document: Document, parsed: ParsedFile, *, with_texts: bool = False, known: bytes = b""
) -> Analysis:
    """Runs and digests of all nodes that `parse` found in `document`.

    `with_texts` adds the texts themselves, for an encoder that cannot read runs. `known` are joined
    digests of nodes whose words nobody will look at; what stands twice in it is left out twice.
    """
    path, source, blanked = document.path, document.source, spaced(document.source)
    in_path, place = runs(path), _framed(path)
    found: list[str] = []
    lengths: list[int] = []
    texts, digests = [], []
    left_out = Counter(known[i : i + DIGEST_BYTES] for i in range(0, len(known), DIGEST_BYTES))
    for node in parsed.nodes:
        own = _joined(source, node)
        digest = _node_digest(place, node, own)
        digests.append(digest)
        if left_out[digest]:
            left_out[digest] -= 1
            lengths += _NO_RUNS
            texts += [""] * with_texts
            continue
        body = runs_of_spaced(_decoded(_joined(blanked, node)))
        name, doc = runs(node.name), runs(node.doc) if node.doc else []
        qualname = name if node.qualname == node.name else runs(node.qualname)
        head = (name, runs(node.signature), doc, qualname, in_path)
        for part in (*head, *_cut(path, node, own, body)):
            found += part
            lengths.append(len(part))
        if with_texts:
            texts.append(_embed_text(path, node, own))
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    run = array("i", [*map(numbers.__getitem__, found)])
    return Analysis(
        path=parsed.path,
        language=parsed.language,
        imports=parsed.imports,
        degraded=parsed.degraded,
        digest=source_digest(source),
        record=encode_nodes(parsed.nodes),
        runs=" ".join(numbers),
        run=run.tobytes(),
        lengths=array("i", lengths).tobytes(),
        texts=tuple(texts),
        node_digests=tuple(digests),
    )


def _cut(path: str, node: Node, own: bytes, body: list[str]) -> tuple[list[str], ...]:
    """The runs of the body that an encoder reads, the part of a run that it reads, and the rest."""
    left = MAX_EMBED_CHARACTERS - len(node.qualname) - len(path) - len("_\n")
    if len(own) <= left:
        return body, [], []
    read = runs(_decoded(own)[: max(left, 0)])
    n = len(read)
    if read and read[-1] != body[n - 1]:
        return body[: n - 1], read[-1:], body[n - 1 :]
    return read, [], body[n:]


def _joined(source: bytes, node: Node) -> bytes:
    """The node's own bytes."""
    return b"".join([source[low:high] for low, high in node.own])


def _decoded(own: bytes) -> str:
    """Bytes that are not UTF-8 become U+FFFD."""
    return own.decode("utf-8", "replace")


def _embed_text(path: str, node: Node, own: bytes) -> str:
    """What the encoder reads for a node: what it is called, where it is, and its own text."""
    return f"{node.qualname} {path}\n{_decoded(own)}"[:MAX_EMBED_CHARACTERS]


def _node_digest(place: bytes, node: Node, own: bytes) -> bytes:
    """Identity of what is derived from a node: equal digest, equal terms and equal vector.

    `place` is the path, framed.
    """
    head = map(_framed, (node.qualname, node.signature, node.doc))
    size = len(own).to_bytes(8, "little")
    framed = b"".join((_KINDS[node.kind], place, *head, size, own))
    return hashlib.blake2b(framed, digest_size=DIGEST_BYTES).digest()


def _framed(part: str) -> bytes:
    """A part of what is digested, behind its length, so that no two rows of parts are alike."""
    octets = part.encode("utf-8", "surrogatepass")
    return len(octets).to_bytes(8, "little") + octets


_KINDS = {kind: _framed(kind) for kind in KINDS}


def source_digest(source: bytes) -> bytes:
    """Identity of a source."""
    return hashlib.blake2b(source, digest_size=DIGEST_BYTES).digest()
