"""Lines that somebody is still typing, found by their layout.

A bracket that is open for the moment can make a grammar lose every definition up to the end of the
file, while anyone who looks at the indentation sees where the line ends. Without such lines the
rest parses as before.
"""

from __future__ import annotations

import re

_MAX_LINES = 20
"""A text with more of them is laid out in another way, and not unfinished."""

_TEXT = re.compile(rb"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`|//.*|(?:^|\s)#.*")
_SHAPELESS = bytes(code for code in range(256) if code not in b'()[]{}"')
_NO_LINE_END = re.compile(rb"[^\r\n]")
_CONTINUES = (
    *(b")", b"]", b"}", b"{", b".", b",", b"?", b":", b"&", b"|", b"+", b"=", b"->", b"end"),
    *(b"case", b"default", b"when"),
)
_NO_CODE = (b"*", b"/*", b"//", b"namespace")


def without_unfinished(code: bytes) -> bytes:
    """The code with blanks in the place of lines that look unfinished; itself if there are none."""
    lines = code.splitlines(keepends=True)
    unfinished = _candidates(lines)
    if not unfinished or len(unfinished) > _MAX_LINES:
        return code
    for i in unfinished:
        lines[i] = _NO_LINE_END.sub(b" ", lines[i])
    return b"".join(lines)


def _candidates(lines: list[bytes]) -> list[int]:
    """Lines that leave something open though the next line is not indented any further."""
    may_be_open = _MayBeOpen()
    shapes = [line.translate(None, _SHAPELESS) for line in lines]
    return [
        i
        for i, shape in enumerate(shapes)
        if may_be_open[shape] and _ends_block(lines, i) and _is_open(lines[i].strip())
    ]


class _MayBeOpen(dict[bytes, bool]):
    """Whether a line may be open that has these brackets and quotes; a text has few such shapes."""

    def __missing__(self, shape: bytes) -> bool:
        found = self[shape] = _balance(shape) > 0 or shape.count(b'"') % 2 == 1
        return found


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
    """Whether the next line that is not blank, if there is one, is no part of what line i opens."""
    for j in range(i + 1, len(lines)):
        text = lines[j].lstrip()
        if text:
            return _indent(lines[j]) <= _indent(lines[i]) and not text.startswith(_CONTINUES)
    return True


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip())
