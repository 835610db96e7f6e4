"""Attachment of statements, attributes, comments and docs to the definitions they belong to."""

from __future__ import annotations

import re
from bisect import bisect_right

from packhound.parsing.extract.definition import Definition
from packhound.parsing.grammar import Captures
from packhound.parsing.source import ByteRange

_MAX_INDENT = 200
_DOC_END = re.compile(rb"[ \t]*(?:\Z|\r?\n[ \t]*(?:\r?\n|\Z|end\b))")
_PLAIN_HEAD = re.compile(rb"[\w \t\r\n]*")
_GAP = re.compile(rb"[ \t\f]*(?:\r\n|\n|\r)?[ \t\f]*")
_WIDE_GAP = re.compile(rb"[ \t\f]*(?:(?:\r\n|\n|\r)[ \t\f]*){0,2}")


def take_wraps(source: bytes, definitions: list[Definition], wraps: list[ByteRange]) -> None:
    """Extend definitions by a statement around each: export, decorators, template, let."""
    wraps = sorted(wraps)
    outermost = {end: start for start, end in reversed(wraps)}
    starts = [start for start, _ in wraps]
    previous_start = -1
    for definition in definitions:
        head = definition.start
        for end in (
            definition.end,
            definition.end + (source[definition.end : definition.end + 1] == b";"),
        ):
            if previous_start < outermost.get(end, -1) <= head:
                definition.start, definition.end = outermost[end], end
        _take_words(source, definition, wraps, bisect_right(starts, head) - 1, previous_start)
        previous_start = head


def _take_words(
    source: bytes, definition: Definition, wraps: list[ByteRange], i: int, previous_start: int
) -> None:
    """Extend a signature by the words in front of it (export default, let rec)."""
    while i >= 0 and wraps[i][0] > previous_start:
        start, end = wraps[i]
        if end >= definition.end and _PLAIN_HEAD.fullmatch(source, start, definition.head):
            definition.start, definition.head = min(definition.start, start), start
        i -= 1


def skip_attributes(source: bytes, definitions: list[Definition], captures: Captures) -> None:
    """Let signatures begin behind the attributes that their definitions begin with."""
    ends = dict(captures.runs["attribute"] + captures.runs["comment"])
    for definition in definitions:
        while end := ends.get(definition.head):
            rest = source[end : definition.end]
            definition.head = definition.end - len(rest.lstrip())


def take_following(source: bytes, definitions: list[Definition], captures: Captures) -> None:
    """Attach documentation that follows a definition, with a blank line after it."""
    by_end = {definition.end: definition for definition in reversed(definitions)}
    taken = set()
    for start, end in captures.runs["doc.following"]:
        last_end = len(source[max(start - _MAX_INDENT, 0) : start].rstrip()) + max(
            start - _MAX_INDENT, 0
        )
        definition = by_end.get(last_end)
        if (
            definition is not None
            and _DOC_END.match(source, end)
            and _GAP.fullmatch(source, last_end, start)
        ):
            definition.docs.append((start, end))
            definition.end = end
            taken.add((start, end))
    captures.runs["comment"] = [run for run in captures.runs["comment"] if run not in taken]


def take_leads(source: bytes, definitions: list[Definition], captures: Captures) -> None:
    """Attach comments and attributes directly above a definition."""
    runs = captures.runs
    docs = runs["comment"] + runs["doc.leading"]
    leads = [(*_strip_end(source, run), True) for run in docs]
    leads += [(start, end, False) for start, end in runs["attribute"]]
    leads.sort()
    ends = [end for _, end, _ in leads]
    preamble = _preamble_end(source, runs["comment"])
    taken = -1
    for definition in definitions:
        last = i = bisect_right(ends, definition.start) - 1
        while i > taken:
            start, end, is_doc = leads[i]
            if not _is_gap(source, end, definition.start, start >= preamble):
                break
            if is_doc and _follows_code(source, start):
                break
            definition.start = start
            if is_doc:
                definition.docs.append((start, end))
            i -= 1
        taken = max(taken, last)


def _preamble_end(source: bytes, comments: list[ByteRange]) -> int:
    """Return the end of the comments that precede everything else."""
    preamble_end = 0
    for start, end in sorted(comments):
        if source[preamble_end:start].strip():
            break
        preamble_end = end
    return preamble_end


def _strip_end(source: bytes, run: ByteRange) -> ByteRange:
    start, end = run
    return start, start + len(source[start:end].rstrip())


def _is_gap(source: bytes, start: int, end: int, doc_may_float: bool) -> bool:
    """Return True if only one line end is between two offsets, or a blank line after /**."""
    gap = _WIDE_GAP if doc_may_float and source[start - 2 : start] == b"*/" else _GAP
    return gap.fullmatch(source, start, end) is not None


def _follows_code(source: bytes, start: int) -> bool:
    line = max(source.rfind(b"\n", 0, start), source.rfind(b"\r", max(start - 400, 0), start)) + 1
    return bool(source[line:start].strip())


def take_docs(definitions: list[Definition], docs: list[ByteRange]) -> list[ByteRange]:
    """Attach docs to the innermost definition around each; return those outside all."""
    unclaimed = []
    stack: list[Definition] = []
    upcoming = iter([*definitions, None])
    definition = next(upcoming)
    for start, end in sorted(docs):
        while definition is not None and definition.start <= start:
            stack.append(definition)
            definition = next(upcoming)
        while stack and stack[-1].end < end:
            stack.pop()
        if stack:
            stack[-1].docs.append((start, end))
        else:
            unclaimed.append((start, end))
    return unclaimed
