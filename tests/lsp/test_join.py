"""Editors and agents on one folder see the same text, whoever starts first and whoever dies."""

from __future__ import annotations

import json
import os
import signal
import threading

import pytest

from packhound.lsp.join import LspDialect
from packhound.relay import Message
from packhound.rpc import FrameReader
from tests.support.agent import Agent, engine_id, kill_engine
from tests.support.command_line import packhound
from tests.support.lsp_client import RELAYED, LspClient, eventually, wait_until
from tests.support.streams import Chunks

COMMAND = RELAYED
pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")


@pytest.fixture
def cache(tmp_path):
    yield tmp_path / "cache"
    kill_engine(tmp_path / "cache")


@pytest.fixture
def start_agent(cache, folder):
    agents = []

    def start(**options):
        agents.append(Agent(cache, folder, **options))
        return agents[-1]

    yield start
    for agent in agents:
        agent.close()


def open_editor(start_server, folder, **params) -> LspClient:
    client = start_server()
    client.initialize(folder, **params)
    return client


def is_relay(client: LspClient) -> bool:
    """Return True if the process has no index: it has never loaded the arrays of one."""
    with open(f"/proc/{client.process.pid}/maps") as maps:
        return "numpy" not in maps.read()


def sees(agent: Agent, name: str) -> bool:
    return f"function {name}" in agent.tool("search", query=name)


def test_an_agent_that_came_first_sees_what_the_editor_has_not_saved(
    start_server, start_agent, folder
):
    agent = start_agent()
    assert sees(agent, "load_config")
    editor = open_editor(start_server, folder)
    document = editor.open_document(folder / "config.py", "def unsaved_zebra(): pass\n")
    assert editor.search("unsaved_zebra", mode="symbol") == ["config.py unsaved_zebra"]
    assert sees(agent, "unsaved_zebra")
    assert is_relay(editor)
    editor.change_document(document, 2, (0, 4, 17, "edited_zebra"))
    assert editor.search("edited_zebra", mode="symbol") == ["config.py edited_zebra"]
    assert sees(agent, "edited_zebra") and not sees(agent, "unsaved_zebra")
    assert editor.shut_down() == 0
    # What nobody has open any more is what is on disk.
    assert eventually(lambda: sees(agent, "load_config"), True)
    assert not sees(agent, "edited_zebra")


@pytest.mark.slow
def test_an_editor_that_came_first_is_asked_and_followed_when_it_is_killed(
    start_server, start_agent, folder
):
    editor = open_editor(start_server, folder)
    editor.open_document(folder / "config.py", "def unsaved_zebra(): pass\n")
    agent = start_agent()
    assert sees(agent, "unsaved_zebra")
    editor.kill()
    assert eventually(lambda: sees(agent, "load_config"), True)
    assert not sees(agent, "unsaved_zebra")
    again = open_editor(start_server, folder)
    again.open_document(folder / "config.py", "def restored_zebra(): pass\n")
    assert again.search("restored_zebra", mode="symbol") == ["config.py restored_zebra"]
    assert sees(agent, "restored_zebra")


@pytest.mark.slow
def test_a_killed_engine_costs_neither_editor_nor_agent_anything(
    start_server, start_agent, folder, cache
):
    agent = start_agent()
    assert sees(agent, "load_config")
    editor = open_editor(start_server, folder)
    document = editor.open_document(folder / "config.py", "def zebra(): pass\n")
    # More changes than are repeated one by one.
    for version in range(2, 800):
        editor.change_document(document, version, (0, 4, 5, "xyq"[version % 3]))
    editor.settle()
    request = editor.send_request("packhound/search", {"query": "yebra", "mode": "symbol"})
    kill_engine(cache)
    [hit] = editor.response(request)["result"]["hits"]
    assert (hit["path"], hit["name"]) == ("config.py", "yebra")
    assert editor.search("yebra", mode="symbol") == ["config.py yebra"]
    editor.change_document(document, 800, (0, 4, 5, "z"))
    assert editor.search("zebra", mode="symbol") == ["config.py zebra"]
    assert sees(agent, "zebra")
    kill_engine(cache)
    assert sees(agent, "zebra")
    assert editor.search("zebra", mode="symbol") == ["config.py zebra"]
    assert editor.shut_down() == 0


