"""Several roots of one server: answers say whose they are, and settings reach the tools."""

from __future__ import annotations

from contextlib import closing

import pytest

from packhound.api.tool_text import as_text
from packhound.core.errors import SettingsError
from packhound.core.settings import Settings
from packhound.mcp.server import Folders

SETTINGS = Settings(persist=False, limit=1)


@pytest.fixture(scope="module")
def roots(tmp_path_factory):
    base = tmp_path_factory.mktemp("roots")
    for name, function in (("kitchen", "boil_water"), ("garden", "pour_water")):
        (base / name).mkdir()
        source = "def {}(jug):\n    return jug\n\n\n"
        text = source.format(function) + source.format(f"{function}_again")
        (base / name / f"{name}.py").write_text(text)
    return [base / "kitchen", base / "garden"]


@pytest.fixture(scope="module")
def folders(roots):
    with closing(Folders(roots, SETTINGS)) as served:
        yield served


def test_hits_name_their_root(folders, roots):
    answer = folders.call("search", {"query": "water", "limit": 5})
    owners = {hit["path"]: hit["root"] for hit in answer["hits"]}
    assert owners == {f"{root.name}.py": str(root) for root in roots}
    text = as_text("search", answer)
    assert f"garden.py:1-2 function pour_water (root: {roots[1]})" in text


def test_other_answers_name_their_root(folders, roots):
    location = {"path": "garden.py", "line": 1}
    for tool in ("read_node", "related"):
        answer = folders.call(tool, location)
        assert answer["root"] == str(roots[1])
        assert f"root: {roots[1]}" in as_text(tool, answer).splitlines()
    answer = folders.call("outline", {})
    assert answer["root"] == str(roots[0])
    assert [status["root"] for status in folders.call("status", {})["roots"]] == [
        str(root) for root in roots
    ]


@pytest.mark.parametrize("spelling", ["garden", "{}", "{}/", "{}/../garden"])
def test_a_root_is_its_path_or_its_name(folders, roots, spelling):
    root = spelling.format(roots[1])
    answer = folders.call("search", {"query": "water", "limit": 5, "root": root})
    assert {(hit["path"], hit["root"]) for hit in answer["hits"]} == {("garden.py", str(roots[1]))}


def test_an_unknown_root_is_named_with_the_known_ones(folders, roots):
    expected = f"unknown root 'cellar'; expected one of: {roots[0]}, {roots[1]}"
    with pytest.raises(SettingsError, match=expected):
        folders.call("status", {"root": "cellar"})


def test_the_setting_limits_calls_that_state_no_limit(folders, roots):
    answer = folders.call("search", {"query": "water", "root": "garden"})
    assert len(answer["hits"]) == 1
    assert len(folders.call("search", {"query": "water"})["hits"]) == 2


def test_one_root_is_not_named(roots):
    with closing(Folders(roots[:1], SETTINGS)) as served:
        answer = served.call("search", {"query": "water"})
    assert "root" not in answer["hits"][0]
