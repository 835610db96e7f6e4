"""From the first message to the last, as the protocol has it, one line a rule."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from raw import COMMAND, PATIENCE_S, RawClient, frame

from packhound.core.parent_process import is_alive


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
def test_requests_in_each_state(started, before, codes):
    client = started()
    for method in before:
        client.result(method)
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
def test_exit_codes(started, steps, code):
    client = started()
    for step in steps:
        if step == "exit":
            client.notify("exit")
        elif step == "hang up":
            client.process.stdin.close()
        else:
            client.result(step)
    assert client.end() == code


def test_unknown_notifications_are_ignored(client):
    for method in ("$/made/up", "made/up", "initialized", "textDocument/willSave"):
        client.notify(method, {})
    assert client.result("packhound/status")["files"] == 2


def test_an_id_in_use_is_refused(client):
    message = {"jsonrpc": "2.0", "id": 5_000, "method": "packhound/status"}
    for _ in range(50):
        client.send(frame(message))
    answers = [client.reply(5_000) for _ in range(50)]
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
def test_no_client_is_refused(started, params):
    client = started()
    assert client.result("initialize", params)["capabilities"]["positionEncoding"] == "utf-16"
    client.notify("initialized")
    assert client.result("packhound/status")["state"] == "ready"


def test_a_client_that_never_says_initialized_is_served(started, folder):
    client = started()
    folders = [{"uri": folder.as_uri(), "name": "x"}]
    client.result("initialize", {"capabilities": {}, "workspaceFolders": folders})
    assert client.result("packhound/status", {"wait": True})["files"] == 2


def test_a_home_directory_is_not_indexed_unasked(started):
    client = started()
    client.initialize(Path.home())
    client.wait_for_notice("window/logMessage", lambda p: str(Path.home()) in p["message"])
    status = client.result("packhound/status")
    assert (status["files"], status["roots"]) == (0, [])
    assert str(Path.home()) in status["notes"][0]
    assert client.result("packhound/search", {"query": "anything"})["hits"] == []


def wait_for_end_of(process_id: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while is_alive(process_id):
        assert time.monotonic() < deadline, "it is still there"
        time.sleep(0.01)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_the_end_of_the_editor_ends_the_server(tmp_path, folder):
    # The pipes stay open in this process, as they do when another child of the editor has them.
    wrapper = (
        "import subprocess, sys, os, time\n"
        f"process = subprocess.Popen({COMMAND!r})\n"
        "sys.stderr.write(f'{process.pid}\\n'); sys.stderr.flush()\n"
        "time.sleep(600)\n"
    )
    client = RawClient(tmp_path / "cache", [sys.executable, "-c", wrapper])
    server = int(client.process.stderr.readline())
    client.initialize(folder, processId=client.process.pid)
    assert is_alive(server)
    os.kill(client.process.pid, signal.SIGKILL)
    client.process.wait()
    wait_for_end_of(server)
    client.close()


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_process_that_is_not_waited_for_is_not_alive():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert is_alive(process.pid)
    process.stdin.close()
    wait_for_end_of(process.pid)
    process.wait()
    assert is_alive(os.getpid())
    assert not is_alive(2**40)
