"""Text without a grammar to windows: runs of about forty lines that break where a blank line is."""

from __future__ import annotations

from packhound.core.types import Document, Node, ParsedFile, Span
from packhound.parsing.languages import language_for, name_parts
from packhound.parsing.lines import Lines, Run

_LINES = 40
_SHORTEST = 24
"""A window ends at the last blank line after so many lines, or else at `_LINES`."""

_MAX_BYTES = 8_000
"""Windows of long lines are cut here, inside a line if need be."""

_MAX_WINDOWS = 1_000
"""Per file; text behind them is not searched."""

_LONGEST = 4_000
_PORTION = 2_400
"""The rest of a file, or a section, is cut into portions of so many bytes when it is longer."""

_NUL_SNIFF_BYTES = 8_192


def windows(document: Document) -> tuple[Node, ...]:
    """Window nodes that cover `document`, in order; none for binary or blank content."""
    source = document.source
    if is_binary(source):
        return ()
    stem = name_parts(document.path)[0]
    lines = Lines(source)
    return tuple(_window(stem, lines.span(*run)) for run in _runs(source, lines.starts))


def windowed(document: Document, why: str) -> ParsedFile:
    """What is left of a document that cannot be parsed."""
    language = language_for(document.path, document.source, document.language) or "text"
    return ParsedFile(document.path, language, windows(document), degraded=why)


def portions(source: bytes, own: list[Run]) -> list[list[Run]]:
    """Own runs that are too long for one node, in portions that are not; else all in one."""
    if sum(end - start for start, end in own) <= _LONGEST:
        return [own]
    portions: list[list[Run]] = [[]]
    size = 0
    for run in own:
        for start, end in _cut(source, run):
            if portions[-1] and size + end - start > _PORTION:
                portions.append([])
                size = 0
            portions[-1].append((start, end))
            size += end - start
    return portions


def is_binary(source: bytes) -> bool:
    """Whether there is a NUL near the start, as git decides it; UTF-16 text counts as binary."""
    return b"\0" in source[:_NUL_SNIFF_BYTES]


def _window(stem: str, span: Span) -> Node:
    name = f"{stem}:{span.start_line + 1}"
    return Node("window", name, name, span, "", "", ((span.start, span.end),))


def _cut(source: bytes, run: Run) -> list[Run]:
    """A long run in pieces of some forty lines that begin and end where it does."""
    start, end = run
    if end - start <= _PORTION:
        return [run]
    text = source[start:end]
    pieces = _runs(text, Lines(text).starts)
    return [(start + low, start + high) for low, high in pieces]


def _runs(source: bytes, starts: list[int]) -> list[Run]:
    runs: list[Run] = []
    line, edges = 0, [*starts, len(source)]
    while line < len(starts) and len(runs) < _MAX_WINDOWS:
        last = _break_after(source, edges, line)
        runs.extend(_pieces(source, edges[line], edges[last]))
        line = last
    return runs[:_MAX_WINDOWS]


def _break_after(source: bytes, edges: list[int], line: int) -> int:
    """The line at which the window that starts at `line` ends (exclusive)."""
    limit = min(line + _LINES, len(edges) - 1)
    if limit == len(edges) - 1:
        return limit
    for last in range(limit, line + _SHORTEST, -1):
        if not source[edges[last - 1] : edges[last]].strip():
            return last
    return limit


def _pieces(source: bytes, start: int, end: int) -> list[Run]:
    """A run without blanks around it, in pieces that break between characters."""
    text = source[start:end]
    start += len(text) - len(text.lstrip())
    end = start + len(text.strip())
    pieces = []
    while start < end:
        cut = min(start + _MAX_BYTES, end)
        for _ in range(3):  # No character has more bytes than four.
            if cut < end and source[cut] & 0xC0 == 0x80:
                cut -= 1
        pieces.append((start, cut))
        start = cut
    return pieces
