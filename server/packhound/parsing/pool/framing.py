"""Frames on the pipes between a parse pool and its workers.

A frame is eight bytes of length, little endian, and a marshalled value. Marshal, unlike pickle, can
only make plain values: a worker that a hostile source has taken over cannot make its parent run
code. Both ends are the same interpreter, so its version-bound format is no obstacle.
"""

from __future__ import annotations

import marshal
from dataclasses import fields
from typing import IO, Any, NamedTuple, TypeAlias, cast

from packhound.core.types import Document
from packhound.parsing.analysed_file import AnalysedFile

READY = "ready"
"""The first value that a worker writes."""

Plain: TypeAlias = "str | bytes | int | tuple[Plain, ...] | None"
"""The values that frames hold."""

_EncodedTask = tuple[str, bytes, str | None, str | None, bytes, bool]

_FIELDS = tuple(field.name for field in fields(AnalysedFile))

_LENGTH_BYTES = 8
_MAX_FRAME = 1 << 30


class BrokenFrame(Exception):  # noqa: N818 - private to the two ends
    """The stream ended, or what was read is no frame."""


def write_frame(stream: IO[bytes], value: Plain) -> None:
    """Write one frame and flush."""
    octets = marshal.dumps(value)
    stream.write(len(octets).to_bytes(_LENGTH_BYTES, "little") + octets)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Plain:
    """Read the next frame. Raises BrokenFrame at the end of the stream."""
    length = int.from_bytes(_read_exactly(stream, _LENGTH_BYTES), "little")
    if length > _MAX_FRAME:
        raise BrokenFrame
    try:
        return cast(Plain, marshal.loads(_read_exactly(stream, length)))
    except (ValueError, EOFError, TypeError) as error:
        raise BrokenFrame from error


class Task(NamedTuple):
    """A document to parse, or only to cut into windows if there is a `plain_reason`.

    `indexed` is that of `analyse`. An open document will come again after an edit.
    """

    document: Document
    plain_reason: str | None
    indexed: bytes
    is_open: bool


class PatternTask(NamedTuple):
    """A document to look for a pattern in; the pattern is one in its language."""

    pattern: str
    language: str
    path: str
    source: bytes


class ReadTask(NamedTuple):
    """A text to find a pattern in, that of some languages; all of it is one if `is_explicit`."""

    text: str
    languages: tuple[str, ...]
    is_explicit: bool


class RelaxTask(NamedTuple):
    """A pattern in a language, of which single parts are to become holes."""

    pattern: str
    language: str


class ExampleTask(NamedTuple):
    """Code in a language, of which all parts of a kind are to become holes, kind after kind."""

    code: str
    language: str


def encode_pattern_task(task: PatternTask | ReadTask | RelaxTask | ExampleTask) -> Plain:
    """Encode a task on patterns for the pipe, its kind first."""
    return (type(task).__name__, *task)


def encode_task(task: Task) -> Plain:
    """Encode a task for the pipe."""
    document, plain_reason, indexed, is_open = task
    return document.path, document.source, document.language, plain_reason, indexed, is_open


def decode_task(value: Plain) -> Task:
    """Decode what `encode_task` returned."""
    path, source, language, plain_reason, indexed, is_open = cast(_EncodedTask, value)
    return Task(Document(path, source, language), plain_reason, indexed, is_open)


def encode_file(file: AnalysedFile) -> Plain:
    """Encode an analysed file for the pipe."""
    return tuple(getattr(file, name) for name in _FIELDS)


def decode_file(value: Plain) -> AnalysedFile:
    """Decode what `encode_file` returned. Raises BrokenFrame if it is something else."""
    if not isinstance(value, tuple) or len(value) != len(_FIELDS):
        raise BrokenFrame
    return AnalysedFile(*cast("tuple[Any, ...]", value))


def _read_exactly(stream: IO[bytes], size: int) -> bytes:
    octets = stream.read(size)
    if len(octets) != size:
        raise BrokenFrame
    return octets
