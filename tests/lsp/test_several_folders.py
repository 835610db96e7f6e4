"""A window with two folders: packs and searches are of both."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from packhound.lsp.uris import path_from_uri
from tests.support.git_repository import bare_repository, git
from tests.support.lsp_client import write_files

KITCHEN = "def boil_water(jug):\n    '''Boil the water of a jug.'''\n    return jug\n"
GARDEN = "def pour_water(jug):\n    '''Pour the water of a jug on a bed.'''\n    return jug\n"


@pytest.fixture
def window(start_server, tmp_path):
    folders = [
        write_files(tmp_path / "kitchen", {"kitchen.py": KITCHEN}),
        write_files(tmp_path / "garden", {"garden.py": GARDEN}),
    ]
    client = start_server()
    client.initialize(*folders)
    client.settle()
    return client, folders


def test_a_pack_is_of_all_folders_within_one_budget(window):
    client, folders = window
    pack = client.request("packhound/pack", {"prompt": "pour and boil water", "budget": 300})
    assert {item["root"] for item in pack["items"]} == {str(folder) for folder in folders}
    assert "boil_water" in pack["text"] and "pour_water" in pack["text"]
    assert 0 < pack["tokens"] <= 300


def test_unsaved_text_of_any_folder_is_packed_and_the_focus_counts(window):
    client, folders = window
    text = GARDEN + "\n\ndef pour_tea(cup):\n    return cup\n"
    document = client.open_document(folders[1] / "garden.py", text)
    focus = {"uri": document["uri"], "position": {"line": 5, "character": 0}}
    params = {"prompt": "pour and boil water", "budget": 300, "focus": focus}
    pack = client.request("packhound/pack", params)
    assert "pour_tea" in pack["text"] and "boil_water" in pack["text"]
    assert any("at the cursor" in item["reason"] for item in pack["items"])


def test_what_is_pinned_in_one_folder_is_not_missed_in_the_other(window):
    client, _ = window
    params = {"prompt": "water", "budget": 300, "pinned": ["garden.py", "cellar.py"]}
    notes = client.request("packhound/pack", params)["notes"]
    assert "pinned 'cellar.py' is no indexed file, so it is ignored" in notes
    assert not any("garden.py" in note for note in notes)


def test_hits_of_both_folders_have_ranks_from_one(window):
    client, _ = window
    hits = client.request("packhound/search", {"query": "water", "limit": 2})["hits"]
    assert [hit["rank"] for hit in hits] == [1, 2]
    assert {hit["path"] for hit in hits} == {"kitchen.py", "garden.py"}


def test_grep_ranks_the_definitions_of_both_folders_by_a_question(window):
    client, folders = window
    params = {"pattern": "jug", "query": "pour water on a bed"}
    answer = client.request("packhound/grep", params)
    assert [group["name"] for group in answer["groups"]] == ["pour_water", "boil_water"]
    assert answer["groups"][0]["uri"] == (folders[1] / "garden.py").as_uri()
    assert [group["root"] for group in answer["groups"]] == [str(folders[1]), str(folders[0])]
    plain = client.request("packhound/grep", {"pattern": "jug", "limit": 4, "offset": 1})
    lines = [(g["name"], [line["line"] for line in g["lines"]]) for g in plain["groups"]]
    assert lines == [("boil_water", [2, 3]), ("pour_water", [1, 2])]
    assert (plain["next_offset"], plain["total_lines"], plain["total_files"]) == (5, 6, 2)


def test_a_folder_inside_of_another_is_answered_once(start_server, tmp_path):
    outer = write_files(tmp_path / "outer", {"kitchen.py": KITCHEN})
    inner = write_files(outer / "inner", {"garden.py": GARDEN})
    client = start_server()
    client.initialize(outer, inner)
    client.settle()
    assert sorted(client.search("water")) == ["garden.py pour_water", "kitchen.py boil_water"]
    assert client.request("packhound/grep", {"pattern": "jug"})["total_lines"] == 6
    pack = client.request("packhound/pack", {"prompt": "pour and boil water"})
    assert sorted(item["path"] for item in pack["items"]) == ["garden.py", "kitchen.py"]


@pytest.mark.parametrize("reference", ["garden.py#pour_water", "garden.py:2", "garden/garden.py:1"])
def test_a_reference_is_read_from_the_folder_that_has_it(window, reference):
    client, folders = window
    answer = client.request("packhound/read", {"ref": reference})
    assert answer["text"].splitlines()[0] == "def pour_water(jug):"
    assert (answer["root"], answer["ref"]) == (str(folders[1]), "garden.py#pour_water")
    assert answer["uri"] == (folders[1] / "garden.py").as_uri()
    (hit,) = client.request("packhound/search", {"query": "pour_water", "limit": 1})["hits"]
    assert hit["ref"] == "garden.py#pour_water"


def test_a_reference_to_nothing_names_the_remedy(window):
    client, _ = window
    with pytest.raises(AssertionError, match=r"did you mean 'garden\.py#pour_water'"):
        client.request("packhound/read", {"ref": "garden.py#Bed.pour_water"})


@pytest.fixture
def twins(start_server, tmp_path):
    """A window with two folders that hold the same file, and a name of its own each."""
    folders = [write_files(tmp_path / name, {"jug.py": KITCHEN}) for name in ("east", "west")]
    (folders[0] / "only.py").write_text("def only_east(): pass\n")
    client = start_server()
    client.initialize(*folders)
    client.settle()
    return client, folders


def test_of_equal_hits_those_of_the_focused_folder_come_first(twins):
    client, folders = twins
    for folder in folders:
        document = client.open_document(folder / "jug.py", KITCHEN)
        focus = {**document, "position": {"line": 0, "character": 0}}
        params = {"query": "boil_water", "focus": focus}
        assert client.request("packhound/search", params)["hits"][0]["uri"] == document["uri"]
        (symbol, other) = client.request("workspace/symbol", {"query": "boil_water"})
        assert symbol["location"]["uri"] == document["uri"] != other["location"]["uri"]


def test_symbols_name_their_folder_where_they_could_be_mistaken(twins):
    client, _ = twins
    symbols = client.request("workspace/symbol", {"query": "boil_water"})
    folders = {symbol["containerName"].split(" · ")[-1] for symbol in symbols}
    assert folders == {"east", "west"}
    (symbol,) = client.request("workspace/symbol", {"query": "only_east"})
    assert "east" not in symbol["containerName"].split(" · ")


def test_results_name_their_folder_where_they_could_be_mistaken(twins):
    client, _ = twins
    hits = client.request("packhound/search", {"query": "boil_water"})["hits"]
    folders = {hit.get("folder") for hit in hits if hit["name"] == "boil_water"}
    assert folders == {"east", "west"}
    best, *_ = client.request("packhound/search", {"query": "only_east"})["hits"]
    assert best["name"] == "only_east" and "folder" not in best


def test_of_a_name_the_best_definition_of_all_folders_is_shown(start_server, tmp_path):
    folders = [
        write_files(tmp_path / "east", {"test_jug.py": "def jug():\n    return 1\n"}),
        write_files(tmp_path / "west", {"jug.py": "def jug():\n    return 2\n"}),
    ]
    client = start_server()
    client.initialize(*folders)
    client.settle()
    symbol = client.request("packhound/symbol", {"name": "jug"})
    assert (symbol["root"], symbol["uri"]) == (str(folders[1]), (folders[1] / "jug.py").as_uri())
    (other,) = symbol["others"]
    assert (other["root"], other["uri"]) == (str(folders[0]), (folders[0] / "test_jug.py").as_uri())
    assert symbol["totals"]["others"] == 1
    named = client.request("packhound/symbol", {"name": "east/test_jug.py:1"})
    assert named["root"] == str(folders[0])


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_changes_of_all_folders_are_listed_unsaved_text_included(start_server, tmp_path):
    folders = []
    for name, source in (("kitchen", KITCHEN), ("garden", GARDEN)):
        files = {f"{name}.py": source, "setting.ini": "[tap]\nflow = 1\n"}
        folders.append(write_files(tmp_path / name, files))
        git(folders[-1], "init", "-q")
        git(folders[-1], "add", ".")
        git(folders[-1], "commit", "-qm", "one")
    client = start_server()
    client.initialize(*folders)
    client.settle()
    client.open_document(folders[0] / "kitchen.py", KITCHEN.replace("return jug", "return None"))
    client.open_document(folders[1] / "garden.py", GARDEN.replace("return jug", "return None"))
    answer = client.request("packhound/changes", {})
    assert {row["root"]: row["name"] for row in answer["definitions"]} == {
        str(folders[0]): "boil_water",
        str(folders[1]): "pour_water",
    }
    uri = (folders[1] / "garden.py").as_uri()
    (definition,) = client.request("packhound/changes", {"uri": uri})["definitions"]
    assert definition["name"] == "pour_water"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_an_open_file_that_was_emptied_is_a_change_and_an_empty_file(start_server, tmp_path):
    folders = []
    for name, source in (("kitchen", KITCHEN), ("garden", GARDEN)):
        user = f"from jug import {source[4:14]}\n\n\ndef use():\n    return {source[4:14]}(1)\n"
        folders.append(write_files(tmp_path / name, {"jug.py": source, "use.py": user}))
        git(folders[-1], "init", "-q")
        git(folders[-1], "add", ".")
        git(folders[-1], "commit", "-qm", "one")
    client = start_server()
    client.initialize(*folders)
    client.settle()
    document = client.open_document(folders[0] / "jug.py", KITCHEN)
    client.change_document(document, 2, ("",))
    for reference in ("jug.py", "kitchen/jug.py", "kitchen/jug.py#boil_water", "jug.py:2"):
        with pytest.raises(AssertionError, match=r"'jug.py' is empty, in kitchen"):
            client.request("packhound/read", {"ref": reference})
    assert "pour_water" in client.request("packhound/read", {"ref": "garden/jug.py"})["text"]
    with pytest.raises(AssertionError, match=r"'jug.py' is empty"):
        client.request("packhound/outline", {"path": "kitchen/jug.py"})
    answer = client.request("packhound/changes", {})
    assert [(row["path"], row["label"]) for row in answer["files"]] == [("jug.py", "kitchen")]
    assert answer["removed"] == ["kitchen/jug.py#boil_water"]
    assert [row["line"] for row in answer["unresolved"]] == [1, 5]
    client.change_document(document, 3, (GARDEN,))
    assert "pour_water" in client.request("packhound/read", {"ref": "kitchen/jug.py"})["text"]
    client.change_document(document, 4, ("",))
    (folders[1] / "jug.py").write_text("")
    client.touch(folders[1] / "jug.py")
    client.settle()
    assert client.request("packhound/changes", {})["removed"] == [
        "kitchen/jug.py#boil_water",
        "garden/jug.py#pour_water",
    ]
    git(folders[1], "checkout", "jug.py")
    client.touch(folders[1] / "jug.py")
    client.close_document(document)
    client.settle()
    assert "boil_water" in client.request("packhound/read", {"ref": "kitchen/jug.py"})["text"]
    assert not client.request("packhound/changes", {})["files"]


def test_a_whole_file_is_read_right_after_a_keystroke(window):
    client, folders = window
    document = client.open_document(folders[0] / "kitchen.py", KITCHEN)
    for version in range(2, 22):
        text = f"{KITCHEN}# {version}\n"
        client.change_document(document, version, (text,))
        answer = client.request("packhound/read", {"ref": "kitchen/kitchen.py"})
        assert answer["text"] == text.rstrip("\n")


def test_a_bare_repository_is_a_folder_with_the_files_of_its_head(start_server, tmp_path):
    bare = bare_repository(tmp_path)
    client = start_server()
    client.initialize(bare)
    client.settle()
    (hit,) = client.request("packhound/search", {"query": "boil_water"})["hits"]
    file = Path(path_from_uri(hit["uri"]))
    assert file.read_text().startswith("def boil_water") and bare not in file.parents
    client.open_document(file, file.read_text())
    outline = client.request("textDocument/documentSymbol", {"textDocument": {"uri": hit["uri"]}})
    assert [symbol["name"] for symbol in outline] == ["boil_water"]
    folder = {"uri": bare.as_uri(), "name": "kitchen"}
    change = {"event": {"removed": [folder], "added": []}}
    client.notify("workspace/didChangeWorkspaceFolders", change)
    assert client.request("packhound/status", {})["files"] == 0
