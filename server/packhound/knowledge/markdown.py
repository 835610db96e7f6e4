"""Markdown as records: one per section of a heading of the first two levels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from packhound.core.records import Record
from packhound.knowledge.text_files import TextFile

_HEADING = re.compile(r"##?\s+(.*?)\s*#*\s*")
_FENCE = re.compile(r"\s*(```|~~~)")


def read_sections(file: TextFile) -> Iterator[Record]:
    """Yield the sections of a file that have text; front matter is text of the first."""
    heading, first, lines, fenced = "", 1, [""] * 0, False
    for number, line in enumerate(file.lines, 1):
        if _FENCE.match(line):
            fenced = not fenced
        match = None if fenced else _HEADING.fullmatch(line.rstrip())
        if match:
            yield from _section(file, heading, first, lines)
            heading, first, lines = match[1], number, []
        else:
            lines.append(line)
    yield from _section(file, heading, first, lines)


def _section(file: TextFile, heading: str, line: int, lines: list[str]) -> Iterator[Record]:
    """Yield the record of a section that has a heading or a text."""
    text, name = "".join(lines).strip(), PurePath(file.path).name
    if text or heading:
        title = f"{name} > {heading}" if heading else name
        identity = f"{file.path}#{heading}" if heading else file.path
        metadata = {"source_file": name}
        yield Record(
            identity, "knowledge", title, text, file.date, file.path, line, metadata=metadata
        )
