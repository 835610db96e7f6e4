"""Filters in a query: `kind:`, `-kind:`, `path:`, `-path:`, `lang:`, `tests:`, `/regex/`, quotes.

`type:`, `since:`, `before:` and `tag:` hold for all sources, see `scope`.

A filter with an unknown value is left out with a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from math import inf
from typing import Any

from packhound.core.records import ALL_CODE, CODE, Scope, read_date
from packhound.core.types import KINDS, TESTS, TYPES, Kind, Query, Tests
from packhound.files import without_negated
from packhound.search.query.word_lists import LANGUAGE_NAMES

_FILTER = re.compile(r"(?<!\S)(-?(?:kind|path)|lang|language|tests|type|since|before|tag):(\S+)")
_FILTERS = ("kind", "path", "lang", "language", "tests", "type", "since", "before", "tag")
_TAKEN_BEFORE = ("rev", "deps", "repo", "org", "overlay", "pattern")
"""Filters that are taken out of a query before it is parsed."""
_LIKE_A_FILTER = re.compile(r"(?<!\S)-?([a-z]{3,10}):[^\s:/]\S*")
_OTHERS_FILTERS = frozenset(
    {"author", "branch", "case", "content", "date", "dir", "ext", "extension", "file", "filename"}
    | {"folder", "message", "org", "repo", "rev", "symbol", "user"}
)
"""Filters of other tools."""
_OPERATORS = re.compile(r"\S\s+(AND|OR|NOT)\s+\S|^(NOT)\s+\S")
_GLOB = re.compile(r"(?=.*\*)(?=.*[./\\])(?=.*(?:\w|\*\*))(?!.*\.\*\w)[\w.*?/\\{},-]+")
_LIKE_A_REGEX = re.compile(r"\.\*|\.\+|\\[bdswBDSW]|\[\^?\w-\w\]|\(\?[:i]|\w\|\w")
_CLOSE = 0.75
_QUOTED = re.compile(r"(?<![\w'])\"([^\"\n]{2,120})\"(?!\w)")
_REGEX = re.compile(r"(?<!\S)/(?!\*)((?:[^/\\\n]|\\.)+)/(i?)(?!\S)")
_MAX_WORDS_BESIDE_QUOTES, _MAX_WORDS_OF_LEADING_QUOTE = 2, 3


_OTHER_NAMES = {"reasoning": "skill", "insight": "note"}
"""Names by which types are also known, such as that of procedures in stores of memories."""
_POLITE = (
    r"(?:please|(?:can|could|would) you|i (?:want|need|would like)(?: you)? to|help me(?: to)?)"
)
_TESTS = (
    r"(?:write|add|create|make)(?: (?:an?|some|the|more|new|failing|unit|integration|regression))*"
    r" tests?(?: cases?)? (?:that|which|to|for)(?: (?:checks?|verify|verifies|ensures?|proves?"
    r"|asserts?|shows?|covers?|makes? sure))?(?: (?:that|if|whether))?"
)
_OPTION = (
    r"(?:add|introduce|implement|provide)(?: (?:an?|the|new|command[- ]line|cli|config))*"
    r" (?:option|flag|setting|parameter|switch)s?"
    r" (?:that|which|for|so that|to(?! (?:an?|the|its|this)\b))"
)
"""Not "add a parameter to the query", which some code does."""
_ANSWER = (
    r"(?:explain|describe|tell me|show me|i want to know)(?: to me)?"
    r"(?= (?:how|why|what|where|when|which|who)\b)"
)
_THE_CODE = (
    r" the (?:code|function|method|place|class|part|piece of code) (?:that|which|where|for|to)"
)
_PLACE = rf"(?:find|locate|show me|give me|where is)(?: me)?{_THE_CODE}"
_CHANGE = rf"(?:refactor|debug)(?:{_THE_CODE}|(?= (?:the|how|what|this|our)\b))"
_TOPIC = r"(?=\S+\s+\S|\S*(?:\w_\w|(?-i:[a-z][A-Z])))"
"""Two words, or a name."""
_INSTRUCTION = re.compile(
    rf"(?:(?:{_POLITE}|{_TESTS}|{_OPTION}|{_ANSWER}|{_PLACE}|{_CHANGE}),?\s+)+{_TOPIC}", re.I
)


def take_filters(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the text without its filters, and the name and value of each."""
    filters = _FILTER.findall(text)
    filters = [("lang" if key == "language" else key, value) for key, value in filters]
    return " ".join(_FILTER.sub(" ", text).split()), filters


