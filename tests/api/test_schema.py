"""Requests mean the same in every client: one schema reads them and names what is wrong."""

from __future__ import annotations

from dataclasses import fields

import pytest

from packhound.api.json_codec import query_json, query_of
from packhound.api.pack_codec import pack_request_json
from packhound.api.schema import PACK_REQUEST, QUERY, pack_request_from, query_from
from packhound.core.errors import SettingsError
from packhound.core.settings import DEEP_TIME_MS
from packhound.core.settings_reader import settings_from
from packhound.core.types import Budget, Focus, Query
from packhound.pack.request import PackFocus, PackRequest

QUERIES = [
    Query("door"),
    Query("x", 3, "symbol", ("class", "method"), ("go", "c"), ("src/**",)),
]
PACK_REQUESTS = [
    PackRequest("door"),
    PackRequest("x", 900, 20, None, ("a.py:1-2",), ("*.md",), "gpt", "tiktoken:x", "xml", "c"),
]


def test_every_field_is_defined_once() -> None:
    names = {field.name for field in fields(Query)} - {"text", "budget", "focus", "redacted"}
    assert set(QUERY) == names | {"query", "time_ms", "candidates"}
    assert set(PACK_REQUEST) == {field.name for field in fields(PackRequest)} - {"focus"}


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_survives_the_socket(query) -> None:
    assert query_of(query_json(query)) == query


@pytest.mark.parametrize("request_", PACK_REQUESTS)
def test_a_pack_request_survives_the_socket(request_) -> None:
    assert pack_request_from(pack_request_json(request_)) == request_


@pytest.mark.parametrize("values", [{"time_ms": 50}, {"budget": {"timeMs": 50}}])
def test_the_time_budget_has_two_names(values) -> None:
    query = query_from({"query": "x", **values})
    assert query == Query("x", budget=Budget(time_ms=50))
    assert query_of(query_json(query)) == query
    assert query_from({"query": "x", "budget": {}}) == Query("x")


def test_a_deep_query_has_the_time_that_the_model_takes() -> None:
    assert query_from({"query": "x", "deep": True}).budget.time_ms == DEEP_TIME_MS
    assert query_from({"query": "x", "deep": True, "time_ms": 50}).budget.time_ms == 50
    assert (
        query_from(
            {"query": "x", "deep": True}, settings_from({"search.timeMs": 70})
        ).budget.time_ms
        == 70
    )


def test_null_is_the_default_and_other_keys_are_ignored() -> None:
    focus = Focus("a.py", 3)
    query = query_from(
        {"query": "x", "limit": None, "uri": 5}, settings_from({"search.limit": 7}), focus=focus
    )
    assert query == Query("x", limit=7, focus=focus)
    pack_focus = PackFocus("a.py")
    assert pack_request_from({"prompt": "x"}, focus=pack_focus) == PackRequest(
        "x", focus=pack_focus
    )


@pytest.mark.parametrize(
    ("read", "values", "message"),
    [
        (query_from, {}, "'query' is missing; must be a string"),
        (query_from, {"query": 5}, "'query' is 5; must be a string"),
        (query_from, {"query": "x" * 100_001}, "'query' has 100,001 characters; must have at most"),
        (query_from, {"query": "a\0"}, "'query' contains a NUL character; remove it"),
        (query_from, {"query": "x", "budget": 5}, "'budget' is 5; must be an object"),
        (query_from, {"query": "x", "budget": {"timeMs": 0}}, "between 1 and 60,000"),
        (query_from, {"query": "x", "limit": 0}, "must be a whole number between 1 and 1,000"),
        (query_from, {"query": "x", "mode": "dens"}, "expected one of: hybrid, lexical, dense"),
        (query_from, {"query": "x", "kinds": ["klass"]}, "'kinds' is 'klass'; expected one of"),
        (query_from, {"query": "x", "paths": "a"}, "'paths' is 'a'; must be a list of at most 100"),
        (query_from, {"query": "x", "languages": [["a" * 99]]}, "aaa...; must be a string"),
        (pack_request_from, {"budget": 5}, "'prompt' is missing"),
        (pack_request_from, {"prompt": "x", "budget": 0}, "between 1 and 10,000,000"),
        (
            *(pack_request_from, {"prompt": "x", "budget": 5, "reserve": 6}),
            "'reserve' is 6; must be between 0 and the budget of 5",
        ),
        (
            pack_request_from,
            {"prompt": "x", "format": "pdf"},
            "expected one of: markdown, xml, json",
        ),
    ],
)
def test_what_is_wrong_is_named_with_the_remedy(read, values, message) -> None:
    with pytest.raises(SettingsError) as refusal:
        read(values)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"focus_path": "a/b.py:12"}, Focus("a/b.py", 11)),
        ({"focus_path": "./a/b.py"}, Focus("a/b.py", 0)),
        ({"focus_path": "a/b.py", "focus_line": 3}, Focus("a/b.py", 2)),
        ({"focus_path": ""}, None),
    ],
)
def test_the_focus_of_a_request(values, expected):
    query = query_from({"query": "x", **values})
    assert query.focus == expected
    assert query_of(query_json(query)).focus == expected
