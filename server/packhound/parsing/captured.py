"""Captures that are kept beside the nodes: what is no code, and what names stand for.

A row is two numbers: a start, in bytes, times 32 plus the position in `KINDS`, and an end. The rows
of one match are in turn; the first is of a kind in `SUBJECTS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from packhound.parsing.source import ByteRange

SUBJECTS = (
    *("blank", "import", "export", "local", "base", "field", "result", "return", "property"),
    *("key", "arrow", "generic", "declared"),
)
KINDS = (*SUBJECTS, "name", "alias", "default", "path", "all", "type", "value")
KIND_OF = {kind: i for i, kind in enumerate(KINDS)}
SCALE = 32


def rows_of(kind: str, runs: Iterable[ByteRange]) -> Iterator[int]:
    """Yield the rows of captures of one kind."""
    number = KIND_OF[kind]
    return chain.from_iterable((start * SCALE + number, end) for start, end in runs)


def move_rows(rows: Sequence[int], offset: int) -> list[int]:
    """Return the rows of a text that stands at an offset of another."""
    return [number + offset * (1 if i % 2 else SCALE) for i, number in enumerate(rows)]
