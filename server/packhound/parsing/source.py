"""One source as the passes over it share it: bytes, lines, language."""

from __future__ import annotations

import re
from collections.abc import Iterable

from packhound.parsing.languages import Language, name_parts
from packhound.text import LineIndex

ByteRange = tuple[int, int]
"""Half-open range of byte offsets in a source."""

_NO_BLANK = re.compile(rb"\S")
_QUOTES = (b'"', b"'", b"`")
_BLANKS = bytes(octet if octet in b"\r\n" else ord(" ") for octet in range(256))


def blank(octets: bytes | bytearray) -> bytes:
    """Return blanks in the place of octets, with the same line ends."""
    return bytes(octets.translate(_BLANKS))


def blank_runs(source: bytes, runs: Iterable[ByteRange]) -> bytes:
    """Return a source with blanks in place of some ranges, without the quote that opens one."""
    blanked = bytearray(source)
    for start, end in runs:
        low = start + (source[start : start + 1] in _QUOTES)
        blanked[low:end] = blank(blanked[low:end])
    return bytes(blanked)


class Source:
    """The text of one document. `stem` is the name of a definition that has none."""

    __slots__ = ("language", "lines", "octets", "path", "stem")

    def __init__(self, path: str, octets: bytes, language: Language) -> None:
        self.path = path
        self.stem = name_parts(path)[0]
        self.octets, self.language = octets, language
        self.lines = LineIndex(octets)

    def text(self, run: ByteRange) -> str:
        """Return a range as text; bytes that are not UTF-8 become U+FFFD."""
        return self.octets[run[0] : run[1]].decode("utf-8", "replace")

    def trim(self, runs: list[ByteRange]) -> list[ByteRange]:
        """Strip blank lines around each range, and drop blank ranges.

        Indentation stays, and so does one line end, which keeps words of concatenated ranges apart.
        """
        octets = self.octets
        trimmed = []
        for start, end in runs:
            first = _NO_BLANK.search(octets, start, end)
            if first is None:
                continue
            last = start + len(octets[start:end].rstrip())
            line = octets.rfind(b"\n", start, first.start()) + 1
            if octets[last : last + 2] == b"\r\n" and last + 2 <= end:
                last += 2
            elif last < end and octets[last : last + 1] in (b"\n", b"\r"):
                last += 1
            trimmed.append((line or start, last))
        return trimmed
