"""No tool's text is longer than its caller allows, by the bound that packs use."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packhound.core.types import Document
from packhound.llm import counter_for
from packhound.operations import select_operations
from packhound.operations.text import Text
from packhound.service.snippets import choose_lines
from tests.support.operations import as_text, call

lines = st.text(max_size=200)
units = st.lists(st.lists(lines, min_size=1, max_size=3).map("\n".join), max_size=20)


@given(st.lists(lines, max_size=3), units, st.lists(lines, max_size=3), st.integers(100, 2_000))
@settings(max_examples=200)
def test_no_answer_is_longer_than_it_may_be(head, units, notes, max_tokens):
    text = Text(head, units, "hits", notes, offset=7, has_more=True).fit(max_tokens)
    assert counter_for().count(text) <= max_tokens


def test_what_did_not_fit_is_counted_and_the_next_offset_continues_there():
    units = [f"unit {n} of this answer, which is some words long" for n in range(60)]
    text = Text(["head"], units, "hits", offset=40).fit(200)
    n_units = sum(line.startswith("unit") for line in text.splitlines())
    assert 5 < n_units < 60
    assert text.splitlines()[-2:] == [
        f"note: {60 - n_units} more hits did not fit into max_tokens",
        f"more from offset {40 + n_units}",
    ]


CALLS = (
    ("search", {"query": "crate of apples", "limit": 50, "snippet_lines": 30}),
    ("related", {"path": "crates/crate_1.py:1", "limit": 50, "snippet_lines": 30}),
    ("outline", {"path": "crates", "limit": 1_000}),
    ("read_node", {"path": "crates/crate_0.py"}),
)


@pytest.fixture(scope="module")
def crates(engine):
    paths = [f"crates/crate_{n}.py" for n in range(40)]
    for n, path in enumerate(paths):
        body = "".join(f"    apples_{line} = crate[{line}] + {n}\n" for line in range(60))
        engine.update(Document(path, f"def crate_{n}(crate):\n{body}    return crate\n".encode()))
    assert engine.settled(30)
    yield
    for path in paths:
        engine.release(path)


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
@pytest.mark.parametrize("max_tokens", [100, 300, 1_000])
def test_each_tool_keeps_to_its_limit_and_uses_it(engine, crates, tool, arguments, max_tokens):
    arguments = {**arguments, "max_tokens": max_tokens}
    n_tokens = counter_for().count(as_text(tool, call(engine, tool, arguments), arguments))
    assert n_tokens <= max_tokens
    if max_tokens == 1_000:
        assert n_tokens > 300


def test_a_long_word_leaves_room_for_what_is_found(engine, crates):
    arguments = {"query": f"crate {'x' * 5_000}", "max_tokens": 1_000}
    text = as_text("search", call(engine, "search", arguments), arguments)
    assert "crates/crate_" in text and "more characters)" in text


@pytest.mark.parametrize("budget", [200, 600, 2_000])
def test_a_pack_with_its_notes_keeps_to_its_budget(engine, crates, budget):
    arguments = {"prompt": "a crate of apples", "budget": budget, "pinned": ["nowhere.py"]}
    text = as_text("pack", call(engine, "pack", arguments), arguments)
    assert counter_for().count(text) <= budget
    assert "note: pinned 'nowhere.py' is no indexed file, so it is ignored" in text


def test_pages_cut_by_tokens_join_to_the_whole(engine, crates):
    arguments = {"path": "crates/crate_0.py", "max_tokens": 200}
    offset, numbers = 0, []
    while True:
        page = {**arguments, "offset": offset}
        heading, *rest = as_text("read_node", call(engine, "read_node", page), page).splitlines()
        assert heading.startswith("crates/crate_0.py:1-62 ")
        numbers += [int(line.partition("\t")[0]) for line in rest if "\t" in line]
        if not rest[-1].startswith("more from offset "):
            break
        offset = int(rest[-1].rpartition(" ")[2])
    assert numbers == list(range(1, 63))


def test_every_tool_that_may_be_long_has_a_limit():
    for tool in select_operations(["default", "memory", "skills", "episodes", "explain"]):
        names = {field.name for field in msgspec.structs.fields(tool.request)}
        assert tool.writes or {"max_tokens", "budget"} & names, tool.name


SOURCE = '''def fetch(url, tries):
    """Fetch a page.

    Waits longer after each failure (exponential backoff).
    """
    session = open_session()
    for attempt in range(tries):
        pause(attempt)
    return session.get(url)
'''.splitlines()


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        # A word of the code, its line; the rest is the code below it.
        ({"attempt"}, [0, 6, 7, 8]),
        ({"session", "url"}, [0, 5, 6, 7]),
        # A word that only the comment has.
        ({"backoff"}, [0, 3, 5, 6]),
        ({"nowhere"}, [0, 5, 6, 7]),
    ],
)
def test_comments_are_shown_only_where_nothing_else_matches(terms, expected):
    numbered = dict(enumerate(SOURCE))
    assert list(choose_lines(numbered, 4, frozenset(terms), 0, range(1, 5))) == expected
