"""What stands around a definition and belongs to it: statements, attributes, comments, docs."""

from __future__ import annotations

import re
from bisect import bisect_right

from packhound.parsing.extract.definition import Definition
from packhound.parsing.grammar import Captures
from packhound.parsing.lines import Run

_MAX_INDENT = 200
_BEHIND = re.compile(rb"[ \t]*(?:\Z|\r?\n[ \t]*(?:\r?\n|\Z|end\b))")
_PLAIN_HEAD = re.compile(rb"[\w \t\r\n]*")
_GAP = re.compile(rb"[ \t\f]*(?:\r\n|\n|\r)?[ \t\f]*")
_WIDE_GAP = re.compile(rb"[ \t\f]*(?:(?:\r\n|\n|\r)[ \t\f]*){0,2}")


def take_wraps(source: bytes, found: list[Definition], wraps: list[Run]) -> None:
    """A statement around one definition belongs to it: export, decorators, template, let."""
    wraps = sorted(wraps)
    outermost = {end: start for start, end in reversed(wraps)}
    starts = [start for start, _ in wraps]
    before = -1
    for one in found:
        head = one.start
        for end in (one.end, one.end + (source[one.end : one.end + 1] == b";")):
            if before < outermost.get(end, -1) <= head:
                one.start, one.end = outermost[end], end
        _take_words(source, one, wraps, bisect_right(starts, head) - 1, before)
        before = head


def _take_words(source: bytes, one: Definition, wraps: list[Run], last: int, before: int) -> None:
    """Words in front of a definition (export default, let rec) start its signature."""
    while last >= 0 and wraps[last][0] > before:
        start, end = wraps[last]
        if end >= one.end and _PLAIN_HEAD.fullmatch(source, start, one.head):
            one.start, one.head = min(one.start, start), start
        last -= 1


def take_following(source: bytes, found: list[Definition], captures: Captures) -> None:
    """Documentation can stand behind what it documents, with a blank line behind it in turn."""
    if not captures.following_docs:
        return
    by_end = {one.end: one for one in reversed(found)}
    taken = set()
    for start, end in captures.following_docs:
        at = len(source[max(start - _MAX_INDENT, 0) : start].rstrip()) + max(start - _MAX_INDENT, 0)
        one = by_end.get(at)
        if one is not None and _BEHIND.match(source, end) and _GAP.fullmatch(source, at, start):
            one.docs.append((start, end))
            one.end = end
            taken.add((start, end))
    captures.comments[:] = [run for run in captures.comments if run not in taken]


def take_leads(source: bytes, found: list[Definition], captures: Captures) -> None:
    """Comments and attributes right above a definition belong to it."""
    leads = [(*_trimmed(source, run), True) for run in captures.comments + captures.leading_docs]
    leads += [(start, end, False) for start, end in captures.attributes]
    leads.sort()
    ends = [end for _, end, _ in leads]
    preamble = _preamble_end(source, captures.comments)
    taken = -1
    for one in found:
        last = i = bisect_right(ends, one.start) - 1
        while i > taken:
            start, end, is_doc = leads[i]
            if not _is_gap(source, end, one.start, start >= preamble):
                break
            if is_doc and _follows_code(source, start):
                break
            one.start = start
            if is_doc:
                one.docs.append((start, end))
            i -= 1
        taken = max(taken, last)


def _preamble_end(source: bytes, comments: list[Run]) -> int:
    """Where the comments end that stand above everything else."""
    at = 0
    for start, end in sorted(comments):
        if source[at:start].strip():
            break
        at = end
    return at


def _trimmed(source: bytes, run: Run) -> Run:
    start, end = run
    return start, start + len(source[start:end].rstrip())


def _is_gap(source: bytes, start: int, end: int, doc_may_float: bool) -> bool:
    """Whether there is nothing but one line end between two things, or a blank line after /**."""
    gap = _WIDE_GAP if doc_may_float and source[start - 2 : start] == b"*/" else _GAP
    return gap.fullmatch(source, start, end) is not None


def _follows_code(source: bytes, start: int) -> bool:
    line = max(source.rfind(b"\n", 0, start), source.rfind(b"\r", max(start - 400, 0), start)) + 1
    return bool(source[line:start].strip())


def take_docs(found: list[Definition], docs: list[Run]) -> list[Run]:
    """Documentation inside a definition belongs to the innermost one around it."""
    unclaimed = []
    stack: list[Definition] = []
    upcoming = iter([*found, None])
    one = next(upcoming)
    for start, end in sorted(docs):
        while one is not None and one.start <= start:
            stack.append(one)
            one = next(upcoming)
        while stack and stack[-1].end < end:
            stack.pop()
        if stack:
            stack[-1].docs.append((start, end))
        else:
            unclaimed.append((start, end))
    return unclaimed
