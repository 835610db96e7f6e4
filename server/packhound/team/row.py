"""An analysed file as bytes for other machines, and the check of what comes from them.

A row comes from whoever may push, so nothing in it is believed that could lead out of the text of
the reader's own file or fail later: what does not fit is parsed here instead.
"""

from __future__ import annotations

import hashlib
import sys
import zlib

import msgspec
import numpy as np

from packhound.core.types import Document
from packhound.parsing import AnalysedFile, NodeRuns, check_record, grammar_version, source_digest
from packhound.text import TOKENIZER_VERSION, terms, terms_of_run

_FORMAT = 1
_DIGEST_BYTES = 16
LEVEL = 3
"""Of compression: rows are 5 % larger than by the usual one, in half of the time."""
_MOST_BYTES = 64_000_000
"""A file of 1 MB, the largest that is analysed, takes some 8."""


class _Row(msgspec.Struct, frozen=True, array_like=True):
    """The fields of an `AnalysedFile`, without texts, which only encoders from outside need."""

    path: str
    language: str
    imports: tuple[str, ...]
    digest: bytes
    record: bytes
    runs: str
    run: bytes
    lengths: bytes
    node_digests: bytes


def key_of(path: str, source: bytes) -> bytes:
    """Return the key of what parsing makes of a text at a path, whose words are among its own.

    It changes with the versions of grammars, queries and tokenizer.
    """
    versions = f"{_FORMAT}/{TOKENIZER_VERSION}/{grammar_version()}/{sys.byteorder}"
    key = hashlib.blake2b(versions.encode() + b"\0", digest_size=_DIGEST_BYTES)
    key.update(source_digest(source) + path.encode("utf-8", "surrogatepass"))
    return key.digest()


def encode_row(file: AnalysedFile) -> bytes | None:
    """Return a file compressed; None for one that another reading may read better."""
    if file.degraded is not None:
        return None
    node_digests = b"".join(file.node_digests)
    row = _Row(
        *(file.path, file.language, file.imports, file.digest, file.record),
        *(file.runs, file.run, file.lengths, node_digests),
    )
    try:
        return zlib.compress(msgspec.msgpack.encode(row), LEVEL)
    except UnicodeEncodeError:  # Half a surrogate pair, from a broken literal.
        return None


def decode_row(octets: bytes, document: Document) -> AnalysedFile | None:
    """Return the file of a row; None if it is not a sound one of this document."""
    try:
        file = _file_of(octets)
        is_sound = _is_of(file, document)
    except (ValueError, zlib.error, msgspec.MsgspecError, OverflowError):
        return None
    return file if is_sound else None


def words_of_row(octets: bytes) -> NodeRuns | None:
    """Return the words of the nodes of a file; None for a row that is damaged."""
    try:
        file = _file_of(octets)
        return file.words if _has_sound_words(file) else None
    except (ValueError, zlib.error, msgspec.MsgspecError):
        return None


def terms_of_row(octets: bytes) -> set[str]:
    """Return the terms of a file and of its path; none of a row that is damaged."""
    try:
        row = msgspec.msgpack.decode(inflate(octets), type=_Row)
    except (ValueError, zlib.error, msgspec.MsgspecError):
        return set()
    in_file = (term for run in row.runs.split() for term in terms_of_run(run))
    return {*in_file, *terms(row.path)}


def inflate(octets: bytes) -> bytes:
    """Decompress some bytes. Raises zlib.error, or ValueError for what is cut or far too large."""
    stream = zlib.decompressobj()
    inflated = stream.decompress(octets, _MOST_BYTES)
    if not stream.eof:
        raise ValueError("compressed bytes are cut, or too many")
    return inflated


def _file_of(octets: bytes) -> AnalysedFile:
    """Return the file of a row. Raises zlib.error, ValueError, MsgspecError."""
    row = msgspec.msgpack.decode(inflate(octets), type=_Row)
    starts = range(0, len(row.node_digests), _DIGEST_BYTES)
    digests = tuple(row.node_digests[i : i + _DIGEST_BYTES] for i in starts)
    fields = {**msgspec.structs.asdict(row), "node_digests": digests}
    return AnalysedFile(**fields, degraded=None, texts=())


def _is_of(file: AnalysedFile, document: Document) -> bool:
    """Return True if a file is of a document and its parts fit together. Raises ValueError."""
    if file.path != document.path or file.digest != source_digest(document.source):
        return False
    n_nodes = check_record(file.record, len(document.source))
    return (
        n_nodes == len(file.node_digests)
        and all(len(digest) == _DIGEST_BYTES for digest in file.node_digests)
        and _has_sound_words(file)
    )


def _has_sound_words(file: AnalysedFile) -> bool:
    """Return True if the words are those of the nodes. Raises ValueError."""
    words = file.words
    return (
        len(file.node_digests) == len(words.lengths)
        and bool((words.lengths >= 0).all())
        and int(words.lengths.sum(dtype=np.int64)) == len(words.run)
        and (not len(words.run) or 0 <= words.run.min() <= words.run.max() < len(words.runs))
    )
