"""No request leaves a cycle: what it computed goes at once, not when garbage is collected."""

from __future__ import annotations

import gc
import itertools
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from packhound.core.user_folders import cache_folder
from packhound.daemon import connect
from packhound.daemon.client import SESSION
from packhound.daemon.requests import serve_command_line
from packhound.daemon.socket_server import SocketServer
from packhound.lsp import serve_editor
from packhound.mcp import serve_agent
from packhound.relay import EditorTexts
from packhound.service import EnginePool
from tests.support.git_repository import git
from tests.support.lsp_client import frame
from tests.support.tool_folder import FILES, folder

__all__ = ["folder"]

Ask = Callable[[str, Mapping[str, Any]], Any]

REPORT = 'Traceback:\n  File "store/disk.py", line 11, in load_records\nValueError: no records'
QUERIES: dict[str, dict[str, Any]] = {
    "a question": {"query": "where are records read from a file"},
    "files": {"query": "copy records", "files": True},
    "a symbol": {"query": "load_records", "mode": "symbol"},
    "a bug report": {"query": REPORT},
    "a regular expression": {"query": "/load_\\w+/ records"},
    "a listing": {"query": "lang:python"},
    "a bad query": {"query": "records", "limit": 0},
}


def begin(sessions: Callable[[socket.socket, Any], None], arguments: object) -> socket.socket:
    """Return the client's end of a session in this process."""
    ours, theirs = socket.socketpair()

    def run() -> None:
        with theirs:
            sessions(theirs, arguments)

    threading.Thread(target=run, daemon=True).start()
    return ours


class LspSession:
    """A session of an editor."""

    def __init__(self, pool: EnginePool) -> None:
        sessions = partial(serve_editor, pool, EditorTexts(cache_folder()))
        self._socket = begin(sessions, {"relay": os.getpid()})
        self._stream = self._socket.makefile("rb")
        self._ids = itertools.count(1)

    def notify(self, method: str, params: object) -> None:
        self._socket.sendall(frame({"jsonrpc": "2.0", "method": method, "params": params}))

    def ask(self, method: str, params: object) -> Any:
        """Return the result of a request, None if it is an error."""
        sent = next(self._ids)
        request = {"jsonrpc": "2.0", "id": sent, "method": method, "params": params}
        self._socket.sendall(frame(request))
        while header := self._stream.readline():
            self._stream.readline()
            message = json.loads(self._stream.read(int(header.removeprefix(b"Content-Length:"))))
            if "method" in message and "id" in message:
                answer = {"jsonrpc": "2.0", "id": message["id"], "result": None}
                self._socket.sendall(frame(answer))
            elif message.get("id") == sent:
                return message.get("result")
        raise AssertionError("the session has ended")

    def close(self) -> None:
        self._stream.close()
        self._socket.close()


@pytest.fixture(scope="module")
def pool() -> Iterator[EnginePool]:
    pool = EnginePool()
    yield pool
    pool.close()


@pytest.fixture(scope="module")
def lsp(pool: EnginePool, folder: Path) -> Iterator[LspSession]:
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Keep records")
    (folder / "app.py").write_text(FILES["app.py"].replace("disk", "store"))
    session = LspSession(pool)
    workspace = [{"uri": folder.as_uri(), "name": "work"}]
    params = {"processId": None, "rootUri": None, "workspaceFolders": workspace}
    session.ask("initialize", {**params, "capabilities": {}})
    session.notify("initialized", {})
    session.ask("packhound/status", {"wait": True})
    yield session
    session.close()


def garbage(ask: Callable[[], object]) -> set[str]:
    """The types of the objects in cycles that a request leaves."""
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        # A thread may hold the last answer a while longer.
        for _ in range(3):
            ask()
        gc.collect()
        return {type(item).__name__ for item in gc.garbage}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.collect()


def left(requests: Mapping[str, Callable[[], object]]) -> dict[str, set[str]]:
    """What each request leaves, of those that leave anything."""
    for ask in requests.values():
        ask()  # What is made once and kept is made now.
    gc.collect()
    gc.freeze()  # Collections look at what is new alone.
    try:
        all_left = {name: garbage(ask) for name, ask in requests.items()}
    finally:
        gc.unfreeze()
    return {name: types for name, types in all_left.items() if types}


