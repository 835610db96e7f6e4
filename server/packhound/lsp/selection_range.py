"""The bytes of a node's name, where a jump to the node puts the cursor.

A node begins with the comments and decorators that belong to it; a jump should skip them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from packhound.core.types import NodeRef

_MAX_WORDS = 8
"""Words of a signature that are searched for; more of them distinguish no two definitions."""
# No pattern per signature: compiling them took 40 % of the time between a search and its answer.
_SPACE = re.compile(rb"\s+")
_WORD = re.compile(rb"\w")


def name_span(node: NodeRef, source: bytes) -> tuple[int, int]:
    """Return start and end byte of a node's name, or of its signature if the name is not in it.

    The span of a node without a signature, such as a window of a file, is empty, at its start.
    """
    words = [word.encode("utf-8", "replace") for word in node.signature.split()[:_MAX_WORDS]]
    signatures = _signatures(words, source, node.span.start, node.span.end) if words else iter(())
    first = next(signatures, None)
    if first is None:
        return node.span.start, node.span.start
    # At the start of a line if there is such a one: a comment may quote the signature.
    at_line_start = (each for each in chain([first], signatures) if _begins_line(source, each[0]))
    return _find_name(node.name, source, *next(at_line_start, first))


def _signatures(
    words: Sequence[bytes], source: bytes, start: int, end: int
) -> Iterator[tuple[int, int]]:
    """Yield start and end of each place where the words follow each other."""
    begin = source.find(words[0], start, end)
    while begin >= 0:
        if stop := _end_of_words(words[1:], source, begin + len(words[0]), end):
            yield begin, stop
        begin = source.find(words[0], begin + 1, end)


def _end_of_words(words: Sequence[bytes], source: bytes, offset: int, end: int) -> int | None:
    for word in words:
        space = _SPACE.match(source, offset, end)
        if not space or not source.startswith(word, space.end(), end):
            return None
        offset = space.end() + len(word)
    return offset


def _begins_line(source: bytes, offset: int) -> bool:
    return not source[source.rfind(b"\n", 0, offset) + 1 : offset].strip(b" \t\f")


def _find_name(name: str, source: bytes, start: int, end: int) -> tuple[int, int]:
    word = name.encode("utf-8", "replace")
    begin = source.find(word, start, end) if word else -1
    while begin >= 0:
        stop = begin + len(word)
        before = source[begin - 1 : begin] if begin else b""
        if not _WORD.match(before) and not _WORD.match(source, stop, end):
            return begin, stop
        begin = source.find(word, begin + 1, end)
    return start, end
