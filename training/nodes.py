"""What the pipeline reads from a checkout: nodes, as the product itself would index them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from packhound.core.types import Document, Node
from packhound.files.reader import read
from packhound.files.walk import WalkLimits, walk
from packhound.parsing import language_of
from packhound.parsing.parse import parse

MAX_FILE_BYTES = 400_000
"""Longer files are tables and amalgamations; a few of them would outweigh their repository."""

MAX_TEXT = 2_000
"""Characters of own text kept, which is what the index hands to the encoder."""

MAX_DOC = 1_200

VENDORED = re.compile(
    r"(^|/)(third[_-]?party|3rd[_-]?party|vendor(ed)?|extern(al)?s?|deps|submodules|_vendor|dist|"
    r"bundled|node_modules|generated|__generated__|Pods|Carthage)(/|$)",
    re.IGNORECASE,
)
"""Folders of code that others wrote, under licences that the repository's own does not tell."""

PROSE = frozenset({"markdown", "rst", "text"})

_WORD = re.compile(r"[a-z0-9]+")
_SHORTEST_HASHED = 12


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """One node: `own` without doc comment and children, `digest` of its words or "" if too few."""

    path: str
    language: str
    kind: str
    name: str
    qualname: str
    doc: str
    code: str
    lines: tuple[int, int]
    digest: str


def records(root: Path) -> Iterator[NodeRecord]:
    """Nodes of all searchable files under `root`, in path order; paths are relative to `root`."""
    for path, _ in walk(root, WalkLimits(max_file_bytes=MAX_FILE_BYTES)):
        yield from _of_path(root, path)


def sampled_records(root: Path, max_bytes: int) -> Iterator[NodeRecord]:
    """Like `records`, of `max_bytes` of first-party code; which files, their paths decide."""
    room = max_bytes
    files = walk(root, WalkLimits(max_file_bytes=MAX_FILE_BYTES))
    for path, stamp in sorted(files, key=lambda item: _shuffled(item[0])):
        folder = str(PurePosixPath(path).parent)
        if VENDORED.search(folder) or language_of(path) in {None, *PROSE}:
            continue
        room -= stamp.size
        if room < 0:
            return
        yield from _of_path(root, path)


def normalised_digest(text: str) -> str:
    """Digest of the words of `text`: layout and case do not hide a copy. "" if it has few words."""
    words = _WORD.findall(text.lower())
    if len(words) < _SHORTEST_HASHED:
        return ""
    return hashlib.blake2b(" ".join(words).encode(), digest_size=8).hexdigest()


def _shuffled(path: str) -> bytes:
    return hashlib.blake2b(path.encode("utf-8", "replace"), digest_size=8).digest()


def _of_path(root: Path, path: str) -> Iterator[NodeRecord]:
    document = read(root, path, MAX_FILE_BYTES)
    if document is not None:
        yield from _of_document(document)


def _of_document(document: Document) -> Iterator[NodeRecord]:
    parsed = parse(document)
    for node in parsed.nodes:
        text = _own_text(document.source, node)
        yield NodeRecord(
            path=document.path,
            language=parsed.language,
            kind=node.kind,
            name=node.name,
            qualname=node.qualname,
            doc=node.doc[:MAX_DOC],
            code=text[:MAX_TEXT],
            lines=(node.span.start_line + 1, node.span.end_line + 1),
            digest=normalised_digest(text),
        )


def _own_text(source: bytes, node: Node) -> str:
    return b"".join(source[start:end] for start, end in node.own_ranges).decode("utf-8", "replace")
