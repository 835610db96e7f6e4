"""The answers of several folders to one question, merged: hits, lines and what is said of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from packhound.core.status import total_reading
from packhound.core.types import Note, Query, Results, merge_facets
from packhound.grep import GrepGroup, GrepRequest, GrepResults, merge_grep_notes
from packhound.search import (
    Relaxed,
    falling_chances,
    merge_notes,
    rank_hits,
    so_far,
    without_denials,
)
from packhound.service.notes import NothingAmong, NothingOf

_NO_ANSWER = Results("", (), False, 0, 0.0, 0)


def merge_results(query: Query, answers: Sequence[Results]) -> Results:
    """Return the answers of several folders to one query as one."""
    surest = max(answers, key=lambda answer: answer.confidence or 0.0, default=_NO_ANSWER)
    first_root = query.focus.root if query.focus else ""
    hits = rank_hits((hit for answer in answers for hit in answer.hits), query.limit, first_root)
    read = [hit for hit in hits if not hit.unread]
    chances = falling_chances([hit.confidence or 0.0 for hit in read])
    rated = (replace(hit, confidence=chance) for hit, chance in zip(read, chances, strict=True))
    merged = Results(
        query=query.text,
        hits=tuple(hit if hit.unread else next(rated) for hit in hits),
        truncated=any(answer.truncated for answer in answers),
        generation=sum(answer.generation for answer in answers),
        took_ms=sum(answer.took_ms for answer in answers),
        candidates=sum(answer.candidates for answer in answers),
        remarks=merge_notes(surest, answers, query.budget.time_ms),
        confidence=surest.confidence,
        confidence_word=surest.confidence_word,
        facets=merge_facets([answer.facets for answer in answers]),
    )
    if any(hit.unread for hit in hits):
        merged = without_denials(merged)
    return so_far(merged, total_reading([answer.reading for answer in answers]))


def notes_of_roots(
    notes: Sequence[Note], by_label: Mapping[str, Sequence[Note]], *, has_hits: bool
) -> Iterator[Note]:
    """Yield the notes of several folders; what one counts comes with its label.

    That one has nothing of a type says nothing where another has.
    """
    is_counted = any(isinstance(note, NothingAmong) for note in notes)
    for note in notes:
        is_less = is_counted and not isinstance(note, NothingAmong)
        if isinstance(note, NothingOf) and (has_hits or is_less):
            continue
        labels = [label for label in by_label if note in by_label[label]]
        is_count = isinstance(note, NothingOf | Relaxed) and len(by_label) > 1
        yield f"{', '.join(labels)}: {note}" if labels and is_count else note


def merge_lines(request: GrepRequest, answers: Sequence[GrepResults]) -> GrepResults:
    """Return one page of the first lines of several folders."""
    groups = [group for answer in answers for group in answer.groups]
    if request.query:
        groups.sort(key=lambda group: -(-math.inf if group.score is None else group.score))
    counts = [count for answer in answers for count in answer.counts]
    end, n_lines = request.offset + request.limit, sum(answer.n_lines for answer in answers)
    n_files = sum(answer.n_files for answer in answers)
    return GrepResults(
        pattern=request.pattern,
        groups=tuple(_cut(groups, request)),
        counts=tuple(counts[request.offset : end]),
        n_lines=n_lines,
        n_files=n_files,
        next_offset=end if (n_files if request.count_only else n_lines) > end else -1,
        generation=sum(answer.generation for answer in answers),
        took_ms=sum(answer.took_ms for answer in answers),
        notes=tuple(merge_grep_notes([answer.notes for answer in answers])),
    )


def _cut(groups: Sequence[GrepGroup], request: GrepRequest) -> Iterator[GrepGroup]:
    """Yield the groups of the matching lines from the offset on as far as the limit."""
    first, end = request.offset, request.offset + request.limit
    for group in groups:
        matches = [line.number for line in group.lines if line.is_match]
        in_page = matches[max(0, first) : max(0, end)]
        first, end = first - len(matches), end - len(matches)
        lines = tuple(
            line._replace(is_match=line.number in in_page)
            for line in group.lines
            if any(abs(line.number - match) <= request.context for match in in_page)
        )
        if lines:
            yield replace(group, lines=lines)
