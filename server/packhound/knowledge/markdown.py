"""Markdown as records: one per section of a heading of the first two levels."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import PurePath

from packhound.core.records import Record
from packhound.knowledge.text_files import TextFile

_HEADING = re.compile(r"##?\s+(.*?)\s*#*\s*")
_FENCE = re.compile(r"\s*(```|~~~)")


def read_sections(file: TextFile) -> Iterator[Record]:
    """Yield the sections of a file that have text; front matter is text of the first."""
    heading, first, lines, fenced = "", 1, [""] * 0, False
    make = _maker(file)
    for number, line in enumerate(file.lines, 1):
        if _FENCE.match(line):
            fenced = not fenced
        match = None if fenced else _HEADING.fullmatch(line.rstrip())
        if match:
            yield from make(heading, first, lines)
            heading, first, lines = match[1], number, []
        else:
            lines.append(line)
    yield from make(heading, first, lines)


def _maker(file: TextFile) -> Callable[[str, int, list[str]], Iterator[Record]]:
    name = PurePath(file.path).name
    metadata = {"source_file": name}

    def make(heading: str, line: int, lines: list[str]) -> Iterator[Record]:
        text = "".join(lines).strip()
        if text or heading:
            title = f"{name} > {heading}" if heading else name
            identity = f"{file.path}#{heading}" if heading else file.path
            yield Record(
                identity, "knowledge", title, text, file.date, file.path, line, metadata=metadata
            )

    return make
