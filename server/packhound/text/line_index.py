"""Offsets to lines and back; a parser process imports this, so it does without numpy."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from packhound.core.types import Span


class LineIndex:
    """Lines of one immutable text. They end at LF, CR LF and CR, and at nothing else."""

    __slots__ = ("_length", "starts")

    def __init__(self, source: bytes) -> None:
        self.starts = line_starts(source)
        self._length = len(source)

    def line_of(self, offset: int) -> int:
        """Return the line of the byte at `offset`; the last line for offsets past the end."""
        return max(bisect_right(self.starts, offset) - 1, 0)

    def span(self, start: int, end: int) -> Span:
        """Return the bytes from `start` up to `end` with their lines; an empty run has one line."""
        return Span(start, end, self.line_of(start), self.line_of(max(start, end - 1)))

    def offset(self, line: int, column_bytes: int) -> int:
        """Return the offset of a column, clamped to its line (line end included) and the text."""
        if line < 0:
            return 0
        if line >= len(self.starts):
            return self._length
        last = line + 1 == len(self.starts)
        end = self._length if last else self.starts[line + 1] - 1
        return min(self.starts[line] + max(column_bytes, 0), end)


def lines_of(source: bytes, offsets: Sequence[int]) -> list[int]:
    """Return the line of each of some ascending offsets; an index of all lines takes longer."""
    if source.count(b"\r") != source.count(b"\r\n"):
        return [*map(LineIndex(source).line_of, offsets)]
    lines, line, end = list[int](), 0, 0
    for offset in offsets:
        line, end = line + source.count(b"\n", end, offset), offset
        lines.append(line)
    return lines


def line_starts(source: bytes | bytearray) -> list[int]:
    """Return the offset of each line; a text that ends in a line end has an empty last line."""
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    if len(starts) > 1 and source[-1:] not in (b"\n", b"\r"):
        starts.pop()
    return starts
