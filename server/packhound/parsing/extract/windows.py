"""Text without a grammar to windows of about forty lines, cut at blank lines."""

from __future__ import annotations

import re
from dataclasses import replace

from packhound.core.status import GREP_ALONE
from packhound.core.types import Document, Node, ParsedFile, Span
from packhound.parsing.languages import language_for, name_parts
from packhound.parsing.source import ByteRange
from packhound.text import LineIndex

_LINES = 40
_MIN_LINES = 24
"""A window ends at the last blank line after these, or else at `_LINES`, or in that proportion."""

_MAX_BYTES = 8_000
"""Windows of long lines are cut here, inside a line if need be."""

_MOST_WINDOWS = 1_000
"""Windows of a file of short lines have more lines, so that there are hardly more than these."""

_MAX_NODE_BYTES = 4_000
_PORTION_BYTES = 2_400
"""The rest of a file, or a section, is cut into portions of this size if it is longer."""

_NUL_SNIFF_BYTES = 8_192

_MAX_DATA_BYTES = 64 * 1024
_WORD = re.compile(
    rb"(?<![a-z])[a-z]{4,30}(?![a-z])|(?<![A-Z])[A-Z]{4,30}(?![A-Z])|[\x80-\xff]{2,}"
)
_N_SAMPLES, _SAMPLE_BYTES = 64, 1_024
_LEAST_WORDS = 1 / 6
"""Share of the bytes of longer texts, but for blanks, that is in words. In code and prose it is a
third at least, in base64 0.15, in numbers, digests, tokens and sequences of genes less."""


def windows(document: Document) -> tuple[Node, ...]:
    """Return window nodes that cover `document`, in order; none for binary or blank content."""
    source = document.source
    if is_binary(source):
        return ()
    stem = name_parts(document.path)[0]
    lines = LineIndex(source)
    return tuple(_window(stem, lines.span(*run)) for run in _cut_lines(source, lines.starts))


def parse_text(document: Document) -> ParsedFile:
    """Return a document in no language as windows; of long data without words the first lines."""
    if len(document.source) > _MAX_DATA_BYTES and not _has_words(document.source):
        return first_lines(document)
    return ParsedFile(document.path, "text", windows(document))


def parse_as_windows(document: Document, why: str) -> ParsedFile:
    """Return a document that cannot be parsed as windows; `why` says the reason."""
    language = language_for(document.path, document.source, document.language) or "text"
    return ParsedFile(document.path, language, windows(document), degraded=why)


def first_lines(document: Document) -> ParsedFile:
    """Return what grep alone reads as the window of its first lines, which has its path."""
    head = document.source[:_MAX_NODE_BYTES]
    lines = replace(document, source=head.rpartition(b"\n")[0] or head)
    parsed = parse_as_windows(lines, GREP_ALONE)
    return replace(parsed, nodes=parsed.nodes[:1])


def portions(source: bytes, runs: list[ByteRange]) -> list[list[ByteRange]]:
    """Divide own ranges that are too long for one node into portions."""
    if sum(end - start for start, end in runs) <= _MAX_NODE_BYTES:
        return [runs]
    portions: list[list[ByteRange]] = [[]]
    size = 0
    for run in runs:
        for start, end in _cut(source, run):
            if portions[-1] and size + end - start > _PORTION_BYTES:
                portions.append([])
                size = 0
            portions[-1].append((start, end))
            size += end - start
    return portions


def is_binary(source: bytes) -> bool:
    """Return True if there is a NUL near the start, as git decides; UTF-16 counts as binary."""
    return b"\0" in source[:_NUL_SNIFF_BYTES]


def _has_words(source: bytes) -> bool:
    """Return True for a long text of words, by samples from all of it."""
    starts = range(0, len(source), len(source) // _N_SAMPLES)
    sample = b" ".join(source[start : start + _SAMPLE_BYTES] for start in starts)
    n_in_words = sum(map(len, _WORD.findall(sample)))
    return n_in_words >= _LEAST_WORDS * len(sample.translate(None, b" \t\r\n"))


def _window(stem: str, span: Span) -> Node:
    name = f"{stem}:{span.start_line + 1}"
    return Node("window", name, name, span, "", "", ((span.start, span.end),))


def _cut(source: bytes, run: ByteRange) -> list[ByteRange]:
    """Cut a long range into pieces of some forty lines."""
    start, end = run
    if end - start <= _PORTION_BYTES:
        return [run]
    text = source[start:end]
    pieces = _cut_lines(text, LineIndex(text).starts)
    return [(start + low, start + high) for low, high in pieces]


def _cut_lines(source: bytes, starts: list[int]) -> list[ByteRange]:
    runs: list[ByteRange] = []
    line, edges = 0, [*starts, len(source)]
    n_lines = max(_LINES, len(starts) // _MOST_WINDOWS + 1)
    while line < len(starts):
        last = _break_after(source, edges, line, n_lines)
        runs.extend(_cut_bytes(source, edges[line], edges[last]))
        line = last
    return runs


def _break_after(source: bytes, edges: list[int], line: int, n_lines: int) -> int:
    """Return the end line (exclusive) of the window of at most `n_lines` that starts at `line`."""
    limit = min(line + n_lines, len(edges) - 1)
    if limit == len(edges) - 1:
        return limit
    for last in range(limit, line + n_lines * _MIN_LINES // _LINES, -1):
        if not source[edges[last - 1] : edges[last]].strip():
            return last
    return limit


def _cut_bytes(source: bytes, start: int, end: int) -> list[ByteRange]:
    """Strip a range and cut it into pieces between characters."""
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
