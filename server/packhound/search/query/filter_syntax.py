"""Filters in a query: `kind:`, `-kind:`, `path:`, `-path:`, `lang:`, `tests:`, `/regex/`, quotes.

`type:`, `since:`, `before:` and `tag:` hold for all sources, see `scope`.

A filter with an unknown value is left out with a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from packhound.core.records import CODE, Scope
from packhound.core.types import KINDS, TESTS, Kind, Query, Tests
from packhound.search.query.scope import read_scope
from packhound.search.query.word_lists import LANGUAGE_NAMES

_FILTER = re.compile(r"(?<!\S)(-?(?:kind|path)|lang|language|tests|type|since|before|tag):(\S+)")
_FILTERS = ("kind", "path", "lang", "language", "tests", "type", "since", "before", "tag")
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
    return {
        "kinds": _parse_kinds(kinds, filters, "kind", notes),
        "languages": _parse_languages(query.languages, filters),
        "globs": (*query.paths, *_values(filters, "path")),
        "excluded_kinds": _parse_kinds(query.excluded_kinds, filters, "-kind", notes),
        "excluded_globs": (*query.exclude, *_values(filters, "-path")),
        "tests": _parse_tests(query.tests, filters, notes),
        "scope": scope,
    }


def _unknown_filters(text: str) -> list[str]:
    """Return a note on each word that looks like a filter, and is searched as words."""
    names = ", ".join(name for name in _FILTERS if name != "language")
    return [
        f"{name}: is no filter, so it is searched as words; expected one of: {names}"
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
