"""Notes on an answer: that it is weak, and which identifiers of the query are nowhere."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

import numpy as np

from packhound.core.arrays import contained_in
from packhound.core.records import Scope
from packhound.core.status import BINARY_BY_NAME, LeftOut, Reading
from packhound.core.types import Explanation, Hit, Query, Results
from packhound.index import Snapshot
from packhound.search.query.filters import allowed_node_ids
from packhound.search.query.parse import STOPS, ParsedQuery
from packhound.search.query.word_lists import ASKING_WORDS, STOP_WORDS
from packhound.search.retrieve.corpus_stats import CorpusStats
from packhound.search.run import MORE_TIME, STOPPED_NOTE
from packhound.search.signals.bloom import LetterFilter
from packhound.search.signals.context import SignalContext
from packhound.search.symbols import rank_symbols
from packhound.text import aggressive_stem, fold_identifier, runs, terms, terms_of_run

WEAK_NOTE = "weak answer: "
"""The first note of a weak answer begins with this."""

NO_SHAPE = "nothing has the shape "
"""The note of a pattern that nothing matches begins with this."""
NO_OTHER = "no other code has the shape "
"""The note of code that nothing else is like begins with this."""
_NOT_HERE = " not in this folder"
NO_FILE_NOTE = "no indexed file has the path "
NO_WORD_NOTE = "no word of the query is in the index: ranked by meaning alone"
_NO_WORD_NOTES = (NO_WORD_NOTE, f"{WEAK_NOTE}no hit has a word of the query")
NOTHING_MATCHES = "nothing matches"
NO_LANGUAGE_NOTE = "no file here is in "
_MISSING_IN_FOLDER = (NO_WORD_NOTE, NOTHING_MATCHES, NO_LANGUAGE_NOTE, NO_FILE_NOTE)
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


def with_name_notes(notes: Sequence[str], context: SignalContext) -> list[str]:
    """Return notes with one for each identifier that is nowhere, or one for the plain words."""
    notes = list(notes)
    words = [] if context.unknown_names else _missing_words(context)
    if words and len(context.candidates):
        *earlier, last = (f"`{word}`" for word in words)
        listed = f"{', '.join(earlier)} and {last} are" if earlier else f"{last} is"
        notes.append(f"{listed}{_NOT_HERE}")
    for name in context.unknown_names[:_MAX_NAMES]:
        # A search by name has said them already.
        notes = [note for note in notes if not note.startswith(f"for `{name}`, ")]
        nearest = nearest_names(context.snapshot, context.stats.letters, name)
        hint = f"; did you mean: {', '.join(nearest)}" if nearest else ""
        notes.append(f"`{name}` is{_NOT_HERE}{hint}")
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


def merge_notes(word: object, answers: Sequence[Sequence[str]]) -> dict[str, None]:
    """Return the distinct notes of several folders' answers to one query, given those of each.

    Those of a weak answer are left out where `word` says that the whole is not weak, those of
    names, words or files that are not in one folder where another has them, and those with which
    another begins.
    """
    missing = [{_missing_name(note) for note in notes} for notes in answers]
    missing_in_all = set.intersection(*missing) if missing else set()
    merged = {
        note: None
        for notes in answers
        for note in notes
        if (word == "weak" or not note.startswith(WEAK_NOTE))
        and (not _missing_name(note) or _missing_name(note) in missing_in_all)
    }
    said = [*merged]
    return {n: None for n in said if not any(o.startswith(n) and o != n for o in said)}


def so_far(results: Results, reading: Reading) -> Results:
    """Return an answer that claims nothing of files that are not read yet.

    Until all are, no name is said to be nowhere, and nobody knows how good the hits are.
    """
    if reading.is_complete:
        return results
    return replace(
        results,
        hits=tuple(
            replace(hit, confidence=None, explanation=partial(_explain_so_far, hit.explanation))
            for hit in results.hits
        ),
        notes=tuple(
            note.replace(NO_SHAPE, "nothing read so far has the shape ").replace(
                NO_OTHER, "no other code read so far has the shape "
            )
            for note in results.notes
            if not (note.startswith(WEAK_NOTE) or _missing_name(note))
        ),
        confidence=None,
        confidence_word=None,
        reading=reading,
    )


def without_files(results: Results, paths: Collection[str]) -> Results:
    """Return an answer without the hits in files that have changed since they were read."""
    hits = [hit for hit in results.hits if hit.record or hit.node.path not in paths]
    n_left_out = len(results.hits) - len(hits)
    if not n_left_out:
        return results
    noun = "hit is" if n_left_out == 1 else "hits are"
    note = f"{n_left_out} {noun} left out, in files that have changed and are not read again yet"
    ranked = tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, results.hits[0].rank))
    return replace(results, hits=ranked, notes=(*results.notes, note))


def as_far_as_searched(results: Results, left_out: LeftOut) -> Results:
    """Return an answer that denies no word of what it does not know without saying so.

    It says how many files were not or not wholly searched, and that those binary by name were not.
    """
    denials = [note for note in results.notes if _NOT_HERE in note or note in _NO_WORD_NOTES]
    if not denials:
        return results
    counts = left_out.counts.items()
    n_texts = sum(n for reason, n in counts if reason != BINARY_BY_NAME)
    notes, denial = results.notes, _NOT_HERE
    if n_texts:
        noun = "file is" if n_texts == 1 else "files are"
        how_many = f"{n_texts:,} {noun} not or not wholly searched"
        denial += f", of which {how_many}"
        notes = tuple(f"{n}; {how_many}" if n in _NO_WORD_NOTES else n for n in notes)
    if BINARY_BY_NAME in left_out.counts:
        denial += ", binary files aside"
    return replace(results, notes=tuple(note.replace(_NOT_HERE, denial) for note in notes))


def without_denials(results: Results) -> Results:
    """Return an answer that holds a file nobody has read: its name is there, no word of it known.

    How sure the answer is does not say anything of such a file, so none is said where it is first.
    """
    notes = [note for note in results.notes if not _missing_name(note)]
    if not results.hits[0].unread:
        return replace(results, notes=tuple(notes))
    said = (WEAK_NOTE, NOTHING_MATCHES, NO_WORD_NOTE)
    notes = [note for note in notes if not note.startswith(said)]
    return replace(results, notes=tuple(notes), confidence=None, confidence_word=None)


def caveats_in(notes: Iterable[str]) -> list[str]:
    """Return the notes that say an answer is cut short or weak, or what of the query is nowhere."""
    said = (STOPPED_NOTE, WEAK_NOTE)
    caveats = [note for note in notes if note.startswith(said) or _missing_name(note)]
    return [caveat.removesuffix(f": {MORE_TIME}") for caveat in caveats]


def _missing_name(note: str) -> str:
    """Return what a note says is nowhere in the folder, else nothing."""
    name, separator, _ = note.partition(_NOT_HERE)
    return name if separator else next(filter(note.startswith, _MISSING_IN_FOLDER), "")


def _explain_so_far(explain: Callable[[], Explanation]) -> Explanation:
    """Return an explanation whose counts of places are of what was read."""
    explanation = explain()
    reasons = explanation.reasons
    counted = [f"so far {r}" if r.startswith(("the only place", "one of ")) else r for r in reasons]
    return explanation._replace(reasons=tuple(counted))


def with_weak_note(
    notes: Sequence[str], context: SignalContext | None, hits: Sequence[Hit]
) -> list[str]:
    """Return notes behind the one that says why the answer is weak.

    That no hit has a word is not said of the folder again, and one name that is nowhere is enough.
    """
    names = [note for note in notes if _NOT_HERE in note]
    others = [note for note in notes if note not in (NO_WORD_NOTE, *names[1:])]
    return [_weak_note(context, hits), *others]


def _weak_note(context: SignalContext | None, hits: Sequence[Hit]) -> str:
    """Return why an answer is weak: how many words of the query one of its hits has at most.

    It has an identifier that is written as one word, or with all of its parts.
    """
    if context is None or not context.query.terms:
        return WEAK_NOTE + "nothing is close to the query"
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
        return f"{WEAK_NOTE}no hit has more than a part of a word of the query"
    if not n_covered:
        return _NO_WORD_NOTES[1]
    if n_covered == len(covered):
        return WEAK_NOTE + "its words are there, but nothing is close to what they say"
    number = "one" if n_covered == 1 else str(n_covered)
    return f"{WEAK_NOTE}no hit has more than {number} of the {len(covered)} words of the query"


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
    """Return why nothing matches: an empty index, no language, no letter, or the words."""
    if not snapshot.files:
        return "no file is indexed"
    indexed = sorted({entry.language.lower() for entry in snapshot.files.values()})
    if not parsed.languages or not set(parsed.languages).isdisjoint(indexed):
        if parsed.text and not re.search(r"\w", parsed.text):
            return SIGNS_ALONE
        return NOTHING_MATCHES
    languages = ", ".join(parsed.languages)
    return f"{NO_LANGUAGE_NOTE}'{languages}'; languages here: {', '.join(indexed)}"
