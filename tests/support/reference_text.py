"""Second implementation of edits at LSP positions, one code point at a time."""

from __future__ import annotations

import re

from packhound.text.text_buffer import Encoding, Position, TextBuffer


def width(char: str, encoding: Encoding) -> int:
    """Return the code units of a character."""
    if encoding == "utf-32":
        return 1
    if encoding == "utf-16":
        return 2 if char > "\uffff" else 1
    return len(char.encode("utf-8", "surrogatepass"))


def index_of(text: str, position: Position, encoding: Encoding) -> int:
    """As `TextBuffer.offset`, but in code points."""
    line, character = position
    lines = re.split("(?<=\n)|(?<=\r)(?!\n)", text)
    if line < 0:
        return 0
    if line >= len(lines):
        return len(text)
    index = sum(map(len, lines[:line]))
    for char in lines[line].rstrip("\r\n"):
        character -= width(char, encoding)
        if character < 0:
            break
        index += 1
    return index


def apply_edit(text: str, start: Position, end: Position, new: str, encoding: Encoding) -> str:
    """Return `text` after an edit."""
    first, last = sorted((index_of(text, start, encoding), index_of(text, end, encoding)))
    return text[:first] + new + text[last:]


def check_line_starts(buffer: TextBuffer, starts: list[int]) -> None:
    """Check that exactly these lines start in a buffer: the next one is at the end of the text."""
    offsets = [buffer.offset((line, 0)) for line in range(len(starts) + 1)]
    assert offsets == [*starts, len(buffer.source)]
