"""Values on the pipes between a parse pool and its workers.

A frame is eight bytes of length, little endian, and a marshalled value. Marshal, unlike pickle, can
only make plain values: a worker that a hostile source has taken over cannot make its parent run
code. Both ends are the same interpreter, so its version-bound format is no obstacle.
"""

from __future__ import annotations

import marshal
from dataclasses import fields
from typing import IO, Any, NamedTuple, TypeAlias, cast

from packhound.core.types import Document
from packhound.parsing.analyse import Analysis

READY = "ready"
"""The first value that a worker writes."""

Plain: TypeAlias = "str | bytes | int | tuple[Plain, ...] | None"
"""What frames are made of."""

_PackedTask = tuple[str, bytes, str | None, str | None, bytes, bool]

_PARTS = tuple(field.name for field in fields(Analysis))

_LENGTH_BYTES = 8
_MAX_FRAME = 1 << 30


class BrokenFrame(Exception):  # noqa: N818 - private to the two ends
    """The other end is gone, or has written something that is no frame."""


def write_frame(stream: IO[bytes], value: Plain) -> None:
    """Write one value and flush."""
    octets = marshal.dumps(value)
    stream.write(len(octets).to_bytes(_LENGTH_BYTES, "little") + octets)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Plain:
    """The next value. Raises BrokenFrame at the end of the stream."""
    length = int.from_bytes(_exactly(stream, _LENGTH_BYTES), "little")
    if length > _MAX_FRAME:
        raise BrokenFrame
    try:
        return cast(Plain, marshal.loads(_exactly(stream, length)))
    except (ValueError, EOFError, TypeError) as error:
        raise BrokenFrame from error


class Task(NamedTuple):
    """A document to parse, or only to cut into windows, and then `plain` says why.

    `known` is that of `analyse`. `again` says that the document will come again after an edit.
    """

    document: Document
    plain: str | None
    known: bytes
    again: bool


def packed_task(task: Task) -> Plain:
    """A task for the wire."""
    document, plain, known, again = task
    return document.path, document.source, document.language, plain, known, again


def unpacked_task(packed: Plain) -> Task:
    """The inverse of `packed_task`."""
    path, source, language, plain, known, again = cast(_PackedTask, packed)
    return Task(Document(path, source, language), plain, known, again)


def packed_analysis(analysis: Analysis) -> Plain:
    """An analysis for the wire."""
    return tuple(getattr(analysis, name) for name in _PARTS)


def unpacked_analysis(packed: Plain) -> Analysis:
    """The inverse of `packed_analysis`. Raises BrokenFrame if it is something else."""
    if not isinstance(packed, tuple) or len(packed) != len(_PARTS):
        raise BrokenFrame
    return Analysis(*cast("tuple[Any, ...]", packed))


def _exactly(stream: IO[bytes], size: int) -> bytes:
    octets = stream.read(size)
    if len(octets) != size:
        raise BrokenFrame
    return octets