def take_regexes(text: str) -> tuple[tuple[str, ...], str]:
    """Return the regular expressions between slashes, `/such as this/i`, and the text without."""
    regexes = tuple(f"(?i){regex}" if flag else regex for regex, flag in _REGEX.findall(text))
    return regexes, " ".join(_REGEX.sub(" ", text).split()) if regexes else text


def take_glob(text: str) -> tuple[tuple[str, ...], str]:
    """Return the glob that a query is, such as `src/**/*.go`, and the text without it."""
    return ((text,), "") if _GLOB.fullmatch(text) else ((), text)


def take_quotes(text: str) -> tuple[tuple[str, ...], str]:
    """Return the quoted words that hits must have, and the text without their quotes.

    Quotes within a sentence are part of an error message or an example, and require nothing.
    """
    quoted = tuple(_QUOTED.findall(text))
    if not quoted:
        return (), text
    n_beside = len(_QUOTED.sub(" ", text).split())
    leads = text.startswith('"') and len(quoted[0].split()) <= _MAX_WORDS_OF_LEADING_QUOTE
    required = quoted if leads or n_beside <= _MAX_WORDS_BESIDE_QUOTES else ()
    return required, " ".join(text.replace('"', " ").split())


def filter_fields(
    query: Query, filters: Sequence[tuple[str, str]], notes: list[str]
) -> dict[str, Any]:
    """Return the fields of a parsed query that filter: those of the query and of its text.

    What is wrong with a filter is appended to `notes`.
    """
    scope, problems = read_scope(query, filters)
    notes += problems
    notes += _unknown_filters(query.text)
    notes += _other_syntax(query.text)
    kinds = query.kinds if CODE in scope.types else (*query.kinds, *_kinds_of(scope))
    globs, excluded_globs = without_negated(
        (*query.paths, *_values(filters, "path")), (*query.exclude, *_values(filters, "-path"))
    )
    return {
        "kinds": _parse_kinds(kinds, filters, "kind", notes),
        "languages": _parse_languages(query.languages, filters),
        "globs": globs,
        "excluded_kinds": _parse_kinds(query.excluded_kinds, filters, "-kind", notes),
        "excluded_globs": excluded_globs,
        "tests": _parse_tests(query.tests, filters, notes),
        "scope": scope,
    }


def _unknown_filters(text: str) -> list[str]:
    """Return a note on each word that looks like a filter, and is searched as words."""
    known = [each for each in (*_FILTERS, *_TAKEN_BEFORE) if each != "language"]
    return [
        f"{name}: is no filter, so it is searched as words; expected one of: "
        f"{', '.join(each for each in known if each != name)}"
        for name in dict.fromkeys(_LIKE_A_FILTER.findall(text))
        if name not in _FILTERS
        and (name in _OTHERS_FILTERS or get_close_matches(name, _FILTERS, 1, _CLOSE))
    ]


def _other_syntax(text: str) -> Iterator[str]:
    """Yield a note on what other tools understand, and is searched as words here."""
    for before, first in _OPERATORS.findall(text):
        yield (
            f"{before or first} is searched as a word: hits with more of the words come first, and"
            " -path: and -kind: leave out"
        )
        break
    if _LIKE_A_REGEX.search(text) and not _REGEX.search(text):
        yield "for a regular expression write it between slashes: /such.*as this/"