def test_no_request_of_an_editor_leaves_garbage(lsp: LspSession, folder: Path) -> None:
    document = {"uri": (folder / "store/disk.py").as_uri()}
    here = {"textDocument": document, "position": {"line": 8, "character": 10}}
    [item] = lsp.ask("textDocument/prepareCallHierarchy", here)
    versions, disk = itertools.count(2), FILES["store/disk.py"]
    lsp.notify(
        "textDocument/didOpen",
        {"textDocument": {**document, "languageId": "python", "version": 1, "text": disk}},
    )

    def edit_and_search() -> None:
        version = next(versions)
        text = f"{disk}\n\ndef name_{version}():\n    return other_{version}\n"
        change = {"textDocument": {**document, "version": version}}
        lsp.notify("textDocument/didChange", {**change, "contentChanges": [{"text": text}]})
        [hit, *_] = lsp.ask("packhound/search", {"query": f"name_{version}"})["hits"]
        assert hit["name"] == f"name_{version}"

    def forget_a_note() -> None:
        note = lsp.ask(
            "packhound/memory/add", {"type": "insight", "key": "k", "content": "records"}
        )
        lsp.ask("packhound/memory/forget", {"id": note["id"]})

    questions = {
        **{f"packhound/search {name}": query for name, query in QUERIES.items()},
        "packhound/grep": {"pattern": "def \\w+"},
        "packhound/grep of a bad pattern": {"pattern": "("},
        "packhound/explain": {"query": "records", **here},
        "packhound/related": here,
        "packhound/neighbors": here,
        "packhound/symbol": {"name": "load_records"},
        "packhound/read": {"ref": "store/disk.py:9"},
        "packhound/changes": {},
        "packhound/status": {},
        "packhound/pack": {"prompt": "where are records read", "budget": 2_000},
        "packhound/memory/list": {},
        "packhound/memory/search": {"query": "records"},
        "textDocument/hover": here,
        "textDocument/documentSymbol": {"textDocument": document},
        "workspace/symbol": {"query": "load"},
        "textDocument/prepareCallHierarchy": here,
        "callHierarchy/incomingCalls": {"item": item},
        "callHierarchy/outgoingCalls": {"item": item},
        "an unknown request": {},
    }
    asks = {n: lambda n=n, p=p: lsp.ask(n.split()[0], p) for n, p in questions.items()}
    answered = {name for name, ask in asks.items() if ask() is not None}
    assert asks.keys() - answered == {
        "packhound/search a bad query",
        "packhound/grep of a bad pattern",
        "an unknown request",
    }
    edits = {"an edit and its search": edit_and_search, "a note": forget_a_note}
    assert left({**asks, **edits}) == {}


def test_no_tool_call_of_an_agent_leaves_garbage(
    pool: EnginePool, lsp: LspSession, folder: Path
) -> None:
    settings = {"mcp.tools": ["default", "memory"]}
    roots = {"roots": [str(folder)], "started_in": str(folder)}
    sessions = partial(serve_agent, pool, EditorTexts(cache_folder()))
    ours = begin(sessions, {"settings": settings, **roots})
    stream, ids = ours.makefile("rb"), itertools.count(1)

    def ask(method: str, params: Mapping[str, Any]) -> Any:
        sent = next(ids)
        request = {"jsonrpc": "2.0", "id": sent, "method": method, "params": params}
        ours.sendall(json.dumps(request).encode() + b"\n")
        while (message := json.loads(stream.readline())).get("id") != sent:
            pass
        return message

    client = {"name": "agent", "version": "1"}
    ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
    here = {"path": "store/disk.py", "line": 9}
    calls: dict[str, dict[str, Any]] = {
        "search": {"query": "where are records read"},
        "search in vain": {"query": "zygote quark"},
        "search badly": {"query": ""},
        "grep": {"pattern": "def "},
        "related": here,
        "symbol": {"name": "load_records"},
        "changes": {},
        "pack": {"prompt": "where are records read"},
        "outline": {},
        "read_node": here,
        "status": {},
        "recall": {"key": "records"},
    }

    def call(name: str) -> Any:
        return ask("tools/call", {"name": name.split()[0], "arguments": calls[name]})["result"]

    assert [name for name in calls if call(name).get("isError")] == ["search badly"]
    requests = {name: lambda name=name: call(name) for name in calls}
    assert left({**requests, "the list": lambda: ask("tools/list", {})}) == {}
    stream.close()
    ours.close()


@pytest.mark.slow
def test_no_request_of_the_command_line_leaves_garbage(
    pool: EnginePool, lsp: LspSession, folder: Path
) -> None:
    sessions = {SESSION: partial(serve_command_line, pool, EditorTexts(cache_folder()))}
    server = SocketServer(cache_folder(), sessions)
    connection = connect([folder])
    assert connection
    here, answer = {"path": "store/disk.py:9"}, connection.answer
    asks = {
        "search": lambda: answer("search", {"query": "records"}),
        "explain": lambda: answer("explain", {"query": "records", **here}),
        "related": lambda: answer("related", here),
        "pack": lambda: answer("pack", {"prompt": "where are records read"}),
        "grep": lambda: answer("grep", {"pattern": "def "}),
        "docs": lambda: answer("docs", {}),
        "status": lambda: answer("status", {}),
    }
    assert left(asks) == {}
    connection.close()
    server.close()
