"""What a user opens, picks and commits raises it, is explained, and can be forgotten."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.support.command_line import packhound
from tests.support.git_repository import git
from tests.support.lsp_client import RELAYED, eventually, write_files

TWINS = {
    "east.py": "def cross_bridge():\n    return 'east'\n\n\ndef pay_toll():\n    pass\n",
    "west.py": "def cross_bridge():\n    return 'west'\n\n\ndef pay_toll():\n    pass\n",
}


@pytest.fixture
def town(tmp_path):
    return write_files(tmp_path / "town", TWINS)


@pytest.fixture
def editor(start_server, town):
    return open_editor(start_server, town)


def open_editor(start_server, town, **options):
    client = start_server(**options)
    client.initialize(town, initializationOptions={"packhound": {"activation": True}})
    client.settle()
    return client


def used(client, query="cross_bridge"):
    """Paths and names of the hits that were used lately, with what that adds to their score."""
    hits = client.request("packhound/search", {"query": query, "explain": True})["hits"]
    actual = {}
    for hit in hits:
        assert hit["score"] == pytest.approx(sum(why["contribution"] for why in hit["why"]))
        for why in hit["why"]:
            if why["signal"] == "used_lately":
                actual[hit["path"], hit["name"]] = why["contribution"]
    return actual


def first(client):
    return client.request("packhound/search", {"query": "cross_bridge"})["hits"][0]["path"]


def pick(client, path, line=0):
    place = {"uri": path.as_uri(), "position": {"line": line, "character": 0}}
    client.notify("packhound/picked", place)


def test_a_picked_result_comes_first_the_next_time(editor, town):
    assert used(editor) == {}
    other = "west.py" if first(editor) == "east.py" else "east.py"
    pick(editor, town / other)
    assert list(used(editor)) == [(other, "cross_bridge")] and first(editor) == other
    explained = editor.request(
        "packhound/explain",
        {
            "query": "cross_bridge",
            "uri": (town / other).as_uri(),
            "position": {"line": 0, "character": 0},
        },
    )
    assert "used_lately" in [why["signal"] for why in explained["hit"]["why"]]


def test_an_opened_file_counts_for_all_of_it_and_less(editor, town):
    editor.open_document(town / "east.py", TWINS["east.py"])
    pick(editor, town / "west.py")
    actual = used(editor, "cross_bridge pay_toll")
    assert ("west.py", "pay_toll") not in actual
    assert actual["east.py", "pay_toll"] < actual["west.py", "cross_bridge"]


def test_a_chosen_symbol_is_a_pick(editor, town):
    for symbol in editor.request("workspace/symbol", {"query": "pay_toll"}):
        if symbol["location"]["uri"].endswith("west.py"):
            editor.request("workspaceSymbol/resolve", symbol)
    assert list(used(editor, "pay_toll")) == [("west.py", "pay_toll")]


def test_it_can_be_forgotten(editor, town):
    pick(editor, town / "west.py")
    assert used(editor)
    editor.request("packhound/forget")
    assert used(editor) == {}
    pick(editor, town / "west.py")
    assert used(editor)
    command = {"command": "packhound.server.forget"}
    editor.request("workspace/executeCommand", command)
    assert used(editor) == {}


@pytest.mark.slow
def test_the_command_line_forgets_what_the_daemon_knows(start_server, town, tmp_path):
    editor = open_editor(start_server, town, command=RELAYED)
    pick(editor, town / "west.py")
    assert used(editor)
    # Nothing is on disk before it is saved, and the server must forget all the same.
    cleared = packhound(tmp_path, "clear", "--activation", "--root", str(town))
    assert cleared.returncode == 0, cleared.stderr
    assert used(editor) == {}


def test_it_is_remembered_by_path_and_name_without_any_text(start_server, editor, town, tmp_path):
    pick(editor, town / "west.py")
    assert used(editor)
    editor.shut_down()
    (file,) = (tmp_path / "cache").glob("*/activation.json")
    (row,) = json.loads(file.read_text())["uses"]
    assert row[:2] == ["west.py", "cross_bridge"]
    again = start_server()
    again.initialize(town, initializationOptions={"packhound": {"activation": True}})
    again.settle()
    assert list(used(again)) == [("west.py", "cross_bridge")]


def test_nothing_is_remembered_unless_asked_for(start_server, town, tmp_path):
    client = start_server()
    client.initialize(town)
    client.settle()
    pick(client, town / "west.py")
    assert used(client) == {}
    client.shut_down()
    assert not list((tmp_path / "cache").glob("*/activation.json"))


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_an_own_commit_is_a_use(start_server, town, monkeypatch):
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2020-01-01T00:00:00")
    git(town, "init", "-q")
    git(town, "config", "user.email", "a@b")
    git(town, "add", "east.py")
    git(town, "commit", "-qm", "one")
    client = start_server()
    client.initialize(town, initializationOptions={"packhound": {"activation": True}})
    client.settle()
    # What was committed before the remembering began does not count.
    assert used(client) == {}
    git(town, "add", "west.py")
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    git(town, "commit", "-qm", "two")
    names = {("west.py", "cross_bridge"), ("west.py", "pay_toll")}
    assert eventually(lambda: set(used(client, "cross_bridge pay_toll")), names) == names


def test_hits_and_packs_say_what_was_seen(editor, town):
    pick(editor, town / "west.py")
    params = {"query": "cross_bridge", "explain": True}
    hit = editor.request("packhound/search", params)["hits"][0]
    assert hit["path"] == "west.py"
    texts = {group["group"]: group["text"] for group in hit["groups"]}
    assert texts["You"] == "picked once, last used just now"
    items = editor.request("packhound/pack", {"prompt": "cross_bridge"})["items"]
    reasons = [item["reason"] for item in items if item["path"] == "west.py"]
    assert "picked once, last used just now" in reasons[0]
    assert not [item for item in items if "used" in item["reason"] and item["path"] != "west.py"]
