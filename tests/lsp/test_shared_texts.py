"""Unsaved text of a folder that several processes have an index of."""

from __future__ import annotations

import os

import pytest

from tests.support.agent import Agent, kill_engine
from tests.support.lsp_client import RELAYED, LspClient, eventually, write_files

COMMAND = RELAYED
pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")
SAVED = "def pour_saved(jug):\n    return jug\n"
UNSAVED = "def pour_unsaved(jug):\n    return jug\n"


@pytest.fixture
def folders(tmp_path):
    yield [
        write_files(tmp_path / "kitchen", {"kitchen.py": "def boil(jug):\n    return jug\n"}),
        write_files(tmp_path / "garden", {"garden.py": SAVED}),
    ]
    kill_engine(tmp_path / "cache")


def open_window(start_server, folders) -> tuple[LspClient, dict]:
    editor = start_server()
    editor.initialize(*folders)
    editor.settle()
    return editor, editor.open_document(folders[-1] / "garden.py", UNSAVED)


def sees(agent: Agent, name: str) -> bool:
    return f"function {name}" in agent.tool("search", query=name)


@pytest.mark.slow
def test_an_agent_sees_what_a_window_has_not_saved_in_its_second_folder(
    start_server, folders, tmp_path
):
    agent = Agent(tmp_path / "cache", folders[1])
    try:
        assert sees(agent, "pour_saved")
        editor, document = open_window(start_server, folders)
        assert eventually(lambda: sees(agent, "pour_unsaved"), True)
        assert not sees(agent, "pour_saved")
        editor.change_document(document, 2, (0, 4, 16, "pour_edited"))
        assert eventually(lambda: sees(agent, "pour_edited"), True)
        editor.notify("textDocument/didClose", {"textDocument": {"uri": document["uri"]}})
        assert eventually(lambda: sees(agent, "pour_saved"), True)
        editor.kill()
        # The editor starts again, and its text counts again.
        editor, _ = open_window(start_server, folders)
        assert eventually(lambda: sees(agent, "pour_unsaved"), True)
        editor.kill()
        assert eventually(lambda: sees(agent, "pour_saved"), True)
        assert not sees(agent, "pour_unsaved")
    finally:
        agent.close()


@pytest.mark.slow
def test_who_serves_the_folder_next_sees_it_too(start_server, folders, tmp_path):
    first = start_server()
    first.initialize(folders[1])
    first.settle()
    open_window(start_server, folders)
    agent = Agent(tmp_path / "cache", folders[1])
    try:
        assert eventually(lambda: sees(agent, "pour_unsaved"), True)
        first.kill()
        assert eventually(lambda: sees(agent, "pour_unsaved"), True)
        assert not sees(agent, "pour_saved")
    finally:
        agent.close()


@pytest.mark.slow
def test_a_window_sees_what_the_editor_of_its_second_folder_has_not_saved(start_server, folders):
    owner = start_server()
    owner.initialize(folders[1])
    owner.settle()
    document = owner.open_document(folders[1] / "garden.py", UNSAVED)
    window = start_server()
    window.initialize(*folders)

    def name_of() -> list[str]:
        return [hit.split()[1] for hit in window.search("pour", paths=["garden.py"])]

    assert eventually(name_of, ["pour_unsaved"]) == ["pour_unsaved"]
    owner.change_document(document, 2, (0, 4, 16, "pour_edited"))
    assert eventually(name_of, ["pour_edited"]) == ["pour_edited"]
    owner.close_document(document)
    assert eventually(name_of, ["pour_saved"]) == ["pour_saved"]
    owner.open_document(folders[1] / "garden.py", UNSAVED)
    assert eventually(name_of, ["pour_unsaved"]) == ["pour_unsaved"]
    owner.kill()
    assert eventually(name_of, ["pour_saved"]) == ["pour_saved"]


def test_of_one_document_in_two_processes_the_newest_text_counts_in_both(start_server, folders):
    owner = start_server()
    owner.initialize(folders[1])
    first = owner.open_document(folders[1] / "garden.py", UNSAVED)
    window = start_server()
    window.initialize(*folders)
    # As it is on disk, so it hides nothing.
    second = window.open_document(folders[1] / "garden.py", SAVED)

    def both_see(name: str) -> bool:
        def hits() -> list[list[str]]:
            return [editor.search("pour", paths=["garden.py"]) for editor in (owner, window)]

        return eventually(hits, [[f"garden.py {name}"]] * 2) == [[f"garden.py {name}"]] * 2

    assert both_see("pour_unsaved")
    window.change_document(second, 2, (0, 4, 14, "pour_second"))
    assert both_see("pour_second")
    owner.change_document(first, 2, (0, 4, 16, "pour_first"))
    assert both_see("pour_first")
    owner.close_document(first)
    assert both_see("pour_second")
    window.close_document(second)
    assert both_see("pour_saved")
