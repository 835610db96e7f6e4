"""Requests mean the same at every front: one struct reads them and names what is wrong."""

from __future__ import annotations

from dataclasses import fields, replace

import msgspec
import pytest

from packhound.core.errors import SettingsError
from packhound.core.settings import DEEP_TIME_MS
from packhound.core.settings_reader import changed
from packhound.core.typed import fields_of, kind_of
from packhound.core.types import TYPES, Budget, Query
from packhound.operations import OPERATIONS, make_pack, query_of
from packhound.operations.registry import read_request
from packhound.operations.search import OPTIONS, Search
from packhound.pack.request import PackRequest
from tests.support.operations import call_of

OF_AN_ANSWER = {"also", "offset", "explain", "max_tokens", "focus_path", "focus_line"}


def query(engine, **values):
    """Return the query of a person's request."""
    call = call_of(engine, is_agent=False)
    return query_of(call, read_request("search", {"query": "x", **values}))[0]


def field_names(name: str) -> set[str]:
    return {field.name for field in msgspec.structs.fields(OPERATIONS[name].request)}


def test_every_field_of_a_query_and_a_pack_can_be_asked_for():
    inner = {"text", "budget", "focus", "redacted", "overlapping"}
    of_query = {field.name for field in fields(Query)} - inner
    of_query |= {"query", "time_ms", "candidates", "source_candidates", "remotes"}
    assert field_names("search") == of_query | OF_AN_ANSWER
    of_pack = {field.name for field in fields(PackRequest)} - {"focus", "excluded"} | {"exclude"}
    focus = {"focus_path", "focus_line", "focus_lines", "open_paths", "explain"}
    assert field_names("pack") == of_pack | focus


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_an_option_of_a_search_reaches_its_query_as_it_is(engine, name):
    kind = kind_of(fields_of(Search)[name].type)
    items = kind_of(kind.items) if kind.items else None
    values = {bool: not fields_of(Search)[name].default, int: 3, float: 0.5, str: "1y"}
    value = kind.choices[-1] if kind.choices else values.get(kind.type)
    if items:
        value = (items.choices[-1] if items.choices else TYPES[-1],)
    assert getattr(query(engine, **{name: value}), name) == value


def test_a_deep_query_has_the_time_that_the_model_takes(engine):
    assert query(engine, deep=True).budget.time_ms == DEEP_TIME_MS
    assert query(engine, deep=False).budget.time_ms == Budget().time_ms
    assert query(engine, deep=True, time_ms=50).budget.time_ms == 50
    call = call_of(engine)
    hurried = replace(call, settings=changed(call.settings, {"search.timeMs": 70}))
    assert query_of(hurried, read_request("search", {"query": "x"}))[0].budget.time_ms == 70


def test_null_is_the_default_and_the_setting_says_the_limit(engine):
    call = call_of(engine)
    call = replace(call, settings=changed(call.settings, {"search.limit": 7}))
    request = read_request("search", {"query": "x", "limit": None})
    assert query_of(call, request)[0].limit == 8  # One more says if there are more.


def test_former_names_are_read(engine):
    assert query(engine, excluded_paths=["*.md"]).exclude == ("*.md",)
    assert read_request("pack", {"prompt": "x", "excluded": ["*.md"]}).exclude == ("*.md",)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("search", {}, "'query' is missing; expected a string"),
        ("search", {"query": 5}, "'query' is 5; expected a string"),
        ("search", {"query": "x" * 100_001}, "'query' has 100,001 characters; expected at most"),
        ("search", {"query": "a\0"}, "'query' contains a NUL character; remove it"),
        ("search", {"query": "x", "limit": 0}, "expected an integer between 1 and 1,000"),
        ("search", {"query": "x", "mode": "dens"}, "expected one of: hybrid, lexical, dense"),
        ("search", {"query": "x", "kinds": ["klass"]}, "'kinds' contains 'klass'; expected one of"),
        (
            "search",
            {"query": "x", "patsh": ["a"]},
            "unknown argument 'patsh'; did you mean 'paths'",
        ),
        ("pack", {"budget": 5}, "'prompt' is missing; give the task in words, or ask for a map"),
        ("pack", {"prompt": "x", "budget": 0}, "between 1 and 10,000,000"),
        ("pack", {"prompt": "x", "format": "pdf"}, "expected one of: markdown, xml, json"),
    ],
)
def test_what_is_wrong_is_named_with_the_remedy(name, values, message):
    with pytest.raises(SettingsError) as refusal:
        read_request(name, values)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_reserve_above_the_budget_is_refused(engine):
    request = read_request("pack", {"prompt": "x", "budget": 5, "reserve": 6})
    with pytest.raises(SettingsError, match="'reserve' is 6; must be between 0 and the budget"):
        make_pack(call_of(engine), request)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"focus_path": "app.py:3"}, ("app.py", 2)),
        ({"focus_path": "./store/disk.py"}, ("store/disk.py", 0)),
        ({"focus_path": "app.py", "focus_line": 3}, ("app.py", 2)),
        ({"focus_path": "store/disk.py#Disk.load_records"}, ("store/disk.py", 8)),
        ({"focus_path": ""}, None),
        ({"focus_path": "nowhere.py:3"}, None),
    ],
)
def test_the_focus_of_a_request(engine, values, expected):
    focus = query(engine, **values).focus
    assert (focus and (focus.path, focus.line)) == expected


def test_a_focus_beyond_the_end_of_its_file_is_refused(engine):
    with pytest.raises(SettingsError, match=r"'focus_path' is 'app\.py:900'; the file has"):
        query(engine, focus_path="app.py:900")
