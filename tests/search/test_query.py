from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhound.core.types import Query
from packhound.search.query.parse import parse_query
from packhound.text.tokenizer import terms

REPORT = """Session is lost after `save()` when shop/session.py is reloaded

Calling `Session.load` twice fails.

Traceback (most recent call last):
  File "/srv/shop/session.py", line 7, in load
    return self.store.get(unsign(cookie))
KeyError: 'missing_key'
"""


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Session", "symbol"),
        ("Sinatra::Base", "symbol"),
        ("store.get", "symbol"),
        ("'exact", "symbol"),
        ("JSON response rendering", "phrase"),
        ("how sessions are kept", "prose"),
        (REPORT, "report"),
        ("", "phrase"),
    ],
)
def test_kind(text: str, kind: str) -> None:
    assert parse_query(Query(text)).kind == kind


def test_filters_leave_the_text() -> None:
    parsed = parse_query(Query('sessions kind:class,method lang:c++ path:src/** "in store"'))
    assert parsed.text == "sessions in store"
    assert parsed.kinds == ("class", "method")
    assert parsed.languages == ("cpp",)
    assert parsed.globs == ("src/**",)
    assert parsed.exact == ("in store",)


def test_an_unknown_kind_is_a_note() -> None:
    parsed = parse_query(Query("session kind:klass"))
    assert parsed.kinds == ()
    assert "kind:klass is ignored; expected one of: function" in parsed.notes[0]


@pytest.mark.parametrize("name", ["kinds", "paths", "file", "test", "author", "rev"])
def test_what_looks_like_a_filter_and_is_none_is_a_note(name: str) -> None:
    (note,) = parse_query(Query(f"session {name}:store")).notes
    assert note.startswith(f"{name}: is no filter, so it is searched as words; expected one of:")


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("retry OR timeout", "OR is searched as a word"),
        ("NOT retry", "NOT is searched as a word"),
        ("handle.*Error", "for a regular expression write it between slashes"),
        (r"\bretry\b", "for a regular expression write it between slashes"),
    ],
)
def test_what_other_tools_understand_is_a_note(text: str, note: str) -> None:
    assert [each for each in parse_query(Query(text)).notes if each.startswith(note)]


@pytest.mark.parametrize("text", ["*.py", "src/**/test_*.go", "lib/*"])
def test_a_glob_alone_is_a_filter(text: str) -> None:
    parsed = parse_query(Query(text))
    assert (parsed.text, parsed.globs, parsed.notes) == ("", (text,), ())


def test_signs_alone_are_no_glob() -> None:
    assert parse_query(Query("*/")).globs == ()


@pytest.mark.parametrize("text", ["a * b", "items.*", "this or that", "printf(%s)", "$price"])
def test_what_may_be_code_is_searched_as_it_is(text: str) -> None:
    parsed = parse_query(Query(text))
    assert parsed.text or parsed.globs == (text,)
    assert not [note for note in parsed.notes if "word:" in note]


@pytest.mark.parametrize("text", ["/* a comment */", "/** @param {string} name */"])
def test_a_comment_is_no_regular_expression(text: str) -> None:
    assert not parse_query(Query(text)).regexes


@pytest.mark.parametrize("text", ["std::vector", "file:///tmp/a", "error: disk full", "a:b todo:x"])
def test_other_colons_are_no_filters(text: str) -> None:
    assert not parse_query(Query(text)).notes


@pytest.mark.parametrize(
    ("text", "operator", "name"),
    [
        ("'Router", "exact", "Router"),
        ("^Rou", "prefix", "Rou"),
        ("ter$", "suffix", "ter"),
        ("rtr", "fuzzy", "rtr"),
    ],
)
def test_symbol_operators(text: str, operator: str, name: str) -> None:
    (pattern,) = parse_query(Query(text, mode="symbol")).patterns
    assert (pattern.operator, pattern.text) == (operator, name)


def test_stop_words_are_dropped_from_prose_only() -> None:
    assert "how" not in parse_query(Query("how the session is kept")).terms
    assert "the" in parse_query(Query("the session")).terms


def test_names_and_their_owners() -> None:
    parsed = parse_query(Query("Session.load and parse_price for the basket"))
    assert set(parsed.names) == {"Session", "load", "parse_price"}
    assert parsed.qualified == (("Session", "load"),)


def test_terms_of_a_report_come_in_the_order_of_its_text() -> None:
    report = "alpha beta gamma delta epsilon\n" + "zeta\nalpha\neta\ntheta\niota"
    actual = parse_query(Query(report)).terms
    assert actual == tuple(terms("zeta alpha eta theta iota beta gamma delta epsilon"))


def test_a_report_names_places() -> None:
    parsed = parse_query(Query(REPORT))
    assert "shop/session.py" in parsed.paths
    assert [(f.path, f.function) for f in parsed.frames] == [("/srv/shop/session.py", "load")]
    assert {"save", "load", "missing_key", "Session"} <= set(parsed.names)
    assert parsed.kinds == parsed.globs == parsed.exact == ()


def test_tests_are_wanted_when_named() -> None:
    assert parse_query(Query("tests of the session")).wants_tests
    assert not parse_query(Query("latest session")).wants_tests


@given(st.text(max_size=200), st.sampled_from(["hybrid", "symbol"]))
def test_nothing_raises(text: str, mode: str) -> None:
    parsed = parse_query(Query(text, mode=mode))  # type: ignore[arg-type]
    assert len(parsed.terms) == len(parsed.weights) == len(set(parsed.terms))


HOSTILE = """
from packhound.search.query.parse import parse_query
from packhound.core.types import Query

for unit in (" ", "\\n", "a0", "a/", "x-", "`", "a."):
    for first in ("    a", "\\n```", "at "):
        parse_query(Query(first + 20_000 // len(unit) * unit))
"""


def test_no_query_is_read_for_ever() -> None:
    # A pattern that goes back and forth would need minutes, and hold the interpreter meanwhile.
    subprocess.run([sys.executable, "-c", HOSTILE], check=True, timeout=100)
