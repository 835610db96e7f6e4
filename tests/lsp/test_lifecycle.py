"""From the first message to the last, as the protocol has it, one line a rule."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from packhound.core.parent_process import is_alive
from tests.support.lsp_client import COMMAND, LspClient, frame, wait_until


@pytest.mark.parametrize(
    ("before", "codes"),
    [
        (
            [],
            {
                "packhound/search": -32002,
                "workspace/symbol": -32002,
                "shutdown": -32002,
                "x": -32002,
            },
        ),
        (
            ["initialize"],
            {
                "initialize": -32600,
                "made/up": -32601,
                "$/made/up": -32601,
                "packhound/search": -32602,
                "workspace/executeCommand": -32602,
                "packhound/status": None,
                "shutdown": None,
            },
        ),
        (
            ["initialize", "shutdown"],
            {"packhound/status": -32600, "initialize": -32600, "shutdown": -32600, "x": -32600},
        ),
    ],
)
def test_requests_in_each_state(start_server, before, codes):
    client = start_server()
    for method in before:
        client.request(method)
    answers = {method: client.call(method) for method in codes}
    assert {m: a.get("error", {}).get("code") for m, a in answers.items()} == codes


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        (["exit"], 1),
        (["initialize", "exit"], 1),
        (["initialize", "shutdown", "exit"], 0),
        (["initialize", "shutdown", "hang up"], 0),
        (["initialize", "hang up"], 1),
        (["hang up"], 1),
    ],
)
def test_exit_codes(start_server, steps, code):
    client = start_server()
    for step in steps:
        if step == "exit":
            client.notify("exit")
        elif step == "hang up":
            client.process.stdin.close()
        else:
            client.request(step)
    assert client.wait_for_exit() == code


def test_unknown_notifications_are_ignored(client):
    for method in ("$/made/up", "made/up", "initialized", "textDocument/willSave"):
        client.notify(method, {})
    assert client.request("packhound/status")["files"] == 2


def test_an_id_in_use_is_refused(client):
    message = {"jsonrpc": "2.0", "id": 5_000, "method": "packhound/status"}
    for _ in range(50):
        client.send(frame(message))
    answers = [client.response(5_000) for _ in range(50)]
    assert {answer.get("error", {}).get("code") for answer in answers} <= {None, -32600}
    assert any("result" in answer for answer in answers)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"capabilities": None},
        {"capabilities": [], "processId": "x", "clientInfo": 5, "workspaceFolders": [None, 3]},
        {"trace": "compact", "capabilities": {"general": {"positionEncodings": ["utf-7"]}}},
        {
            "capabilities": {
                "workspace": {
                    "symbol": {"symbolKind": {"valueSet": [*range(1, 99)]}},
                    "workspaceEdit": {"resourceOperations": ["zap"], "failureHandling": "weird"},
                },
                "textDocument": {"hover": {"contentFormat": ["html", 7]}},
            }
        },
        {"initializationOptions": "all", "rootUri": "vscode-remote://x/y", "rootPath": 5},
    ],
)
def test_no_client_is_refused(start_server, params):
    client = start_server()
    assert client.request("initialize", params)["capabilities"]["positionEncoding"] == "utf-16"
    client.notify("initialized")
    assert client.request("packhound/status")["state"] == "ready"


def test_a_client_that_never_says_initialized_is_served(start_server, folder):
    client = start_server()
    folders = [{"uri": folder.as_uri(), "name": "x"}]
    client.request("initialize", {"capabilities": {}, "workspaceFolders": folders})
    assert client.settle()["files"] == 2


def test_a_home_directory_is_not_indexed_unasked(start_server):
    client = start_server()
    client.initialize(Path.home())
    client.wait_for_notification("window/logMessage", lambda p: str(Path.home()) in p["message"])
    status = client.request("packhound/status")
    assert (status["files"], status["roots"]) == (0, [])
    assert str(Path.home()) in status["notes"][0]
    assert client.request("packhound/search", {"query": "anything"})["hits"] == []


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_the_end_of_the_editor_ends_the_server(tmp_path, folder):
    # The pipes stay open in this process, as they do when another child of the editor has them.
    wrapper = (
        "import subprocess, sys, os, time\n"
        f"process = subprocess.Popen({COMMAND!r})\n"
        "sys.stderr.write(f'{process.pid}\\n'); sys.stderr.flush()\n"
        "time.sleep(600)\n"
    )
    client = LspClient(tmp_path / "cache", [sys.executable, "-c", wrapper])
    wait_until(lambda: client.stderr)
    server = int(client.stderr[0])
    client.initialize(folder, processId=client.process.pid)
    assert is_alive(server)
    os.kill(client.process.pid, signal.SIGKILL)
    client.process.wait()
    wait_until(lambda: not is_alive(server))
    client.kill()


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_process_that_is_not_waited_for_is_not_alive():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert is_alive(process.pid)
    process.stdin.close()
    wait_until(lambda: not is_alive(process.pid))
    process.wait()
    assert is_alive(os.getpid())
    assert not is_alive(2**40)
