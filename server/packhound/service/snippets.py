"""The lines of a hit that answer the query, without secrets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from packhound.core.types import Hit
from packhound.index import Snapshot
from packhound.search import STOPS
from packhound.text import terms

if TYPE_CHECKING:
    from packhound.pack import Excerpts

_MAX_LINES = 2_000
"""Lines of a node that are compared with the query."""


def words_of(query: str) -> frozenset[str]:
    """Return the terms of a query that lines are chosen by."""
    return frozenset(terms(query)) - STOPS


def snippet(
    excerpts: Excerpts, snapshot: Snapshot, hit: Hit, query_terms: frozenset[str], n: int
) -> tuple[tuple[int, str], ...]:
    """Return at most `n` lines of a hit by 0-based number; none for a record or a changed file.

    `excerpts` are those of `snapshot`.
    """
    entry = snapshot.files.get(hit.node.path)
    if not n or hit.record or entry is None or hit.node.generation != snapshot.generation:
        return ()
    excerpt = excerpts.of(hit.node.path)
    if excerpt is None:
        return ()
    name_line, doc = excerpt.name_and_doc(entry, entry.position(hit.node.node_id))
    first, end = hit.node.span.start_line, hit.node.span.end_line + 1
    lines = dict(enumerate(excerpt.lines[first : min(end, first + _MAX_LINES)], first))
    chosen = choose_lines(lines, n, query_terms, name_line, doc)
    return tuple((line, excerpt.lines[line]) for line in chosen)


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
