"""Values that are not legal are refused in one line that names them, and nothing is read."""

from __future__ import annotations

import pytest

from tests.support.lsp_client import LspClient, write_files

URI = {"uri": "file:///nowhere/else.py"}
START = {"position": {"line": 0, "character": 0}}


@pytest.mark.parametrize(
    ("method", "params", "named"),
    [
        ("search", {}, "'query' is missing"),
        ("search", {"query": 5}, "'query' is 5"),
        ("search", {"query": "x" * 1_000_000}, "1,000,000 characters"),
        ("search", {"query": "x", "limit": 0}, "between 1 and 1,000"),
        ("search", {"query": "x", "limit": -1}, "'limit' is -1"),
        ("search", {"query": "x", "limit": 1_000_000_000}, "1000000000"),
        ("search", {"query": "x", "limit": True}, "'limit' is True"),
        ("search", {"query": "x", "limit": "five"}, "'limit' is 'five'"),
        ("search", {"query": "x", "limits": 5}, "did you mean 'limit'?"),
        ("search", {"query": "x", "mode": "psychic"}, "hybrid, lexical, dense, symbol"),
        ("search", {"query": "x", "kinds": ["klass"]}, "'kinds' contains 'klass'"),
        ("search", {"query": "x", "languages": [1]}, "'languages' contains 1"),
        ("search", {"query": "x", "paths": ["a\0b"]}, "'paths'"),
        ("search", {"query": "x", "paths": ["a"] * 500}, "'paths'"),
        ("search", {"query": "x", "focus": 5}, "'focus' is 5"),
        ("search", {"query": "x", "focus": {}}, "'uri' is missing"),
        ("explain", {**URI, **START, "query": "x"}, "in no indexed folder"),
        ("explain", {"query": "x", **START}, "'uri' is missing"),
        ("related", {**START, "uri": "file://host/share/x.py"}, "in no indexed folder"),
        ("related", {**START, "uri": "../../etc/passwd"}, "in no indexed folder"),
        ("related", {**START, "uri": "file:///etc%00/passwd"}, "in no indexed folder"),
        ("pack", {}, "'prompt' is missing"),
        ("pack", {"prompt": "x", "budget": -1}, "'budget' is -1"),
        ("pack", {"prompt": "x", "budget": 5, "reserve": 6}, "'reserve' is 6"),
        ("pack", {"prompt": "x", "format": "pdf"}, "markdown, xml, json"),
        ("pack", {"prompt": "x", "tokenizer": 5}, "'tokenizer' is 5"),
        ("neighbors", {**URI, **START}, "in no indexed folder"),
        ("status", {"wait": "yes"}, "'wait' is 'yes'"),
    ],
)
def test_what_is_not_legal_is_named(client_of_module, method, params, named):
    answer = client_of_module.call(f"packhound/{method}", params)
    assert answer["error"]["code"] == -32602
    assert named in answer["error"]["message"]
    assert "\n" not in answer["error"]["message"]


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"command": "packhound.server.nothing"}, "packhound.server.search"),
        ({"command": None}, "packhound.server.search"),
        ({"command": "packhound.server.search", "arguments": [1]}, "one object or nothing"),
        ({"command": "packhound.server.search", "arguments": [{}, {}]}, "one object or nothing"),
        ({"command": "packhound.server.search"}, "'query' is missing"),
        ({"command": "packhound.server.explain"}, "'query' is missing"),
    ],
)
def test_what_is_no_command_is_named(client_of_module, params, named):
    answer = client_of_module.call("workspace/executeCommand", params)
    assert answer["error"]["code"] == -32602
    assert named in answer["error"]["message"]


def test_a_progress_token_may_be_anything(client_of_module):
    for token in ({}, [], None, "packhound-indexing-99"):
        client_of_module.notify("window/workDoneProgress/cancel", {"token": token})
    assert client_of_module.request("packhound/status")
    assert not client_of_module.tracebacks()


@pytest.mark.parametrize("path", ["..%2f..%2fetc/passwd", "../../../../../../etc/passwd"])
def test_no_file_outside_the_folders_is_reached(client_of_module, path, request):
    uri = f"{client_of_module.folder.as_uri()}/{path}"
    answer = client_of_module.call("packhound/related", {"uri": uri, **START})
    assert "error" in answer or answer["result"]["hits"] == []


@pytest.fixture(scope="module")
def client_of_module(tmp_path_factory):
    base = tmp_path_factory.mktemp("module")
    client = LspClient(base / "cache", forked=True)
    client.folder = write_files(base / "workspace")
    client.initialize(client.folder)
    client.settle()
    yield client
    client.kill()
