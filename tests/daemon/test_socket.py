"""Other processes ask the running server, and see what its editor has not saved."""

from __future__ import annotations

import json
import os
import socket
import stat
import threading
import time
from contextlib import closing, suppress
from functools import partial

import pytest

from packhound.core.errors import PackhoundError, SettingsError, StoreError
from packhound.core.settings_reader import settings_from
from packhound.core.types import Document
from packhound.core.user_folders import cache_folder
from packhound.daemon import connect
from packhound.daemon.client import SESSION
from packhound.daemon.requests import serve_command_line
from packhound.daemon.socket_server import SocketServer
from packhound.relay import EditorTexts
from packhound.service import EnginePool

ADDRESS = "engine.json"


@pytest.fixture(scope="module")
def pool(folder):
    pool = EnginePool(linger_s=60)
    engine = pool.acquire(folder, settings_from({"index.persist": False}), lambda: None)
    assert engine.settled(60)
    yield pool
    pool.close()


@pytest.fixture
def engine(pool, folder):
    return pool.get(folder)


def serve(pool) -> SocketServer:
    sessions = {SESSION: partial(serve_command_line, pool, EditorTexts(cache_folder()))}
    return SocketServer(cache_folder(), sessions)


@pytest.fixture
def server(pool):
    served = serve(pool)
    yield served
    served.close()


def test_unsaved_text_is_seen(folder, engine, server):
    engine.update(Document("new.py", b"def unsaved_idea():\n    return 1\n"))
    connection = connect([folder])
    answer = connection.answer("search", {"query": "unsaved_idea", "limit": 1})
    connection.close()
    assert answer["hits"][0]["path"] == "new.py"


def test_sources_are_counted_and_rebuilt_by_the_server(engine, server):
    engine.update(Document("AGENTS.md", b"# Rules\nAsk before you push.\n"))
    connection = connect([engine.root])
    rows = {row["name"]: row for row in connection.answer("status", {"sources": True})["sources"]}
    assert (rows["knowledge"]["records"], rows["knowledge"]["problems"]) == (1, [])
    [rebuilt] = connection.answer("rebuild_sources", {"sources": ["knowledge"]})["rebuilt"]
    counts = {"name": "knowledge", "records": 1, "reused": 1, "regenerated": 0}
    assert rebuilt == {"root": str(engine.root), **counts}
    connection.close()


def test_refusals_come_back_as_ours(engine, server):
    connection = connect([engine.root])
    with pytest.raises(SettingsError, match="limit"):
        connection.answer("search", {"query": "x", "limit": 0})
    assert connection.answer("status", {})["state"] in ("ready", "degraded")
    connection.close()


def test_only_the_owner_may_ask(engine, server):
    printed = json.loads((cache_folder() / ADDRESS).read_text())
    if os.name == "posix":
        for name in (ADDRESS, ADDRESS.replace("json", "sock")):
            actual = cache_folder() / name
            if actual.exists():
                assert stat.S_IMODE(actual.stat().st_mode) == 0o600
        assert stat.S_IMODE(cache_folder().stat().st_mode) == 0o700
    family = socket.AF_UNIX if isinstance(printed["address"], str) else socket.AF_INET
    with socket.socket(family) as stranger:
        address = printed["address"]
        stranger.connect(address if isinstance(address, str) else tuple(address))
        stranger.sendall(b'{"token": "x", "session": "folders", "arguments": {}}\nnonsense\n[]\n')
        lines = stranger.makefile("rb")
        assert [set(json.loads(lines.readline())) for _ in range(3)] == [{"error"}] * 3


def test_nobody_there_is_none(folder):
    address = cache_folder() / ADDRESS
    assert connect([folder]) is None
    for text in ('{"address": ["10.0.0.1", 80], "token": "x"}', "{"):
        address.write_text(text)
        assert connect([folder]) is None
    address.unlink()


def test_a_folder_that_is_not_open_is_not_served(server, folder, tmp_path):
    assert connect([tmp_path]) is None
    with closing(connect([folder])) as connection:
        assert connection.answer("status", {})["files"] > 0


