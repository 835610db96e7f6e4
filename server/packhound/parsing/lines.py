"""Offsets to lines, light enough for a parsing worker, which must not wait for numpy."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from packhound.core.types import Span

Run = tuple[int, int]
"""A half-open run of bytes."""


class Lines:
    """Like `text.document.LineIndex`: lines end at LF, CR LF and CR, and at nothing else."""

    __slots__ = ("starts",)

    def __init__(self, source: bytes) -> None:
        self.starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
        if len(self.starts) > 1 and source[-1:] not in (b"\n", b"\r"):
            self.starts.pop()

    def span(self, start: int, end: int) -> Span:
        """The bytes from `start` up to `end` with their lines."""
        first = bisect_right(self.starts, start) - 1
        return Span(start, end, first, bisect_right(self.starts, max(start, end - 1)) - 1)
