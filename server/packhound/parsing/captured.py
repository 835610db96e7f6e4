"""Captures that are kept beside the nodes: what is no code, and what names stand for.

A row is two numbers: a start, in bytes, times 32 plus the position in `KINDS`, and an end. The rows
of one match are in turn; the first is of a kind in `SUBJECTS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from packhound.parsing.source import ByteRange

SUBJECTS = (
    *("blank", "import", "export", "local", "base", "field", "result", "return", "property"),
    *("key", "arrow", "generic", "declared"),
)
KINDS = (*SUBJECTS, "name", "alias", "default", "path", "all", "type", "value")
KIND_OF = {kind: i for i, kind in enumerate(KINDS)}
SCALE = 32


class Capture(NamedTuple):
    """The subject of a match, and its other captures by kind."""

    kind: str
    run: ByteRange
    parts: dict[str, ByteRange]


def rows_of(kind: str, runs: Iterable[ByteRange]) -> Iterator[int]:
    """Yield the rows of captures of one kind."""
    number = KIND_OF[kind]
    return chain.from_iterable((start * SCALE + number, end) for start, end in runs)


def read_rows(rows: Sequence[int], kind: str) -> Iterator[Capture]:
    """Yield the captures of rows whose subject is of a kind."""
    firsts, ends, number = rows[::2], rows[1::2], KIND_OF[kind]
    # Most rows are of other kinds.
    for i in [i for i, first in enumerate(firsts) if first % SCALE == number]:
        capture = Capture(kind, (firsts[i] // SCALE, ends[i]), {})
        for i_part in range(i + 1, len(firsts)):
            start, part = divmod(firsts[i_part], SCALE)
            if part < len(SUBJECTS):
                break
            capture.parts[KINDS[part]] = start, ends[i_part]
        yield capture


def runs_in(rows: Sequence[int], kind: str) -> Iterator[ByteRange]:
    """Yield the runs of rows of a kind alone."""
    number = KIND_OF[kind]
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return ((first // SCALE, end) for first, end in pairs if first % SCALE == number)


def starts_of(rows: Sequence[int], kinds: Iterable[str]) -> tuple[set[int], set[int]]:
    """Return the starts of the captures of some kinds, and of their parts, without the rest."""
    numbers = {KIND_OF[kind] for kind in kinds}
    subjects, parts, is_in = set[int](), set[int](), False
    for first in rows[::2]:
        number = first % SCALE
        if number < len(SUBJECTS):
            is_in = number in numbers
            if is_in:
                subjects.add(first // SCALE)
        elif is_in:
            parts.add(first // SCALE)
    return subjects, parts


def move_rows(rows: Sequence[int], offset: int) -> list[int]:
    """Return the rows of a text that stands at an offset of another."""
    return [number + offset * (1 if i % 2 else SCALE) for i, number in enumerate(rows)]
