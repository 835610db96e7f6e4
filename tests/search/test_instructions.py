"""What a query asks somebody to do is no topic of it."""

from __future__ import annotations

import pytest

from packhound.core.types import Query
from packhound.search.pipeline import search
from packhound.search.query.parse import parse_query
from tests.support.shop import environment, snapshot


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("write a test that checks that retries stop", "retries stop"),
        ("Please add some unit tests for the cookie jar", "the cookie jar"),
        ("write tests for parse_query", "parse_query"),
        ("add an option to follow links", "follow links"),
        ("I need to add a command line flag that hides output", "hides output"),
        ("explain how sessions are stored", "how sessions are stored"),
        ("can you show me where cookies are kept", "where cookies are kept"),
        ("refactor the code that parses dates", "parses dates"),
        ("refactor the parser of dates", "the parser of dates"),
        ("find the function that parses dates", "parses dates"),
    ],
)
def test_an_instruction_is_no_topic(text: str, topic: str) -> None:
    parsed = parse_query(Query(text))
    assert parsed.text == topic
    assert parsed.notes == (f"searched for what comes after '{text[: -len(topic) - 1]}'",)
    assert not parsed.wants_tests


@pytest.mark.parametrize(
    "text",
    [
        "add a route",
        "add a parameter to the query string",
        "create a test client for an application",
        "show tests for the session",
        "rewrite the path of a link",
        "explain",
        "write a test that fails",
        "how does a session work",
    ],
)
def test_what_code_may_do_is_a_topic(text: str) -> None:
    parsed = parse_query(Query(text))
    assert (parsed.text, parsed.notes) == (text, ())


@pytest.mark.parametrize("topic", ["charge a card again", "where the values of a session are"])
def test_an_instruction_finds_what_its_topic_finds(topic: str) -> None:
    asked, plain = (
        search(snapshot(), Query(text), environment()).hits
        for text in (f"write a test that checks that {topic}", topic)
    )
    assert [(hit.node.qualname, hit.score) for hit in asked] == [
        (hit.node.qualname, hit.score) for hit in plain
    ]
