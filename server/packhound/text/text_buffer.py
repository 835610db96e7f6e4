"""Text of an open document under LSP edits, and conversions between notations of a position.

There are four notations. An *offset* counts UTF-8 bytes from the start of the text; it is the only
one the engine knows. A *line* counts from 0. A *column in bytes* counts UTF-8 bytes from the start
of its line. A *character* is what an editor sends: it counts UTF-8, UTF-16 or UTF-32 units from
the start of its line, as negotiated. Lines end at LF, CR LF and CR and at nothing else: form feeds
and U+2028 are ordinary characters.

Nothing here decodes, so text that is not valid UTF-8 has positions like any other.
"""

from __future__ import annotations

import re
from typing import Literal

import numpy as np

from packhound.text.line_index import LineIndex, line_starts

Encoding = Literal["utf-8", "utf-16", "utf-32"]
Position = tuple[int, int]
"""A line and a character in it, both from 0."""

_LINE_END = re.compile(rb"\n|\r(?!\n)")


class TextBuffer:
    """The text of one open document, changed in place by the editor's edits.

    An edit costs a move of the bytes behind it and a shift of the line starts behind it; the rest
    of the text is not read. Positions that do not exist are moved to the nearest that does, to the
    left inside a character, as editors do.
    """

    __slots__ = ("_bytes", "_starts", "encoding")

    def __init__(self, text: str, encoding: Encoding = "utf-16") -> None:
        self.encoding: Encoding = encoding
        self.replace_all(text)

    @property
    def source(self) -> bytes:
        """The text in UTF-8, lone surrogates passed through."""
        return bytes(self._bytes)

    def replace_all(self, text: str) -> None:
        """Replace the whole text."""
        self._bytes = bytearray(_utf8(text))
        self._starts = np.array(line_starts(self._bytes), dtype=np.int64)

    def edit(self, start: Position, end: Position, text: str) -> None:
        """Replace what is between two positions, in either order, by `text`."""
        first, last = sorted((self.offset(start), self.offset(end)))
        new = _utf8(text)
        self._bytes[first:last] = new
        # Whether a line starts at p is decided by the bytes p - 1 and p, so starts before the edit
        # and from one byte behind it on stay what they were.
        head = self._starts[: np.searchsorted(self._starts, first)]
        tail = self._starts[np.searchsorted(self._starts, last + 1) :] + (len(new) - (last - first))
        middle = _starts_between(self._bytes, first, first + len(new))
        self._starts = np.concatenate((head, np.array(middle, dtype=np.int64), tail))

    def offset(self, position: Position) -> int:
        """Return the byte offset of a position, clamped to the text."""
        line, character = position
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self._bytes)
        start = int(self._starts[line])
        is_last = line + 1 == len(self._starts)
        end = len(self._bytes) if is_last else int(self._starts[line + 1])
        return start + bytes_in(bytes(self._bytes[start:end]), character, self.encoding)


def offset_in(source: bytes, position: Position, encoding: Encoding) -> int:
    """Return the byte offset of a position of a text, clamped to it."""
    line, character = position
    lines = LineIndex(source)
    start, end = lines.offset(line, 0), lines.offset(line + 1, 0)
    return start + bytes_in(source[start:end], character, encoding)


def bytes_in(line: bytes, character: int, encoding: Encoding) -> int:
    """Return the number of bytes before a character of a line, clamped to the text of the line."""
    line = line.rstrip(b"\r\n")
    if encoding == "utf-8" or line.isascii():
        return _character_start(line, min(max(character, 0), len(line)))
    leads, units = _leads(line, encoding)
    index = int(np.searchsorted(units, max(character, 0), side="right"))
    return int(leads[index]) if index < len(leads) else len(line)


def characters_in(line: bytes, column_bytes: int, encoding: Encoding) -> int:
    """Return the number of characters before a column in bytes, clamped to the text of the line."""
    line = line.rstrip(b"\r\n")
    column = _character_start(line, min(max(column_bytes, 0), len(line)))
    if encoding == "utf-8" or line.isascii():
        return column
    _, units = _leads(line[:column], encoding)
    return int(units[-1]) if len(units) else 0


def _leads(line: bytes, encoding: Encoding) -> tuple[np.ndarray, np.ndarray]:
    """Return the lead byte of each character of a line, and the running count of its code units."""
    octets = np.frombuffer(line, dtype=np.uint8)
    leads = np.flatnonzero((octets & 0xC0) != 0x80)
    widths = np.ones(len(leads), dtype=np.int64)
    if encoding == "utf-16":
        widths += octets[leads] >= 0xF0
    return leads, np.cumsum(widths)


def _character_start(line: bytes, column: int) -> int:
    while 0 < column < len(line) and line[column] & 0xC0 == 0x80:
        column -= 1
    return column


def _starts_between(source: bytearray, low: int, high: int) -> list[int]:
    """Return the line starts from `low` to `high`, both included."""
    starts = [0] if low == 0 else []
    # One byte past `high` is in view, because a \r ends a line only if no \n follows.
    for match in _LINE_END.finditer(source, max(low - 1, 0), min(high + 1, len(source))):
        if low <= match.end() <= high:
            starts.append(match.end())
    return starts


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
