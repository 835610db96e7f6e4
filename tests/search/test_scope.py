"""`type:`, `since:`, `before:` and `tag:`: values, errors, and plain queries that they leave be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from packhound.core.errors import SettingsError
from packhound.core.settings_reader import settings_from
from packhound.core.types import TYPES, Budget, Json, Query
from packhound.operations import query_of
from packhound.operations.registry import read_request
from packhound.service import Engine
from tests.support.command_line import make_house, packhound
from tests.support.git_repository import git
from tests.support.operations import call, call_of
from tests.support.project import cache, engine, names, root

__all__ = ["cache", "engine", "root"]

Search = Callable[..., Json]


def test_types_are_case_insensitive_and_several_are_a_union(engine: Engine) -> None:
    assert names(engine, "cart", types=("CLASS",)) == ["Cart"]
    [hit] = engine.search(Query("cart type:Class,method")).hits
    assert hit.node.name == "Cart"  # What is inside of a hit stands below it.
    assert {node.name for node in hit.siblings} == {"add_item", "total_price"}
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


def test_the_date_of_code_is_that_of_its_last_commit(tmp_path: Path, monkeypatch) -> None:
    root = make_house(tmp_path / "house")
    git(root, "init")
    git(root, "add", ".")
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, "2021-03-04T05:06:07Z")
    git(root, "commit", "-m", "Build the house")  # The files themselves are of today.
    (root / "window.py").write_text("def open_window():\n    return 1\n")
    engine = Engine.open(root, settings_from({"index.persist": False}))
    try:
        assert engine.settled(30)
        wait = Budget(time_ms=30_000)
        listed = {hit.node.path for hit in engine.search(Query("since:2d", budget=wait)).hits}
        assert listed == {"window.py"}
        old = engine.search(Query("since:2021-03-04 before:2021-03-05", budget=wait))
        assert old.hits and "window.py" not in {hit.node.path for hit in old.hits}
        assert not any("on the disk" in note for note in old.notes)
    finally:
        engine.close()


def test_without_git_the_answer_says_that_dates_are_those_of_the_disk(engine: Engine) -> None:
    notes = engine.search(Query("cart since:1y")).notes
    assert any("no git repository" in note and "on the disk" in note for note in notes)


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


@pytest.fixture
def beside_notes(tmp_path: Path) -> Search:
    """Search a house, beside which a folder has a note on doors."""
    house, notes = make_house(tmp_path / "house"), tmp_path / "notes"
    notes.mkdir()
    (notes / "doors.md").write_text("# Doors\n\nA door opens to the left.\n")

    def search(query: str, *settings: str) -> Json:
        options = [f'--set=knowledge.folders=["{notes}"]', *(f"--set={each}" for each in settings)]
        done = packhound(tmp_path, "search", query, "--root", str(house), "--json", *options)
        return json.loads(done.stdout)

    return search


def test_all_asks_code_and_each_source_that_is_on_and_names_the_others(
    beside_notes: Search,
) -> None:
    answer = beside_notes("door type:all")
    assert {hit["source"] for hit in answer["hits"]} == {"code", "knowledge"}
    assert "type:all leaves out what is switched off: episodes, commits" in answer["notes"]


def test_a_plain_search_asks_the_sources_of_the_setting(beside_notes: Search) -> None:
    setting = 'search.sources=["knowledge"]'

    def sources(query: str, *settings: str) -> set[str]:
        return {h["source"] for h in beside_notes(query, *settings)["hits"]}

    assert sources("door") == {"code"}
    assert sources("door", setting) == {"code", "knowledge"}
    assert sources("door type:code", setting) == {"code"}


def test_a_source_brings_no_more_candidates_than_it_is_asked_for(tmp_path: Path) -> None:
    house, notes = make_house(tmp_path / "house"), tmp_path / "notes"
    notes.mkdir()
    for n in range(6):
        (notes / f"door{n}.md").write_text(f"# Door {n}\n\nDoor {n} opens to the left.\n")
    engine = Engine.open(house, settings_from({"knowledge.folders": [str(notes)]}))
    try:
        assert engine.settled(60)

        def n_records(*candidates: str) -> int:
            asked = {"query": "door type:all", "limit": 20, "source_candidates": candidates}
            hits = call(engine, "search", asked)["hits"]
            return [hit["source"] for hit in hits].count("knowledge")

        assert (n_records(), n_records("knowledge=2"), n_records("notes=2")) == (6, 2, 6)
        for wrong in ("knowledge", "knowledge=0", "doors=3", "notes=x"):
            with pytest.raises(SettingsError, match="expected SOURCE=N, with one of: code, know"):
                n_records(wrong)
    finally:
        engine.close()
