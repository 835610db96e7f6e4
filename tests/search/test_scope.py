"""`type:`, `since:`, `before:` and `tag:`: values, errors, and plain queries that they leave be."""

from __future__ import annotations

from pathlib import Path

import pytest

from packhound.core.errors import SettingsError
from packhound.core.types import TYPES, Query
from packhound.operations import query_of, read_request
from packhound.service import Engine
from tests.support.command_line import make_house, packhound
from tests.support.operations import call_of
from tests.support.project import cache, engine, names, root

__all__ = ["cache", "engine", "root"]


def test_types_are_case_insensitive_and_several_are_a_union(engine: Engine) -> None:
    assert names(engine, "cart", types=("CLASS",)) == ["Cart"]
    both = set(names(engine, "cart type:Class,method"))
    assert both == {"Cart", "add_item", "total_price"}
    assert names(engine, "cart type:code") == names(engine, "cart")


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        (
            {"query": "x", "types": ["functon"]},
            "invalid type 'functon': expected one of: function,",
        ),
        ({"query": "x type:functon"}, "invalid type 'functon': expected one of: function, method,"),
        ({"query": "x", "since": "yesterday"}, "invalid since 'yesterday': expected a day as"),
        ({"query": "x before:2025-13-01"}, "invalid before '2025-13-01': expected a day as"),
    ],
)
def test_an_unknown_value_is_refused_with_the_remedy(
    engine: Engine, request_: dict[str, object], problem: str
) -> None:
    with pytest.raises(SettingsError, match=problem):
        query_of(call_of(engine), read_request("search", request_))


def test_the_command_line_exits_with_2(tmp_path: Path) -> None:
    house = make_house(tmp_path / "house")
    done = packhound(tmp_path, "search", "door", "--type", "functon", "--root", str(house))
    assert done.returncode == 2
    assert f"invalid type 'functon': expected one of: {', '.join(TYPES)}" in done.stderr


def test_a_search_never_raises_for_a_wrong_value(engine: Engine) -> None:
    results = engine.search(Query("cart type:functon"))
    assert results.hits
    assert any("invalid type 'functon'" in note for note in results.notes)


def test_dates_filter_files_and_code_has_no_tags(engine: Engine) -> None:
    assert names(engine, "cart since:2020-01-01") == names(engine, "cart")
    assert names(engine, "cart before:2020-01-01") == []
    assert names(engine, "cart tag:auth") == []


def test_a_source_that_does_not_answer_is_named(engine: Engine) -> None:
    results = engine.search(Query("cart type:commit"))
    assert results.hits == ()
    assert "'commits' is switched off: set sources.commits.enabled to true" in results.notes


def test_code_and_another_source_are_fused_in_the_order_of_code(engine: Engine) -> None:
    plain = engine.search(Query("cart"))
    fused = engine.search(Query("cart type:code,commit"))
    assert [hit.node for hit in fused.hits] == [hit.node for hit in plain.hits]
    assert fused.hits[0].score == pytest.approx(1 / 61)
    assert {hit.source for hit in fused.hits} == {"code"}
