"""Open documents: two names of one file, and look-ups of paths."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from packhound.lsp.documents import Documents


def percent_encoded(path: Path) -> str:
    return path.as_uri().replace("config", "%63onfig")


@pytest.mark.parametrize("closed_first", ["the older", "the newer"])
def test_a_file_that_is_open_under_two_uris_keeps_its_unsaved_text(client, folder, closed_first):
    path = folder / "config.py"
    older = client.open_document(path, "def older_zebra(): pass\n")
    newer = client.open_document(path, "def newer_zebra(): pass\n", uri=percent_encoded(path))
    client.change_document(older, 2, (0, 4, 4, "the_"))
    assert client.search("the_older_zebra", mode="symbol") == ["config.py the_older_zebra"]
    closed, saved = (older, newer) if closed_first == "the older" else (newer, older)
    name = "newer_zebra" if saved is newer else "the_older_zebra"
    client.close_document(closed)
    client.settle()
    assert client.search(name, mode="symbol") == [f"config.py {name}"]
    assert client.search("load_config", mode="symbol") == []
    client.close_document(saved)
    client.settle()
    assert client.search("load_config", mode="symbol") == ["config.py load_config"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_file_that_is_open_through_a_link_too_keeps_its_unsaved_text(client, folder, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    direct = client.open_document(folder / "config.py", "def direct_zebra(): pass\n")
    linked = client.open_document(tmp_path / "link" / "config.py", "def linked_zebra(): pass\n")
    client.close_document(linked)
    client.settle()
    assert client.search("direct_zebra", mode="symbol") == ["config.py direct_zebra"]
    client.close_document(direct)


def test_a_document_that_is_closed_by_another_spelling_is_closed(client, folder):
    path = folder / "config.py"
    client.open_document(path, "def unsaved_zebra(): pass\n")
    client.close_document({"uri": percent_encoded(path)})
    client.settle()
    assert client.search("unsaved_zebra", mode="symbol") == []


class CountingWorkspace:
    """One folder, /a, and the number of look-ups that were made."""

    def __init__(self) -> None:
        self.engines = (SimpleNamespace(update=lambda document, editor: None),)
        self.n_located = 0

    def locate(self, path: Path) -> tuple[object, str]:
        self.n_located += 1
        return self.engines[0], path.name


def test_typing_asks_the_file_system_nothing():
    workspace = CountingWorkspace()
    documents = Documents(workspace, "utf-16")
    item = {"uri": "file:///a/b.py", "version": 1, "text": ""}
    documents.did_open({"textDocument": item})
    for n in range(50):
        item = {"uri": "file:///a/b.py", "version": n + 2}
        edge = {"line": 0, "character": 0}
        change = {"range": {"start": edge, "end": edge}, "text": "x"}
        documents.did_change({"textDocument": item, "contentChanges": [change]})
        assert documents.locate("file:///a/b.py") == (workspace.engines[0], "b.py")
    assert workspace.n_located == 1
    documents.relocate_all()
    assert workspace.n_located == 2
