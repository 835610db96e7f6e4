"""Structs from clients' values: lenient to models, and one line for what is wrong."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct

from packhound.core.errors import SettingsError
from packhound.core.typed import convert, json_schema

Kind = Literal["class", "function"]
KEYS = ["query", "limit", "share", "kinds", "paths", "files", "lines"]


class Request(Struct, frozen=True, kw_only=True):
    query: Annotated[str, Meta(min_length=1, max_length=9, description="What to find.")]
    limit: Annotated[int, Meta(ge=1, le=50, description="Maximum number of hits.")] = 10
    share: Annotated[float, Meta(ge=0, le=1)] = 0.5
    kinds: Annotated[tuple[Kind, ...], Meta(max_length=2, description="Only these.")] = ()
    paths: tuple[Annotated[str, Meta(min_length=1)], ...] = ()
    files: bool = False
    lines: Annotated[int, Meta(ge=0)] | None = None


@pytest.mark.parametrize(
    ("values", "field", "expected"),
    [
        ({"limit": 5}, "limit", 5),
        ({"limit": "5"}, "limit", 5),
        ({"limit": 5.0}, "limit", 5),
        ({"limit": None}, "limit", 10),
        ({"share": 1}, "share", 1.0),
        ({"share": "0.25"}, "share", 0.25),
        ({"kinds": "class"}, "kinds", ("class",)),
        ({"kinds": ["class", "function"]}, "kinds", ("class", "function")),
        ({"paths": ("[ab]*.py",)}, "paths", ("[ab]*.py",)),
        ({"files": "true"}, "files", True),
        ({"lines": "0"}, "lines", 0),
        ({"lines": None}, "lines", None),
    ],
)
def test_what_models_write_is_taken(values, field: str, expected: object) -> None:
    read = getattr(convert(Request, {"query": "q", **values}), field)
    assert read == expected
    assert type(read) is type(expected)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"limit": 500}, "argument 'limit' is 500; expected an integer between 1 and 50"),
        ({"limit": "many"}, "argument 'limit' is 'many'; expected an integer between 1 and 50"),
        ({"limit": True}, "argument 'limit' is True; expected an integer between 1 and 50"),
        ({"limit": 5.5}, "argument 'limit' is 5.5; expected an integer between 1 and 50"),
        ({"share": math.nan}, "argument 'share' is nan; expected a number between 0 and 1"),
        ({"lines": -1}, "argument 'lines' is -1; expected an integer of 0 or more"),
        ({"files": "yes"}, "argument 'files' is 'yes'; expected one of: true, false"),
        ({"kinds": "clas"}, "argument 'kinds' contains 'clas'; expected one of: class, function"),
        ({"kinds": [None]}, "argument 'kinds' contains null; expected one of: class, function"),
        (
            {"kinds": ["class"] * 3},
            "argument 'kinds' has 3 items; expected at most 2",
        ),
        ({"paths": [3]}, "argument 'paths' contains 3; expected a string of 1 or more characters"),
        ({"query": None}, "argument 'query' is missing; expected a string of 1 to 9 characters"),
        ({"query": 3}, "argument 'query' is 3; expected a string of 1 to 9 characters"),
        ({"query": ""}, "argument 'query' is ''; expected a string of 1 to 9 characters"),
        ({"query": "a" * 1_000}, "argument 'query' has 1,000 characters; expected at most 9"),
        ({"query": "a\0"}, "argument 'query' contains a NUL character; remove it"),
        ({"paths": ["a\0"]}, "argument 'paths' contains a NUL character; remove it"),
        ({"limits": 5}, "unknown argument 'limits'; did you mean 'limit'?"),
        ({"zzzz": 5}, f"unknown argument 'zzzz'; expected one of: {', '.join(KEYS)}"),
    ],
)
def test_an_error_is_one_line_with_value_and_remedy(values, message: str) -> None:
    with pytest.raises(SettingsError) as refused:
        convert(Request, {"query": "q", **values})
    assert str(refused.value) == message


def test_an_error_names_what_the_values_are() -> None:
    with pytest.raises(SettingsError, match="setting 'limit' is 0; expected"):
        convert(Request, {"query": "q", "limit": 0}, "setting")


def test_a_long_value_is_cut() -> None:
    with pytest.raises(SettingsError) as refused:
        convert(Request, {"query": "q", "limit": {"deep": [[[[["x" * 9_999] * 999]]]]}})
    assert len(str(refused.value)) < 200


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
json_values = scalars | st.lists(scalars) | st.dictionaries(st.text(), scalars)


@given(st.dictionaries(st.sampled_from(KEYS) | st.text(), json_values))
def test_any_value_is_taken_within_limits_or_refused_in_one_line(values) -> None:
    try:
        request = convert(Request, values)
    except SettingsError as refused:
        assert len(str(refused).splitlines()) == 1
    else:
        assert 1 <= request.limit <= 50
        assert 0 <= request.share <= 1
        assert 1 <= len(request.query) <= 9


def test_the_schema_is_flat() -> None:
    assert json_schema(Request, omit=("share", "paths")) == {
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "What to find.",
            },
            "limit": {
                "type": "integer",
                "description": "Maximum number of hits (default 10).",
                "maximum": 50,
            },
            "kinds": {
                "type": "array",
                "description": "Only these.",
                "items": {"type": "string", "enum": ["class", "function"]},
            },
            "files": {"type": "boolean"},
            "lines": {"type": "integer"},
        },
        "required": ["query"],
        "additionalProperties": False,
    }


def test_a_lone_surrogate_is_replaced() -> None:
    assert convert(Request, {"query": "a\udc9b"}).query == "a\ufffd"
    assert convert(Request, {"query": "a", "paths": ["\ud800"]}).paths == ("\ufffd",)
    assert convert(Request, {"query": "\U0001f600"}).query == "\U0001f600"
