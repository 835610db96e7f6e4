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
    found = []
    below: bytes | None = None
    for i in range(len(lines) - 1, -1, -1):
        line = lines[i]
        text = line.strip()
        if not text:
            continue
        if _is_open(text) and (below is None or _ends_block(line, below)):
            found.append(i)
        below = line
    return found


def _is_open(text: bytes) -> bool:
    if text.startswith(_NO_CODE) or b'"""' in text:
        return False
    if _balance(text) <= 0 and text.count(b'"') % 2 == 0:
        return False
    bare = _TEXT.sub(b"", text)
    if bare.count(b'"') % 2:
        return True
    return _balance(bare) > 0


def _balance(text: bytes) -> int:
    return sum(map(text.count, (b"(", b"[", b"{"))) - sum(map(text.count, (b")", b"]", b"}")))


def _ends_block(line: bytes, below: bytes) -> bool:
    return _indent(below) <= _indent(line) and not below.lstrip().startswith(_CONTINUES)


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip())
