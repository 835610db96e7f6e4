"""Captures as they are read: apart from the parsers, whose processes do without numpy."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from packhound.parsing.captured import KIND_OF, KINDS, SCALE, SUBJECTS
from packhound.parsing.source import ByteRange


class Capture(NamedTuple):
    """The subject of a match, and its other captures by kind."""

    kind: str
    run: ByteRange
    parts: dict[str, ByteRange]


class Captures:
    """The captures of a file, from the rows that `captured` describes."""

    def __init__(self, rows: Sequence[int]) -> None:
        self._rows = rows
        firsts, self._ends = np.asarray(rows, np.int32).reshape(-1, 2).T
        self._starts, self._kinds = np.divmod(firsts, SCALE)
        self._subjects: dict[str, tuple[list[int], list[int]]] = {}

    def of(self, kind: str, start: int = 0, end: int = 1 << 31) -> Iterator[Capture]:
        """Yield the captures whose subject is of a kind and starts in a range, by their runs."""
        if kind not in self._subjects:
            subjects = np.flatnonzero(self._kinds == KIND_OF[kind])
            subjects = subjects[np.lexsort((self._ends[subjects], self._starts[subjects]))]
            self._subjects[kind] = subjects.tolist(), self._starts[subjects].tolist()
        rows, starts = self._subjects[kind]
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        return (Capture(kind, self._run(row), self._parts(row)) for row in rows[first:last])

    def runs(self, kind: str) -> Iterator[ByteRange]:
        """Yield the runs of a kind of subject, without what belongs to them."""
        is_of = self._kinds == KIND_OF[kind]
        return zip(self._starts[is_of].tolist(), self._ends[is_of].tolist(), strict=True)

    def starts(self, *kinds: str) -> tuple[set[int], set[int]]:
        """Return the starts of the subjects of some kinds, and those of their parts."""
        is_subject = self._kinds < len(SUBJECTS)
        is_of = np.isin(self._kinds[is_subject], [KIND_OF[kind] for kind in kinds])
        is_in = is_of[np.cumsum(is_subject) - 1]
        subjects, parts = self._starts[is_in & is_subject], self._starts[is_in & ~is_subject]
        return {*subjects.tolist()}, {*parts.tolist()}

    def _run(self, row: int) -> ByteRange:
        return self._rows[2 * row] // SCALE, self._rows[2 * row + 1]

    def _parts(self, subject: int) -> dict[str, ByteRange]:
        """Return the runs that belong to a subject: those of the rows up to the next one."""
        parts: dict[str, ByteRange] = {}
        for row in range(subject + 1, len(self._ends)):
            kind = self._rows[2 * row] % SCALE
            if kind < len(SUBJECTS):
                break
            parts[KINDS[kind]] = self._run(row)
        return parts