def test_two_editors_share_an_engine_and_the_second_outlives_the_first(start_server, folder, cache):
    first = open_editor(start_server, folder)
    first.settle()
    second = open_editor(start_server, folder)
    second.open_document(folder / "shapes.py", "def second_zebra(): pass\n")
    second.settle()
    assert first.search("second_zebra", mode="symbol") == ["shapes.py second_zebra"]
    assert is_relay(first) and is_relay(second)
    # The newest text of a document counts, and the other one when that is closed.
    mine = first.open_document(folder / "shapes.py", "def first_zebra(): pass\n")
    first.settle()
    assert second.search("first_zebra", mode="symbol") == ["shapes.py first_zebra"]
    first.close_document(mine)
    first.settle()
    assert second.search("second_zebra", mode="symbol") == ["shapes.py second_zebra"]
    assert first.shut_down() == 0
    assert second.search("second_zebra", mode="symbol") == ["shapes.py second_zebra"]
    assert engine_id(cache)
    assert second.shut_down() == 0


def test_who_joins_with_other_settings_is_told(start_server, start_agent, folder):
    agent = start_agent(options=("--set", 'index.exclude=["*.js"]'))
    assert sees(agent, "load_config")
    editor = open_editor(start_server, folder)
    editor.settle()
    editor.wait_for_notification(
        "window/logMessage", lambda params: "index.exclude" in params["message"]
    )
    other = start_agent()
    assert "index.exclude" in other.tool("search", query="load_config")
    assert "index.exclude" not in other.tool("search", query="load_config")


def test_the_engine_imports_what_the_agent_does(cache, start_agent, tmp_path, monkeypatch):
    folder = tmp_path / "hooks"
    folder.mkdir()
    code = "import os\nopen(os.path.join(os.path.dirname(__file__), str(os.getpid())), 'w').close()"
    (folder / "sitecustomize.py").write_text(code)
    paths = ["hooks", *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.chdir(tmp_path)
    start_agent()
    assert (folder / str(engine_id(cache))).exists()


@pytest.mark.slow
def test_an_editor_that_vanishes_leaves_no_text_behind(start_server, start_agent, folder):
    agent = start_agent()
    assert sees(agent, "load_config")
    editor = open_editor(start_server, folder)
    editor.open_document(folder / "config.py", "def unsaved_zebra(): pass\n")
    editor.settle()
    assert sees(agent, "unsaved_zebra")
    editor.kill()
    wait_until(lambda: sees(agent, "load_config"))


@pytest.mark.slow
def test_the_command_line_asks_the_engine_of_agents(
    start_server, start_agent, folder, cache, tmp_path
):
    agent = start_agent()
    assert sees(agent, "load_config")
    editor = open_editor(start_server, folder)
    text = (
        "def unsaved_zebra(path):\n    return path\n\n\ndef unsaved_horse(path):\n    return path\n"
    )
    editor.open_document(folder / "new.py", text)
    editor.settle()

    def ask(*command: str) -> str:
        done = packhound(tmp_path, *command, "--root", str(folder))
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "new.py" in ask("search", "unsaved_zebra")
    explanation = json.loads(ask("explain", "unsaved_zebra", "new.py:1", "--json"))
    assert (explanation["name"], explanation["path"]) == ("unsaved_zebra", "new.py")
    assert any(group["signals"] for group in explanation["groups"])
    assert "unsaved_horse" in ask("related", "new.py:1")
    status = json.loads(ask("status", "--json"))
    assert (status["files"], status["writer"]) == (3, True)
    # The editor is slow to find the next engine.
    os.kill(editor.process.pid, signal.SIGSTOP)
    kill_engine(cache)
    resume = threading.Timer(1.0, os.kill, (editor.process.pid, signal.SIGCONT))
    resume.start()
    assert "new.py" in ask("search", "unsaved_zebra")
    resume.join()


def test_a_relay_repeats_the_folders_that_are_open_and_not_each_change() -> None:
    dialect = LspDialect()

    def change(added: list[str], removed: list[str]) -> None:
        event = {
            name: [{"uri": uri, "name": uri} for uri in uris]
            for name, uris in (("added", added), ("removed", removed))
        }
        method = "workspace/didChangeWorkspaceFolders"
        dialect.note(Message(b"", {"method": method, "params": {"event": event}}))

    for _ in range(1_000):
        change(["file:///a", "file:///b"], [])
        change([], ["file:///b", "file:///first"])
    [frame] = dialect.state()
    [value] = FrameReader(Chunks([frame]))
    event = value["params"]["event"]
    assert [folder["uri"] for folder in event["added"]] == ["file:///a"]
    assert {folder["uri"] for folder in event["removed"]} == {"file:///b", "file:///first"}
