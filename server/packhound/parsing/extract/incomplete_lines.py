"""Detection of lines that are still being typed, by brackets and indentation.

A bracket that is open for the moment can make a grammar lose every definition up to the end of the
file, while the indentation shows where the line ends. Without such lines the rest parses as before.
"""

from __future__ import annotations

import re

from packhound.core.caching import BoundedMemo
from packhound.parsing.source import blank

_MAX_LINES = 20
"""A text with more of them is laid out in another way, and not incomplete."""

_MAX_SHAPES = 10_000
"""A text has few distinct sequences of brackets and quotes, unless it is hostile."""

_TEXT = re.compile(rb"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`|//.*|(?:^|\s)#.*")
_SHAPELESS = bytes(code for code in range(256) if code not in b'()[]{}"')
_CONTINUES = (
    *(b")", b"]", b"}", b"{", b".", b",", b"?", b":", b"&", b"|", b"+", b"=", b"->", b"end"),
    *(b"case", b"default", b"when"),
)
_NO_CODE = (b"*", b"/*", b"//", b"namespace")


def blank_incomplete_lines(code: bytes) -> bytes:
    """Replace lines that look incomplete by blanks; return `code` itself if there are none."""
    lines = code.splitlines(keepends=True)
    incomplete = _candidates(lines)
    if not incomplete or len(incomplete) > _MAX_LINES:
        return code
    for i in incomplete:
        lines[i] = blank(lines[i])
    return b"".join(lines)


def _candidates(lines: list[bytes]) -> list[int]:
    """Return the lines that leave a bracket open though the next line is not indented further."""
    may_be_open = BoundedMemo(_may_be_open, _MAX_SHAPES)
    shapes = [line.translate(None, _SHAPELESS) for line in lines]
    return [
        i
        for i, shape in enumerate(shapes)
        if may_be_open[shape] and _ends_block(lines, i) and _is_open(lines[i].strip())
    ]


def _may_be_open(shape: bytes) -> bool:
    """Return True if a line with these brackets and quotes may be open."""
    return _balance(shape) > 0 or shape.count(b'"') % 2 == 1


def _is_open(text: bytes) -> bool:
    if text.startswith(_NO_CODE) or b'"""' in text:
        return False
    bare = _TEXT.sub(b"", text)
    if bare.count(b'"') % 2:
        return True
    return _balance(bare) > 0


def _balance(text: bytes) -> int:
    return sum(map(text.count, (b"(", b"[", b"{"))) - sum(map(text.count, (b")", b"]", b"}")))


def _ends_block(lines: list[bytes], i: int) -> bool:
    """Return True unless the next line of code continues what line i opens."""
    if lines[i].rstrip().endswith(b"\\"):
        return False
    for j in range(i + 1, len(lines)):
        text = lines[j].lstrip()
        if text and not text.startswith(b"#"):  # A comment, or a directive in C.
            return _indent(lines[j]) <= _indent(lines[i]) and not text.startswith(_CONTINUES)
    return True


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip())
