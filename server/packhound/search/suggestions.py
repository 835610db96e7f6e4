"""Notes on an answer without hits: which filter to drop, and other spellings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from packhound.core.records import Scope
from packhound.core.types import Query
from packhound.index import Snapshot
from packhound.search.answer_notes import NO_LANGUAGE_NOTE, NOTHING_MATCHES, nearest_names
from packhound.search.query.filters import allowed_node_ids
from packhound.search.query.parse import ParsedQuery
from packhound.search.retrieve.corpus_stats import CorpusStats
from packhound.search.signals.context import SignalContext
from packhound.search.symbols import rank_symbols
from packhound.text import terms

_FILTERS = {
    "kinds": "kind:",
    "languages": "lang:",
    "globs": "path:",
    "excluded_kinds": "-kind:",
    "excluded_globs": "-path:",
}
NO_WORDS = "the query has no words: give a word, a name, or a filter such as kind:class"
STOP_WORDS_ALONE = "these words are everywhere: add a name, or a word of what the code does"
_WORD = re.compile(r"\w{4,}")
_MAX_WORDS = 3

Count = Callable[[ParsedQuery], int]
"""Return how many nodes match a query."""


def no_match_notes(context: SignalContext) -> Iterator[str]:
    """Yield why a query has no candidates, and what to change."""
    snapshot, stats, retrieval = context.snapshot, context.stats, context.retrieval
    yield _no_match(snapshot, context.query)
    matched = np.union1d(retrieval.matches.matched, retrieval.named_any)

    def count(query: ParsedQuery) -> int:
        allowed = allowed_node_ids(snapshot, stats, query)
        return len(matched) if allowed is None else int(np.count_nonzero(allowed[matched]))

    yield from _dropped_filters(context.query, count)
    pairs = zip(context.query.terms, retrieval.matches.terms, strict=True)
    absent = {term for term, match in pairs if not len(match.nodes[0])}
    unknown = set(context.unknown_names)  # Named in notes of their own.
    words = dict.fromkeys(_WORD.findall(context.query.text))
    misspelt = [w for w in words if w not in unknown and not absent.isdisjoint(terms(w)[-1:])]
    for word in misspelt[:_MAX_WORDS]:
        yield from _spellings(snapshot, stats, word)


def no_symbol_notes(
    snapshot: Snapshot, stats: CorpusStats, query: ParsedQuery, root: str
) -> Iterator[str]:
    """Yield that no name matches, and what to change."""
    yield "no name matches"
    yield from _dropped_filters(
        query, lambda relaxed: rank_symbols(snapshot, stats, relaxed, 0, root)[1]
    )
    for pattern in query.patterns[:_MAX_WORDS]:
        yield from _spellings(snapshot, stats, pattern.text)


def no_listing_notes(snapshot: Snapshot, stats: CorpusStats, query: ParsedQuery) -> Iterator[str]:
    """Yield why nothing passes the filters of a query, and what to change."""

    def count(relaxed: ParsedQuery) -> int:
        allowed = allowed_node_ids(snapshot, stats, relaxed)
        return snapshot.n_nodes if allowed is None else int(np.count_nonzero(allowed))

    yield _no_match(snapshot, query)
    yield from _dropped_filters(query, count)


def _dropped_filters(query: ParsedQuery, count: Count) -> Iterator[str]:
    """Yield for each filter how many nodes match without it, if any."""
    for field, prefix in _FILTERS.items():
        values = getattr(query, field)
        dropped: dict[str, Any] = {field: ()}
        if values and (n := count(replace(query, **dropped))):
            yield f"without {' '.join(prefix + value for value in values)} there are {n:,}"
    if query.scope.is_dated and (n := count(replace(query, scope=_without_dates(query.scope)))):
        yield f"without since: and before: there are {n:,}"
    if query.scope.tags:
        yield "code has no tags: add type:note, or another type, to search what has"
    default = Query("").tests
    if query.tests != default and (n := count(replace(query, tests=default))):
        yield f"without tests:{query.tests} there are {n:,}"


def _without_dates(scope: Scope) -> Scope:
    return scope._replace(since=-inf, before=inf)


def _spellings(snapshot: Snapshot, stats: CorpusStats, word: str) -> Iterator[str]:
    """Yield the names that are written nearly like a word."""
    if nearest := nearest_names(snapshot, stats.letters, word):
        yield f"for `{word}`, did you mean: {', '.join(nearest)}"


def _no_match(snapshot: Snapshot, parsed: ParsedQuery) -> str:
    """Return why nothing matches: an empty index, a language that no file is in, or the words."""
    if not snapshot.files:
        return "no file is indexed"
    indexed = sorted({entry.language.lower() for entry in snapshot.files.values()})
    if not parsed.languages or not set(parsed.languages).isdisjoint(indexed):
        return NOTHING_MATCHES
    languages = ", ".join(parsed.languages)
    return f"{NO_LANGUAGE_NOTE}'{languages}'; languages here: {', '.join(indexed)}"
