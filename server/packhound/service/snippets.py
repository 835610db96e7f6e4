"""The lines of a hit that answer the query, without secrets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from packhound.core.types import Hit, Query, Results
from packhound.index import FileEntry, Snapshot
from packhound.search import STOPS, parse_query
from packhound.text import terms

if TYPE_CHECKING:
    from packhound.pack import Excerpt, Excerpts

_MAX_LINES = 2_000
"""Lines of a node that are compared with the query."""
_SURE_WORDS = ("exact", "strong")
_LAST_NEXT = 3


class _Shape(NamedTuple):
    """Lines by rank: of a first hit that is whole, of a longer one, of the next, of others."""

    of_whole: int
    of_lead: int
    of_next: int
    of_other: int


_SURE, _UNSURE = _Shape(60, 20, 8, 0), _Shape(30, 12, 6, 6)
"""Of an unsure answer more places hold the fix of a bug than the rest of the first."""


def with_snippets(
    excerpts: Excerpts, snapshot: Snapshot, results: Results, n_lines: int | None
) -> tuple[Hit, ...]:
    """Return the hits of a snapshot with `n_lines` lines of code at most, or as many as fit a rank.

    By rank the first and what the query names are whole unless they are long, the next two have
    the lines that answer. `excerpts` are those of `snapshot`.
    """
    words = frozenset(terms(results.query)) - STOPS
    if n_lines is not None:
        return tuple(
            replace(hit, snippet=_snippet(excerpts, snapshot, hit, words, n_lines))
            for hit in results.hits
        )
    names = parse_query(Query(results.query)).names
    n_of_name = Counter(hit.node.name for hit in results.hits)
    shape = _SURE if results.confidence_word in _SURE_WORDS else _UNSURE
    hits = []
    for hit in results.hits:
        is_lead = hit.rank == 1 or hit.node.name in names
        n_of_hit = hit.node.span.end_line - hit.node.span.start_line + 1
        n = shape.of_next if hit.rank <= _LAST_NEXT else shape.of_other
        if is_lead:
            n = n_of_hit if n_of_hit <= shape.of_whole else shape.of_lead
        node = hit.node
        if n_of_name[node.name] > 1 and not hit.record:
            node = replace(node, signature=_with_decorators(excerpts, snapshot, hit))
        snippet = _snippet(excerpts, snapshot, hit, words, n)
        hits.append(replace(hit, node=node, snippet=snippet))
    return tuple(hits)


def _snippet(
    excerpts: Excerpts, snapshot: Snapshot, hit: Hit, query_terms: frozenset[str], n: int
) -> tuple[tuple[int, str], ...]:
    """Return at most `n` lines of a hit by 0-based number; none for a record or a changed file."""
    if not n or not (text := _text_of(excerpts, snapshot, hit)):
        return ()
    entry, excerpt = text
    first, end = hit.node.span.start_line, hit.node.span.end_line + 1
    if n >= end - first:
        return tuple(enumerate(excerpt.lines[first:end], first))
    name_line, doc = excerpt.name_and_doc(entry, entry.position(hit.node.node_id))
    lines = dict(enumerate(excerpt.lines[first : min(end, first + _MAX_LINES)], first))
    chosen = choose_lines(lines, n, query_terms, name_line, doc)
    return tuple((line, excerpt.lines[line]) for line in chosen)


def _text_of(excerpts: Excerpts, snapshot: Snapshot, hit: Hit) -> tuple[FileEntry, Excerpt] | None:
    """Return the file of a hit and its lines; None for a record or a changed file."""
    if hit.record or hit.node.generation != snapshot.generation:
        return None
    entry, excerpt = snapshot.files.get(hit.node.path), excerpts.of(hit.node.path)
    return (entry, excerpt) if entry and excerpt else None


def _with_decorators(excerpts: Excerpts, snapshot: Snapshot, hit: Hit) -> str:
    """Return the signature behind the decorators, which may be what tells it from its namesakes."""
    if not (text := _text_of(excerpts, snapshot, hit)):
        return hit.node.signature
    entry, excerpt = text
    name_line, doc = excerpt.name_and_doc(entry, entry.position(hit.node.node_id))
    above = [n for n in range(hit.node.span.start_line, name_line) if n not in doc]
    decorators = " ".join(excerpt.lines[n].strip() for n in above)
    is_there = not decorators.startswith("@") or hit.node.signature.startswith("@")
    return hit.node.signature if is_there else f"{decorators} {hit.node.signature}"


def choose_lines(
    lines: Mapping[int, str],
    n: int,
    query_terms: frozenset[str],
    name_line: int,
    doc: Collection[int],
) -> Sequence[int]:
    """Return the numbers of at most `n` lines: the one with the name, and those that match.

    A line of comment is chosen only for query terms that no line of code has. What room is left
    goes to the code below the best match.
    """
    matches = {number: query_terms.intersection(terms(line)) for number, line in lines.items()}
    frequency = Counter(term for matched in matches.values() for term in matched)
    weight = {term: math.log1p(len(lines) / count) for term, count in frequency.items()}
    chosen = [name_line] if name_line in lines else []
    missing = set(frequency).difference(*(matches[number] for number in chosen))
    while missing and len(chosen) < n:
        best = max(
            matches,
            key=lambda number: (
                sum(weight[term] for term in matches[number] & missing),
                number not in doc,
                -number,
            ),
        )
        chosen.append(best)
        missing -= matches[best]
    # The best match is the first beside the name.
    start = chosen[1] if len(chosen) > 1 else name_line
    code = [number for number in lines if number not in doc and lines[number].strip()]
    room = (number for number in code if number > start and number not in chosen)
    chosen += [number for _, number in zip(range(n - len(chosen)), room, strict=False)]
    return sorted(chosen)
