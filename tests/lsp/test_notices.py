"""What a client is told unasked: bad settings, and log lines of the level that it wants."""

from __future__ import annotations

import pytest

from tests.support.lsp_client import eventually

BAD = {"search": {"limit": 0, "hover": "sometimes"}}


SHOW = "window/showMessage"
LOG = "window/logMessage"


def messages_of(client):
    return [n["params"]["message"] for n in client.notifications if n["method"] == SHOW]


def test_bad_settings_are_said_once_with_the_legal_values_and_gone_after_repair(client):
    for _ in range(2):
        client.notify("workspace/didChangeConfiguration", {"settings": {"packhound": BAD}})
    client.wait_for_notification(SHOW, lambda params: "search.hover" in params["message"])
    notes = client.settle()["notes"]
    assert any("search.limit" in note and "between 1 and" in note for note in notes)
    assert any("search.hover" in note and "one of: results, always" in note for note in notes)
    messages = messages_of(client)
    assert len(messages) == len(set(messages)) == 2, messages
    client.wait_for_notification(
        "packhound/indexState", lambda state: set(notes) == set(state["notes"])
    )

    client.notify("workspace/didChangeConfiguration", {"settings": {"packhound": {}}})
    # That the index of words alone was not used any more is said for a while.
    assert eventually(lambda: notes_of_encoder(client), []) == []


def test_an_editor_that_shows_notes_is_not_sent_messages_too(start_server, folder):
    client = start_server()
    client.initialize(folder, initializationOptions={"showsNotes": True, **BAD})
    assert len(client.settle()["notes"]) == 2
    assert messages_of(client) == []


def notes_of_encoder(client):
    return [note for note in client.settle()["notes"] if "encoder.path" in note]


def test_a_model_folder_that_is_missing_names_its_setting(start_server, folder):
    client = start_server()
    client.initialize(folder, initializationOptions={"encoder": {"path": "/nowhere"}})
    (note,) = client.settle()["notes"]
    assert note.startswith("lexical search only: setting 'encoder.path': model folder /nowhere")
    client.notify("workspace/didChangeConfiguration", {"settings": {"encoder": {"path": ""}}})
    assert eventually(lambda: notes_of_encoder(client), []) == []


@pytest.mark.parametrize("level", ["debug", "info"])
def test_log_lines_follow_the_level_of_the_client(client, level):
    client.notify("packhound/logLevel", {"level": level})
    client.notify("packhound/logLevel", {"level": "loud"})
    client.notify("$/unknownNotification", {})
    client.settle()
    logged = [n["params"]["message"] for n in client.notifications if n["method"] == LOG]
    assert any("unknownNotification" in line for line in logged) == (level == "debug"), logged


@pytest.mark.parametrize("trace", ["verbose", "off"])
def test_log_lines_follow_the_trace_of_the_client(client, trace):
    client.notify("$/setTrace", {"value": "verbose"})
    client.notify("$/setTrace", {"value": trace})
    client.notify("$/unknownNotification", {})
    client.settle()
    logged = [n["params"]["message"] for n in client.notifications if n["method"] == LOG]
    assert any("unknownNotification" in line for line in logged) == (trace == "verbose"), logged


@pytest.mark.parametrize(("editor", "container"), [("Visual Studio Code", ""), ("hx", "shapes.py")])
def test_a_symbol_shows_its_path_once(start_server, folder, editor, container):
    client = start_server()
    client.initialize(folder, clientInfo={"name": editor})
    client.settle()
    (circle,) = client.request("workspace/symbol", {"query": "Circle"})[:1]
    assert circle["name"] == "Circle"
    assert circle.get("containerName", "") == container


def test_settings_may_be_nested_as_deep_as_their_names(start_server, folder):
    client = start_server()
    nested = {"sources": {"notes": {"enabled": 7}}}
    client.initialize(folder, initializationOptions={"showsNotes": True, **nested})
    (note,) = client.settle()["notes"]
    assert note.startswith("setting 'sources.notes.enabled' is 7; expected one of: true, false")


def test_all_bad_settings_are_named_at_once(start_server, folder):
    client = start_server()
    bad = {"search": {"limit": 0, "fuser": "magic", "scorers": ["spell=2"]}}
    client.initialize(folder, initializationOptions={"showsNotes": True, **bad})
    limit, fuser, scorer = client.settle()["notes"]
    assert limit.startswith("setting 'search.limit' is 0; ")
    assert fuser == "setting 'search.fuser' is 'magic'; expected one of: linear, blend, rrf"
    assert scorer == "setting 'search.scorers' is 'spell'; expected one of: nothing"
