"""Without a folder: the project of an opened file is searched, else the open documents alone."""

from __future__ import annotations

import pytest

from tests.support.lsp_client import LspClient, eventually, wait_until, write_files

NOTE = "def water_plants(jug):\n    '''Water the plants on the balcony.'''\n    return jug\n"


def announcements(client: LspClient) -> list[str]:
    messages = [n for n in client.notifications if n["method"] == "window/showMessage"]
    return [notification["params"]["message"] for notification in messages]


@pytest.fixture
def client(start_server) -> LspClient:
    """A server without a folder, as Helix starts it."""
    client = start_server()
    client.initialize()
    return client


@pytest.mark.parametrize("marker", [".git", "Cargo.toml"])
def test_the_project_of_the_opened_file_is_searched(client, folder, marker):
    (folder / marker).touch()
    client.open_document(folder / "shapes.py", (folder / "shapes.py").read_text())
    client.settle()
    assert client.search("load_config")[0] == "config.py load_config"
    (hit, *_) = client.request("packhound/search", {"query": "load_config"})["hits"]
    assert hit["uri"] == (folder / "config.py").as_uri()
    (message,) = announcements(client)
    assert str(folder) in message and marker in message


def test_a_repository_goes_before_a_manifest_and_the_outermost_manifest_counts(client, tmp_path):
    project = write_files(
        tmp_path / "project", {"package.json": "{}", "top.js": "function top(){}"}
    )
    inner = write_files(project / "part", {"package.json": "{}", "a.js": "function inner(){}"})
    client.open_document(inner / "a.js", "function inner(){}")
    client.settle()
    assert client.search("top", mode="symbol") == ["top.js top"]
    (inner / ".git").mkdir()
    other = write_files(inner / "deep", {"b.js": "function deep(){}"})
    client.open_document(other / "b.js", "function deep(){}")
    assert [root["root"] for root in client.settle()["roots"]] == [str(project)]


def test_files_without_a_project_are_searched_while_they_are_open(client, tmp_path):
    folder = write_files(tmp_path / "loose", {"a.py": NOTE, "b.py": "def other(): pass\n"})
    document = client.open_document(folder / "a.py", NOTE)
    client.settle()
    (hit,) = client.request("packhound/search", {"query": "water plants"})["hits"]
    assert hit["uri"] == (folder / "a.py").as_uri() and hit["name"] == "water_plants"
    assert client.search("other", mode="symbol") == []
    (message,) = announcements(client)
    assert "open files alone" in message and ".git" in message
    client.change_document(document, 2, (NOTE + "def empty_jug(): pass\n",))
    assert client.search("empty_jug")[0] == "a.py empty_jug"
    client.close_document(document)
    assert eventually(lambda: client.settle()["roots"], []) == []
    assert client.search("water plants") == []


def test_two_open_files_of_one_name_are_both_found(client, tmp_path):
    for name in ("one", "two"):
        write_files(tmp_path / name, {"util.py": NOTE})
        client.open_document(tmp_path / name / "util.py", NOTE)
    client.settle()
    hits = client.request("packhound/search", {"query": "water_plants"})["hits"]
    expected = {(tmp_path / name / "util.py").as_uri() for name in ("one", "two")}
    places = [place for hit in hits for place in (hit, *hit["copies"])]
    assert {place["uri"] for place in places} == expected


def test_a_folder_that_the_client_names_later_takes_over(client, folder):
    (folder / ".git").mkdir()
    client.open_document(folder / "shapes.py", "class Square: pass\n")
    client.settle()
    added = [{"uri": folder.parent.as_uri(), "name": "all"}]
    event = {"event": {"added": added, "removed": []}}
    client.notify("workspace/didChangeWorkspaceFolders", event)
    wait_until(lambda: [r["root"] for r in client.settle()["roots"]] == [str(folder.parent)])
    assert client.search("Square", mode="symbol") == ["workspace/shapes.py Square"]


def test_a_file_outside_the_folders_of_the_window_is_left_out(start_server, folder, tmp_path):
    client = start_server()
    client.initialize(folder)
    library = write_files(tmp_path / "library", {"pyproject.toml": "", "lib.py": NOTE})
    client.open_document(library / "lib.py", NOTE)
    client.settle()
    assert client.search("water_plants", mode="symbol") == []
    assert announcements(client) == []


def test_a_document_that_comes_before_the_settings_is_in_the_folder_of_the_window(
    start_server, folder
):
    """As the documents of a session do that another process goes on with."""
    client = start_server()
    client.settings = {"search": {"limit": 3}}
    params = {
        "processId": None,
        "workspaceFolders": [{"uri": folder.as_uri(), "name": "workspace"}],
        "capabilities": {"workspace": {"configuration": True}},
    }
    client.request("initialize", params)
    client.open_document(folder / "shapes.py", "class Square: pass\n")
    client.notify("initialized", {})
    client.settle()
    assert client.search("Square", mode="symbol") == ["shapes.py Square"]
    assert client.request("shutdown") is None
    client.open_document(folder / "config.py", NOTE)
    client.notify("exit")
    assert client.wait_for_exit() == 0
    assert announcements(client) == []


def test_untitled_documents_are_searched_in_memory(start_server, folder, tmp_path):
    client = start_server()
    client.initialize(folder)
    document = client.open_document(folder, NOTE, uri="untitled:Untitled-1")
    client.settle()
    (hit, *_) = client.request("packhound/search", {"query": "water_plants"})["hits"]
    assert (hit["uri"], hit["path"], hit["kind"]) == (
        "untitled:Untitled-1",
        "Untitled-1",
        "function",
    )
    client.change_document(document, 2, (0, 4, 16, "feed_cat"))
    assert client.search("feed_cat", mode="symbol") == ["Untitled-1 feed_cat"]
    position = {"uri": "untitled:Untitled-1", "position": {"line": 0, "character": 5}}
    hover = client.request("textDocument/hover", {"textDocument": document, **position})
    assert "feed" in hover["contents"]["value"]
    client.close_document(document)
    wait_until(lambda: len(client.settle()["roots"]) == 1)
    assert client.search("feed_cat", mode="symbol") == []
    assert not list((tmp_path / "cache").glob("open files*/**/index.sqlite"))
