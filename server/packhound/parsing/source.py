"""One source as the passes over it share it: its bytes, its lines, its language."""

from __future__ import annotations

import re

from packhound.parsing.languages import Language, name_parts
from packhound.parsing.lines import Lines, Run

_NO_BLANK = re.compile(rb"\S")


class Source:
    """The text of one document. `stem` is what a definition without a name is called."""

    __slots__ = ("language", "lines", "octets", "path", "stem")

    def __init__(self, path: str, octets: bytes, language: Language) -> None:
        self.path = path
        self.stem = name_parts(path)[0]
        self.octets = octets
        self.language = language
        self.lines = Lines(octets)

    def text(self, run: Run) -> str:
        """A run as text; bytes that are not UTF-8 become U+FFFD."""
        return self.octets[run[0] : run[1]].decode("utf-8", "replace")

    def trimmed(self, runs: list[Run]) -> list[Run]:
        """The runs without blank lines around them, and none that are blank.

        Indentation stays, and so does one line end, so that joined runs keep their words apart.
        """
        octets = self.octets
        kept = []
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
            kept.append((line or start, last))
        return kept