def test_folders_are_opened_beside_one_that_is(server, folder, tmp_path):
    (tmp_path / "b.py").write_text("def beside_the_other(): pass\n")
    with closing(connect([folder, tmp_path])) as connection:
        answer = connection.answer("search", {"query": "beside_the_other"})
    assert answer["hits"][0]["root"] == str(tmp_path)


def test_a_server_that_goes_away_is_told(pool, engine):
    served = serve(pool)
    connection = connect([engine.root])
    assert connection.answer("status", {})
    served.close()
    with pytest.raises(StoreError):
        connection.answer("status", {})
    connection.close()
    assert connect([engine.root]) is None


def status_of(engine) -> dict:
    """What the server tells of itself."""
    return json.loads((cache_folder() / ADDRESS).read_text())


def dial(address: object) -> socket.socket:
    """A connection of a stranger, as soon as there is room among those that wait for one."""
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    while True:
        stranger = socket.socket(family)
        stranger.settimeout(30)
        try:
            stranger.connect(address if isinstance(address, str) else tuple(address))
        except BlockingIOError:
            stranger.close()
            time.sleep(0.01)
        else:
            return stranger


def wait_until(happened) -> None:
    for _ in range(3_000):
        if happened():
            return
        time.sleep(0.01)
    raise AssertionError("it never happened")


def is_answered(engine) -> bool:
    """Return True if the server answers before its client's patience with a busy one ends."""
    with suppress(StoreError), closing(connect([engine.root])) as connection:
        return connection.answer("status", {})["files"] > 0
    return False


def n_threads() -> int:
    return sum(thread.name == "packhound-connection" for thread in threading.enumerate())


def test_a_thousand_hang_ups(engine, server):
    printed = status_of(engine)
    arguments = {"roots": [str(engine.root)]}
    begin = {"token": printed["token"], "session": SESSION, "arguments": arguments}
    ask = {"jsonrpc": "2.0", "id": 1, "method": "search", "params": {"query": "records"}}
    request = b"".join(json.dumps(message).encode() + b"\n" for message in (begin, ask))
    for number in range(1_000):
        with dial(printed["address"]) as stranger:
            # At once, within a question, or without waiting for the answer.
            stranger.sendall((b"", request[: number % len(request)], request)[number % 3])
    wait_until(lambda: n_threads() == 0)
    wait_until(lambda: is_answered(engine))


def test_those_who_hold_the_line_keep_nobody_else_from_it_for_long(engine, server):
    printed = status_of(engine)
    strangers = [dial(printed["address"]) for _ in range(100)]
    wait_until(lambda: n_threads() == 64)
    assert is_answered(engine), "who asks for nothing gives way"
    for stranger in strangers:
        stranger.close()
    wait_until(lambda: n_threads() == 0)
    wait_until(lambda: is_answered(engine))


def test_closing_ends_every_thread_and_leaves_the_address_of_another_server(pool, engine):
    first, second = serve(pool), serve(pool)
    assert second.reachable and not first.reachable
    with dial(status_of(engine)["address"]):
        first.close()
        wait_until(lambda: n_threads() == 1)
        wait_until(lambda: is_answered(engine))
        second.close()
    wait_until(lambda: not any("packhound-socket" in t.name for t in threading.enumerate()))
    assert connect([engine.root]) is None and not (cache_folder() / ADDRESS).exists()


@pytest.mark.parametrize(
    ("tool", "is_repeated"), [("search", True), ("remember", False), ("memory/add", False)]
)
def test_what_may_have_been_written_is_not_asked_of_another(
    tmp_path, monkeypatch, tool, is_repeated
):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path))
    server: SocketServer

    def session(connection: socket.socket, arguments: object) -> None:
        with connection.makefile("rwb") as stream:
            asked = json.loads(stream.readline())
            answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": ["here"]}}
            stream.write(json.dumps(answer).encode() + b"\n")
            stream.flush()
            stream.readline()
            server.close()

    server = SocketServer(tmp_path, {SESSION: session})
    connection = connect([tmp_path])
    with pytest.raises(PackhoundError) as problem:
        connection.answer(tool, {})
    connection.close()
    assert isinstance(problem.value, StoreError) == is_repeated
