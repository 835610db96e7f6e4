"""Patterns with holes in a search and in grep: they filter, words rank, holes are facets."""

from __future__ import annotations

import threading

import pytest

from packhound.core.errors import Cancelled, SettingsError
from packhound.core.settings import Settings
from packhound.core.status import Reading
from packhound.core.types import Budget, Document, Query, Results
from packhound.grep import GrepRequest
from packhound.operations import Call, answer, as_text
from packhound.search import so_far
from packhound.service import Roots
from packhound.service.engine import Engine
from tests.support.project import cache, engine, root, write_files

__all__ = ["cache", "engine", "root"]

FILES = {
    "store.py": '''def read_row(path, key):
    """Read one row."""
    if key is None:
        raise StoreError(path)
    return rows[key]


def retry_with_backoff(call):
    """Call again, with a longer pause each time."""
    for pause in (1, 2, 4):
        sleep(pause)
    raise StoreError("gave up")


def parse_number(text):
    raise ValueError(text)
''',
    "send.js": 'function sendMail(order) {\n  throw new TypeError("order");\n}\n',
}


def ask(text: str, **fields: object) -> Query:
    """Return a query with time enough for a busy machine."""
    return Query(text, budget=Budget(60_000), **fields)  # type: ignore[arg-type]


@pytest.fixture
def stored(engine: Engine) -> Engine:
    write_files(engine.root, FILES)
    engine.refresh()
    assert engine.settled(30)
    return engine


def places(results: Results) -> dict[str, list[int]]:
    return {hit.node.name: [line + 1 for line, _ in hit.matches] for hit in results.hits}


def test_a_pattern_alone_lists_what_matches(stored: Engine) -> None:
    results = stored.search(ask("raise $E($$$)"))
    assert places(results) == {"read_row": [4], "retry_with_backoff": [12], "parse_number": [16]}
    assert results.hits[0].explanation().reasons[0] == "1 line matches: 4"
    assert results.hits[0].explanation().line == "raise StoreError(path)"
    assert not results.notes


def test_words_rank_what_the_pattern_lets_through(stored: Engine) -> None:
    results = stored.search(ask("retry with backoff  raise $E($$$)", deep=False))
    assert results.hits[0].node.name == "retry_with_backoff"
    assert "sendMail" not in places(results)
    assert all(places(results).values())


def test_holes_are_facets_that_narrow(stored: Engine) -> None:
    results = stored.search(ask("raise $E($$$)"))
    (facet,) = results.facets
    assert (facet.name, facet.values, facet.n_values) == (
        "E",
        (("StoreError", 2), ("ValueError", 1)),
        2,
    )
    narrowed = stored.search(ask("raise $E($$$)", facets=("E=ValueError",)))
    assert places(narrowed) == {"parse_number": [16]}


@pytest.mark.parametrize(
    "query",
    [
        ask("pattern: throw new $E($M)"),
        ask("", pattern="throw new $E($M)"),
        ask("throw new $E($M) lang:javascript"),
        ask("throw new $E($M)", languages=("javascript",)),
    ],
)
def test_a_pattern_can_be_said_in_several_ways(stored: Engine, query: Query) -> None:
    assert places(stored.search(query)) == {"sendMail": [2]}


def test_filters_count_beside_a_pattern(stored: Engine) -> None:
    assert not stored.search(ask("raise $E($$$) path:web/**")).hits
    assert places(stored.search(ask("raise $E($$$) -path:web/**")))


def test_unsaved_text_counts(stored: Engine) -> None:
    stored.update(Document("store.py", b"def unsaved():\n    raise KeyError(1)\n"))
    assert places(stored.search(ask("raise $E($$$)"))) == {"unsaved": [2]}


def test_what_does_not_parse_says_where_and_is_searched_as_words(stored: Engine) -> None:
    results = stored.search(ask("pattern: raise $E($$$"))
    assert (
        "'raise $E($$$' was taken for a pattern in python, and does not parse at its end: it is"
        " searched as words" in results.notes
    )


def test_the_operator_before_what_does_not_parse_is_no_word(stored: Engine) -> None:
    results = stored.search(ask("lang:python pattern: key int $F($$$ { $$$ }"))
    assert [note for note in results.notes if "taken for a pattern in python" in note]
    # With the operator it was a weak answer: one of four words.
    assert not [note for note in results.notes if "words of the query" in note]


