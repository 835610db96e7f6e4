"""Notes on an answer: that it is weak, and which identifiers of the query are nowhere."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from packhound.core.arrays import contained_in
from packhound.core.records import Scope
from packhound.core.types import Hit, Note, Query
from packhound.index import Snapshot
from packhound.search import remarks
from packhound.search.query.filters import allowed_node_ids
from packhound.search.query.parse import STOPS, ParsedQuery
from packhound.search.query.word_lists import ASKING_WORDS, STOP_WORDS
from packhound.search.retrieve.corpus_stats import CorpusStats
from packhound.search.signals.bloom import LetterFilter
from packhound.search.signals.context import SignalContext
from packhound.search.symbols import rank_symbols
from packhound.text import aggressive_stem, fold_identifier, runs, terms, terms_of_run

if TYPE_CHECKING:
    from packhound.grep import Grep

_MAX_NAMES = 2
"""Names that are nowhere of which there is a note; one beside the note of a weak answer."""
_MOST_WORDS, _SHORTEST_STEM = 5, 4
"""Words of a question of which those that are nowhere are told; letters of a stem at least."""
_ENDINGS = ("ing", "ings", "ion", "ions", "ation", "ations", "ment", "ness", "able", "ity")
"""Endings of which a part may be typed behind a stem."""
_ASIDE = STOP_WORDS | ASKING_WORDS
"""Words that do not count in it."""
_MAX_SUGGESTIONS = 3
_MAX_COMPARED = 64
"""Names whose edit distance is computed: those that share the most letters."""
_MIN_LENGTH, _LETTERS_PER_EDIT = 4, 4


_FILTERS = {
    "kinds": "kind:",
    "languages": "lang:",
    "globs": "path:",
    "excluded_kinds": "-kind:",
    "excluded_globs": "-path:",
}
NO_WORDS = "the query has no words: give a word, a name, or a filter such as kind:class"
SIGNS_ALONE = "signs alone are found by `grep`, and the name of an operator by `symbol`"
STOP_WORDS_ALONE = "these words are everywhere: add a name, or a word of what the code does"
_WORD = re.compile(r"\w{4,}")
_MAX_WORDS = 3
Count = Callable[[ParsedQuery], int]
"""Return how many nodes match a query."""


def with_name_notes(
    notes: Sequence[Note], context: SignalContext, texts: Grep | None
) -> list[Note]:
    """Return notes with one for each identifier that is nowhere, or one for the plain words.

    One that is in a file, but in no node, as in a licence, has a note with its place.
    """
    notes = list(notes)
    names = context.unknown_names[:_MAX_NAMES]
    words = [] if names else _missing_words(context)
    places = {w: texts.place_of_word(context.snapshot, w) if texts else "" for w in names + words}
    notes += [remarks.InNoNode(w, (place,)) for w, place in places.items() if place]
    names, words = ([w for w in each if places[w] == ""] for each in (names, words))
    if words and len(context.candidates):
        *earlier, last = (f"`{word}`" for word in words)
        listed = f"{', '.join(earlier)} and {last} are" if earlier else f"{last} is"
        notes.append(remarks.Absent(listed))
    for name in names:
        # A search by name has said them already.
        notes = [n for n in notes if not (isinstance(n, remarks.Spelling) and n.subject == name)]
        nearest = nearest_names(context.snapshot, context.stats.letters, name)
        notes.append(remarks.Absent(f"`{name}` is", remarks.listed(nearest, "; did you mean: ")))
    return notes


def _missing_words(context: SignalContext) -> list[str]:
    """Return the plain words of a short question that no text has, in any form, and no path."""
    matches = dict(zip(context.query.terms, context.retrieval.matches.terms, strict=True))
    words = dict.fromkeys(run for run in runs(context.query.text) if run.lower() not in _ASIDE)
    missing = []
    for word in words if len(words) <= _MOST_WORDS else ():
        stems = terms_of_run(word) if word.isalpha() else []
        match = matches.get(stems[0]) if len(stems) == 1 else None
        if match and not len(match.nodes[0]) and not len(match.in_paths):
            forms = {stems[0], aggressive_stem(stems[0])}
            # Half a word has another stem than the whole: growi, growing; stoppi, stopping.
            cuts = range(_SHORTEST_STEM, len(word))
            ends = ((word[:n].lower(), word[n:].removeprefix(word[n - 1])) for n in cuts)
            starts = (start for start, end in ends if any(e.startswith(end) for e in _ENDINGS))
            is_there = any(map(context.snapshot.terms.any_contains, forms)) or any(
                len(context.snapshot.postings(start).node_ids) for start in starts
            )
            missing += [] if is_there else [word]
    return missing


def nearest_names(snapshot: Snapshot, letter_filter: LetterFilter, name: str) -> list[str]:
    """Return the live names within few edits of `name`, case and underscores aside; best first."""
    folded = fold_identifier(name)
    max_edits = len(folded) // _LETTERS_PER_EDIT
    if len(folded) < _MIN_LENGTH:
        return []
    letters, names = frozenset(folded), snapshot.name_table.names
    candidates = letter_filter.match_near(names, folded, max_edits, _MAX_COMPARED).tolist()
    likely = (
        (len(letters ^ set(fold_identifier(other))), other)
        for other in map(names.__getitem__, candidates)
    )
    compared = (
        (edit_distance(folded, fold_identifier(other), max_edits), other)
        for _, other in heapq.nsmallest(_MAX_COMPARED, likely)
    )
    near = sorted(pair for pair in compared if pair[0] <= max_edits)
    live = (other for _, other in near if len(snapshot.node_ids_named(other)))
    return [other for other, _ in zip(live, range(_MAX_SUGGESTIONS), strict=False)]


def edit_distance(first: str, second: str, max_edits: int) -> int:
    """Return the optimal string alignment distance, or `max_edits` + 1 if it is above.

    Insertions, deletions, substitutions and swaps of neighbours each count one (Damerau 1964).
    `first` is not empty. Bit i of a number is the row of `first[i]` in the table of distances, of
    which each column is a few operations (Hyyrö, *A Bit-Vector Algorithm for Computing Levenshtein
    and Damerau Edit Distances*, 2003).
    """
    ones, last = (1 << len(first)) - 1, 1 << len(first) >> 1
    rows_of: dict[str, int] = {}
    for row, letter in enumerate(first):
        rows_of[letter] = rows_of.get(letter, 0) | 1 << row
    # Rows where the distance is one more or less than in the row above; where it is as in the
    # column and row before; where the letters are equal in the column before.
    more, less, same, equal_before = ones, 0, 0, 0
    distance = len(first)
    for letter in second:
        equal = rows_of.get(letter, 0)
        swapped = (~same & equal) << 1 & equal_before
        same = (((equal & more) + more) ^ more | equal | less | swapped) & ones
        rises, falls = less | (ones & ~(same | more)), same & more
        distance += bool(rises & last) - bool(falls & last)
        rises = rises << 1 | 1
        more, less = falls << 1 | (ones & ~(same | rises)), rises & same
        equal_before = equal
    return min(distance, max_edits + 1)


def with_weak_note(
    notes: Sequence[Note], context: SignalContext | None, hits: Sequence[Hit]
) -> list[Note]:
    """Return notes behind the one that says why the answer is weak.

    That no hit has a word is not said of the folder again, and one name that is nowhere is enough.
    """
    names = [note for note in notes if isinstance(note, remarks.Absent)]
    others = [note for note in notes if note not in (remarks.NO_WORD, *names[1:])]
    return [_weak_note(context, hits), *others]


def _weak_note(context: SignalContext | None, hits: Sequence[Hit]) -> remarks.Weak:
    """Return why an answer is weak: how many words of the query one of its hits has at most.

    It has an identifier that is written as one word, or with all of its parts.
    """
    if context is None or not context.query.terms:
        return remarks.Weak("nothing is close to the query")
    node_ids = np.array([hit.node.node_id for hit in hits], np.int32)
    has = {
        term: contained_in(node_ids, match.nodes[0])
        for term, match in zip(context.query.terms, context.retrieval.matches.terms, strict=True)
        if term not in STOPS
    }
    words = dict.fromkeys(tuple(terms_of_run(run)) for run in runs(context.query.text))
    by_word = [[has[term] for term in word] for word in words if word and has.keys() >= {*word}]
    covered = [full | np.logical_and.reduce(parts or [full]) for *parts, full in by_word]
    n_covered = int(np.max(sum(covered), initial=0))
    if not n_covered and any(map(np.any, has.values())):
        return remarks.Weak("no hit has more than a part of a word of the query")
    if not n_covered:
        return remarks.NO_HIT_HAS_A_WORD
    if n_covered == len(covered):
        return remarks.Weak("its words are there, but nothing is close to what they say")
    number = "one" if n_covered == 1 else str(n_covered)
    return remarks.Weak(f"no hit has more than {number} of the {len(covered)} words of the query")


def no_match_notes(context: SignalContext) -> Iterator[Note]:
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
) -> Iterator[Note]:
    """Yield that no name matches, and what to change."""
    yield "no name matches"
    yield from _dropped_filters(
        query, lambda relaxed: rank_symbols(snapshot, stats, relaxed, 0, root)[1]
    )
    for pattern in query.patterns[:_MAX_WORDS]:
        yield from _spellings(snapshot, stats, pattern.text)


def no_listing_notes(snapshot: Snapshot, stats: CorpusStats, query: ParsedQuery) -> Iterator[Note]:
    """Yield why nothing passes the filters of a query, and what to change."""

    def count(relaxed: ParsedQuery) -> int:
        allowed = allowed_node_ids(snapshot, stats, relaxed)
        return snapshot.n_nodes if allowed is None else int(np.count_nonzero(allowed))

    yield _no_match(snapshot, query)
    yield from _dropped_filters(query, count)


def _dropped_filters(query: ParsedQuery, count: Count) -> Iterator[Note]:
    """Yield for each filter how many nodes match without it, if any."""
    for field, prefix in _FILTERS.items():
        values = getattr(query, field)
        dropped: dict[str, Any] = {field: ()}
        if values and (n := count(replace(query, **dropped))):
            yield remarks.Relaxed(" ".join(prefix + value for value in values), (f"{n:,}",))
    if query.scope.is_dated and (n := count(replace(query, scope=_without_dates(query.scope)))):
        yield remarks.Relaxed("since: and before:", (f"{n:,}",))
    if query.scope.tags:
        yield "code has no tags: add type:note, or another type, to search what has"
    default = Query("").tests
    if query.tests != default and (n := count(replace(query, tests=default))):
        yield remarks.Relaxed(f"tests:{query.tests}", (f"{n:,}",))


def _without_dates(scope: Scope) -> Scope:
    return scope._replace(since=-inf, before=inf)


def _spellings(snapshot: Snapshot, stats: CorpusStats, word: str) -> Iterator[remarks.Spelling]:
    """Yield the names that are written nearly like a word."""
    if nearest := nearest_names(snapshot, stats.letters, word):
        yield remarks.Spelling(word, remarks.listed(nearest))


def _no_match(snapshot: Snapshot, parsed: ParsedQuery) -> Note:
    """Return why nothing matches: an empty index, no language, no letter, or the words."""
    if not snapshot.files:
        return "no file is indexed"
    indexed = sorted({entry.language.lower() for entry in snapshot.files.values()})
    if not parsed.languages or not set(parsed.languages).isdisjoint(indexed):
        if parsed.text and not re.search(r"\w", parsed.text):
            return SIGNS_ALONE
        return remarks.NothingMatches()
    return remarks.NoLanguage(", ".join(parsed.languages), remarks.listed(indexed))