def _kinds_of(scope: Scope) -> tuple[Kind, ...]:
    """Return the kinds of code among the types that are asked for."""
    return tuple(kind for kind in KINDS if kind in scope.types)


def _values(filters: Iterable[tuple[str, str]], name: str) -> list[str]:
    """Return the values of the filters of one name."""
    return [value for key, value in filters if key == name]


def _parse_kinds(
    fields: tuple[Kind, ...], filters: Iterable[tuple[str, str]], name: str, notes: list[str]
) -> tuple[Kind, ...]:
    """Return the kinds of a query's field and of its filters called `name`."""
    kinds = list(fields)
    for value in _values(filters, name):
        for kind in value.lower().split(","):
            if kind in KINDS:
                kinds.append(kind)
            elif kind:
                notes.append(f"{name}:{kind} is ignored; expected one of: {', '.join(KINDS)}")
    return tuple(dict.fromkeys(kinds))


def _parse_tests(field: Tests, filters: Iterable[tuple[str, str]], notes: list[str]) -> Tests:
    """Return how tests are ranked: by the filter, else by the field."""
    for value in _values(filters, "tests"):
        if value in TESTS:
            field = value
        else:
            notes.append(f"tests:{value} is ignored; expected one of: {', '.join(TESTS)}")
    return field


def _parse_languages(
    fields: tuple[str, ...], filters: Iterable[tuple[str, str]]
) -> tuple[str, ...]:
    """Return the languages of a query's field and of its filters, in their canonical names."""
    names = [part for value in _values(filters, "lang") for part in value.split(",") if part]
    lowered = (name.lower() for name in (*fields, *names))
    return tuple(dict.fromkeys(LANGUAGE_NAMES.get(name, name) for name in lowered))


def read_scope(query: Query, filters: Sequence[tuple[str, str]]) -> tuple[Scope, tuple[str, ...]]:
    """Return what a query's fields and the filters of its text ask for, and what is wrong there.

    A wrong value is left out. Of several dates the narrowest counts.
    """
    if not (filters or query.types or query.since or query.before or query.tags):
        return ALL_CODE, ()
    problems: list[str] = []
    types = _parse_types(_split_values(query.types, filters, "type"), problems)
    since = _parse_dates("since", _split_values((query.since,), filters, "since"), problems)
    before = _parse_dates("before", _split_values((query.before,), filters, "before"), problems)
    tags = dict.fromkeys(tag.lower() for tag in _split_values(query.tags, filters, "tag"))
    scope = Scope(types, max(since, default=-inf), min(before, default=inf), tuple(tags))
    return scope, tuple(problems)


def _split_values(
    fields: Iterable[str], filters: Iterable[tuple[str, str]], name: str
) -> list[str]:
    """Return the values of a query's field and of the filters of a name, separated by commas."""
    joined = (*fields, *(value for key, value in filters if key == name))
    return [part.strip() for value in joined for part in value.split(",") if part.strip()]


def _parse_types(values: Iterable[str], problems: list[str]) -> tuple[str, ...]:
    lower = [value.lower() for value in values]
    names = dict.fromkeys(_OTHER_NAMES.get(name, name) for name in lower)
    problems += (
        f"invalid type '{name:.80}': expected one of: {', '.join(TYPES)}"
        for name in names
        if name not in TYPES
    )
    return tuple(name for name in names if name in TYPES)


def _parse_dates(name: str, values: Iterable[str], problems: list[str]) -> list[float]:
    dates = {value: read_date(value) for value in values}
    problems += (
        f"invalid {name} '{value:.80}': expected a day as YYYY-MM-DD, such as 2025-12-01, or"
        " how long ago, such as 5h, 3d, 2w or 1y"
        for value, date in dates.items()
        if date is None
    )
    return [date for date in dates.values() if date is not None]


def without_instruction(text: str) -> tuple[str, str]:
    """Return what a query is about, and the instruction before it or ''."""
    instruction = _INSTRUCTION.match(text)
    return (text[instruction.end() :], instruction[0].rstrip(" ,")) if instruction else (text, "")