def test_a_lone_variable_is_a_word(stored: Engine) -> None:
    results = stored.search(ask("$HOME"))
    assert not [note for note in results.notes if "pattern" in note]


def test_what_was_not_looked_at_is_said(stored: Engine) -> None:
    results = stored.search(Query("raise $E($$$)", budget=Budget(0.001)))
    assert results.truncated
    assert [note for note in results.notes if "were not looked at" in note]


def test_a_search_can_be_cancelled(stored: Engine) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        stored.search(ask("raise $E($$$)"), cancel)


def test_grep_finds_the_lines_of_a_pattern(stored: Engine) -> None:
    results = stored.grep(GrepRequest("raise $E($$$)", structural=True))
    lines = [line.number + 1 for group in results.groups for line in group.lines]
    assert (lines, results.n_lines, results.n_files) == ([4, 12, 16], 3, 1)
    ranked = stored.grep(GrepRequest("raise $E($$$)", structural=True, query="parse a number"))
    assert ranked.groups[0].node is not None
    assert ranked.groups[0].node.name == "parse_number"


def test_grep_refuses_what_is_no_pattern(stored: Engine) -> None:
    with pytest.raises(SettingsError, match=r"'\$E' was taken for a pattern .* nothing but a hole"):
        stored.grep(GrepRequest("$E", structural=True))


def test_grep_takes_a_pattern_for_one_in_a_language_of_its_files(stored: Engine) -> None:
    with pytest.raises(SettingsError, match="taken for a pattern in javascript, and does not"):
        stored.grep(GrepRequest("throw new $E($$$", structural=True, paths=("*.js",)))
    with pytest.raises(SettingsError, match="taken for a pattern in python, and does not"):
        stored.grep(GrepRequest("throw new $E($$$", structural=True, exclude=("*.js",)))


def test_agents_match_texts_without_secrets(stored: Engine) -> None:
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    write_files(stored.root, {"key.py": f'def key():\n    login("{secret}", 1)\n'})
    stored.refresh()
    assert stored.settled(30)
    query = ask("login($KEY, $$$)", redacted=True)
    assert secret not in str(stored.search(query).facets)
    assert secret in str(stored.search(ask(query.text)).facets)


def test_the_text_of_an_answer_has_the_lines_and_what_the_holes_are(stored: Engine) -> None:
    call = Call(Roots([stored]), Settings())
    text = as_text("search", answer(call, "search", {"query": "raise $E($$$)", "time_ms": 60_000}))
    assert "$E: StoreError 2, ValueError 1" in text.splitlines()
    assert '12\traise StoreError("gave up")' in text.splitlines()


@pytest.mark.parametrize(
    ("query", "relaxed", "opened"),
    [
        ('raise StoreError("lost")', "raise StoreError($_)", '"lost"'),
        ("raise RowError($MESSAGE)", "raise $_($MESSAGE)", "RowError"),
    ],
)
def test_an_empty_answer_opens_one_hole(
    stored: Engine, query: str, relaxed: str, opened: str
) -> None:
    results = stored.search(ask("", pattern=query))
    assert places(results)
    assert results.notes == (
        f"nothing has the shape '{query}' (python): these have '{relaxed}', any code in the place"
        f" of {opened}",
    )


def test_a_pattern_keeps_a_word(stored: Engine) -> None:
    results = stored.search(ask("", pattern="nowhere($$$)"))
    assert not results.hits
    assert (
        results.notes[0] == "nothing has the shape 'nowhere($$$)' (python, typescript, javascript)"
    )


def test_nothing_is_said_of_the_shape_of_what_is_not_read_yet(stored: Engine) -> None:
    answer = so_far(stored.search(ask("", pattern="nowhere($$$)")), Reading(1, 3, True))
    assert answer.notes[0].startswith("nothing read so far has the shape 'nowhere($$$)'")


def test_a_shape_that_is_nowhere_is_said_so(stored: Engine) -> None:
    results = stored.search(ask("while $A: $B = nowhere($C)"))
    assert not results.hits
    assert results.notes[0].startswith(
        "nothing has the shape 'while $A: $B = nowhere($C)' (python)"
    )
