"""Captures as they are read: apart from the parsers, whose processes do without numpy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
        firsts, self._ends = np.asarray(rows, np.int32).reshape(-1, 2).T
        self._starts, self._kinds = np.divmod(firsts, SCALE)
        self._subjects = np.flatnonzero(self._kinds < len(SUBJECTS))

    def of(self, kind: str) -> Iterator[Capture]:
        """Yield the captures whose subject is of a kind."""
        is_of = np.flatnonzero(self._kinds[self._subjects] == KIND_OF[kind])
        following = np.append(self._subjects, len(self._kinds))[is_of + 1]
        for first, last in zip(self._subjects[is_of].tolist(), following.tolist(), strict=True):
            starts, ends = self._starts[first:last].tolist(), self._ends[first:last].tolist()
            run, *runs = zip(starts, ends, strict=True)
            parts = (KINDS[part] for part in self._kinds[first + 1 : last].tolist())
            yield Capture(kind, run, dict(zip(parts, runs, strict=True)))

    def runs(self, kind: str) -> Iterator[ByteRange]:
        """Yield the runs of a kind of subject, without what belongs to them."""
        is_of = self._kinds == KIND_OF[kind]
        return zip(self._starts[is_of].tolist(), self._ends[is_of].tolist(), strict=True)

    def starts(self, *kinds: str) -> tuple[set[int], set[int]]:
        """Return the starts of the subjects of some kinds, and those of their parts."""
        is_subject = self._kinds < len(SUBJECTS)
        is_of = np.isin(self._kinds[self._subjects], [KIND_OF[kind] for kind in kinds])
        is_in = is_of[np.cumsum(is_subject) - 1]
        subjects, parts = self._starts[is_in & is_subject], self._starts[is_in & ~is_subject]
        return {*subjects.tolist()}, {*parts.tolist()}
