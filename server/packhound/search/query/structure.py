"""Patterns of code with holes in a query: where one begins, and which nodes have its shape."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from textwrap import dedent
from typing import TYPE_CHECKING, NamedTuple

from packhound.core.arrays import Mask
from packhound.core.trace import traced
from packhound.core.types import Explanation, Facet, Hit, Note, Query
from packhound.grep import Place, describe_problem, languages_of
from packhound.index import Snapshot
from packhound.parsing import (
    HOLE,
    LANGUAGES,
    CodePattern,
    PatternProblem,
    language_of,
    open_example,
    read_pattern,
    relax_pattern,
)
from packhound.search.listing import matching_lines
from packhound.search.query.bug_report import is_report
from packhound.search.query.filter_syntax import take_filters
from packhound.search.query.parse import ParsedQuery
from packhound.search.query.word_lists import LANGUAGE_NAMES
from packhound.search.remarks import NoShape

if TYPE_CHECKING:
    from packhound.grep import Grep

_EXPLICIT = re.compile(r"(?<!\S)pattern:\s*(?=\S)")
_FILTER = re.compile(r"(?<!\S)(?:-?path|-?kind|lang|language|tests):[^\s$]+")
_MAX_RELAXED = 5
_MAX_VALUES, _MAX_SHOWN = 50, 3
_ONE_WHOLE = "select one whole expression, statement or definition"
_MAX_LETTERS = 200
"""Letters of a pattern that a note quotes."""
_Matches = Mapping[int, Sequence[Place]]


@dataclass(frozen=True, slots=True)
class Structure:
    """Matches of a pattern in each node id, by line."""

    pattern: CodePattern
    matches: Mapping[int, Sequence[Place]]

    @property
    def node_ids(self) -> frozenset[int]:
        """The nodes that have a match."""
        return frozenset(self.matches)

    @property
    def lines(self) -> Mapping[int, Sequence[int]]:
        """The lines of the matches in each node."""
        return {node_id: [*_by_line(matches)] for node_id, matches in self.matches.items()}

    def facets(self, allowed: Mask) -> tuple[Facet, ...]:
        """Return for each named hole what it is in the allowed nodes, and how often."""
        counts: dict[str, Counter[str]] = {}
        for node_id, matches in self.matches.items():
            for match in matches if allowed[node_id] else ():
                for name, text in match.captures.items():
                    counts.setdefault(name, Counter())[text] += 1
        return tuple(
            Facet(name, tuple(counts[name].most_common(_MAX_VALUES)), len(counts[name]))
            for name in sorted(counts)
        )

    def mark(self, hits: Iterable[Hit]) -> tuple[Hit, ...]:
        """Return hits with their matched lines, by which their explanations begin."""
        return tuple(self._mark(hit) for hit in hits)

    def _mark(self, hit: Hit) -> Hit:
        lines = _by_line(self.matches.get(hit.node.node_id, ()))
        if hit.record or not lines:
            return hit
        explanation = partial(_explain, hit.explanation, lines)
        return replace(hit, matches=tuple(lines.items()), explanation=explanation)


def take_pattern(
    snapshot: Snapshot, query: Query
) -> tuple[Query, CodePattern | None, tuple[str, ...]]:
    """Return the query without the pattern in it, the pattern, and what is wrong with it."""
    if query.like:
        return (query, *_read_example(snapshot, query))
    text = query.text
    explicit = None if query.pattern else _EXPLICIT.search(text)
    if not (query.pattern or explicit or (HOLE.search(text) and not is_report(text))):
        return query, None, ()
    filters = [match[0] for match in _FILTER.finditer(text)]
    text = _FILTER.sub("", text).strip()
    explicit = explicit and _EXPLICIT.search(text)
    words, pattern = (text[: explicit.start()], text[explicit.end() :]) if explicit else ("", text)
    words, pattern = (text, query.pattern) if query.pattern else (words, pattern)
    is_explicit = bool(query.pattern or explicit)
    languages = _languages(snapshot, query)
    read = read_pattern(pattern, languages, is_explicit=is_explicit) if languages else None
    if read and not isinstance(read, PatternProblem):
        start, found = read
        words = words if is_explicit else pattern[:start]
        return replace(query, text=" ".join([*words.split(), *filters])), found, ()
    if not is_explicit and (read is None or not _looks_like_code(pattern)):
        return query, None, ()
    if explicit:  # The operator is no word.
        query = replace(query, text=_EXPLICIT.sub("", query.text, count=1))
    return query, None, (f"{describe_problem(pattern, read)}: it is searched as words",)


def _read_example(snapshot: Snapshot, query: Query) -> tuple[CodePattern | None, tuple[str, ...]]:
    """Return the code that hits are to be like, as a pattern, and what is wrong with it."""
    languages = _languages_like_focus(snapshot, query)
    first, _, rest = query.like.strip().partition("\n")
    # A selection that begins behind the indentation has it from its second line on.
    texts = dict.fromkeys(
        (dedent(query.like).strip(), f"{first}\n{dedent(rest)}".strip(), query.like.strip())
    )
    problem: PatternProblem | None = None
    for text in texts:
        read = read_pattern(text, languages, is_explicit=True)
        if read and not isinstance(read, PatternProblem):
            return replace(read[1], is_example=True), ()
        problem = problem or read
    reason = describe_problem(query.like.strip(), problem)
    return None, (f"{_ONE_WHOLE}: {reason}",)


def _languages_like_focus(snapshot: Snapshot, query: Query) -> list[str]:
    """Return the languages of the grammar that the file is of in which the user is, else all."""
    languages, path = _languages(snapshot, query), query.focus.path if query.focus else ""
    entry = snapshot.files.get(path)
    language = entry.language if entry else language_of(path)
    queries = {row.name: row.queries for row in LANGUAGES}
    return [
        name for name in languages if not language or queries.get(name) == queries.get(language)
    ]


@traced("pattern")
def find_nodes(
    snapshot: Snapshot,
    query: ParsedQuery,
    pattern: CodePattern,
    texts: Grep,
    facets: Sequence[str],
    until: float,
    cancel: threading.Event | None,
) -> tuple[ParsedQuery, Structure, tuple[Note, ...]]:
    """Return the query with the nodes that have the shape of a pattern, which these are, and notes.

    Of the matches only those count whose holes are what `facets` say, each NAME=VALUE.
    """
    finder = _Finder(snapshot, texts, query.globs, query.excluded_globs, until, cancel)
    if pattern.is_example:
        pattern, matches, notes = _find_like(pattern, finder)
    else:
        matches, notes = finder.find(pattern)
        if not matches and not notes:
            pattern, matches, notes = _relax(pattern, finder)
    for facet in facets:
        name, _, value = facet.lstrip("$").partition("=")
        matches = {
            node_id: left_over
            for node_id, each in matches.items()
            if (left_over := [match for match in each if match.captures.get(name) == value])
        }
    structure = Structure(pattern, matches)
    node_ids = structure.node_ids
    query = replace(query, within=node_ids if query.within is None else query.within & node_ids)
    return query, structure, tuple(notes)


class _Finder(NamedTuple):
    """Texts of the files that globs let through, until a time."""

    snapshot: Snapshot
    texts: Grep
    globs: Sequence[str]
    excluded_globs: Sequence[str]
    until: float
    cancel: threading.Event | None

    def find(self, pattern: CodePattern) -> tuple[_Matches, Sequence[Note]]:
        """Return the matches of a pattern by node id, and a note on files that are unread."""
        selected = self.globs, self.excluded_globs
        return self.texts.places_by_node(self.snapshot, pattern, *selected, self.until, self.cancel)


def _find_like(code: CodePattern, finder: _Finder) -> tuple[CodePattern, _Matches, Sequence[Note]]:
    """Return the narrowest pattern of code that is elsewhere too, its matches, and what was done.

    Where no pattern is, the matches are those of the narrowest one: the code itself.
    """
    first: tuple[CodePattern, _Matches] | None = None
    shape_note: Note = f"{_quoted(code)} has no word that other code could have"
    for holes, pattern in open_example(code):
        matches, notes = finder.find(pattern)
        first = first or (pattern, matches)
        with_holes = f"with holes for {holes}" if holes else "as it is"
        if _are_elsewhere(matches, code):
            shape_note = f"these have the shape {_quoted(pattern)}, {with_holes}"
            if pattern is not first[0]:
                shape_note = NoShape(f"{shape_note}; no other code", (_quoted(first[0]),))
            return pattern, matches, [shape_note, *notes]
        if notes:
            return *first, [*([shape_note] if pattern is not first[0] else []), *notes]
        shape_note = NoShape("no other code", (f"{_quoted(pattern)}, {with_holes}",))
    return *(first or (code, {})), [shape_note]


def _are_elsewhere(matches: _Matches, code: CodePattern) -> bool:
    """Return True if not all matches are the code itself."""
    code_lines = [line for each in code.text.splitlines() if (line := " ".join(each.split()))]
    lines = {(node_id, m.line): m.text for node_id, each in matches.items() for m in each}
    return len(lines) > 1 or any(
        not any(line in text for line in code_lines) for text in lines.values()
    )


def _quoted(pattern: CodePattern) -> str:
    text = " ".join(pattern.text.split())
    return f"'{text if len(text) <= _MAX_LETTERS else f'{text[: _MAX_LETTERS - 3]}...'}'"


def _relax(pattern: CodePattern, finder: _Finder) -> tuple[CodePattern, _Matches, Sequence[Note]]:
    """Return the first pattern with one hole more that matches, its matches, and what was done."""
    nothing = NoShape("nothing", (f"'{pattern.text}' ({', '.join(pattern.literals)})",))
    for opened, relaxed in relax_pattern(pattern)[:_MAX_RELAXED]:
        matches, notes = finder.find(relaxed)
        if matches:
            like = f": these have '{relaxed.text}', any code in the place of {opened}"
            return relaxed, matches, [replace(nothing, details=(*nothing.details, like)), *notes]
        if notes:
            return pattern, matches, [nothing, *notes]
    return pattern, {}, [nothing]


def _languages(snapshot: Snapshot, query: Query) -> list[str]:
    """Return the languages in which a pattern is read: those of the most files first."""
    names = [*query.languages]
    for name, value in take_filters(query.text)[1]:
        names += value.split(",") if name == "lang" else []
    names_asked = {LANGUAGE_NAMES.get(name.lower(), name.lower()) for name in names}
    return [
        name
        for name in languages_of(snapshot, snapshot.files)
        if not names_asked or name in names_asked
    ]


def _looks_like_code(text: str) -> bool:
    holes = [*HOLE.finditer(text)]
    return bool(holes) and bool(re.search(r"[(){}\[\]=;<>]", text[holes[0].start() :]))


def _by_line(matches: Iterable[Place]) -> dict[int, str]:
    return {match.line: match.text for match in matches}


def _explain(explain: Callable[[], Explanation], lines: Mapping[int, str]) -> Explanation:
    explanation = explain()
    reasons = (matching_lines([*lines]), *explanation.reasons)
    first = next(iter(lines.values()))
    return explanation._replace(reasons=reasons[:_MAX_SHOWN], line=first)
