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

from packhound import __version__
from packhound.api.socket_client import connect
from packhound.api.socket_requests import answer
from packhound.api.socket_server import SocketServer, serve_socket
from packhound.core.errors import PackhoundError, SettingsError, StoreError
from packhound.core.types import Document


@pytest.fixture
def server(engine):
    served = serve_socket(engine)
    yield served
    served.close()


def test_unsaved_text_is_seen(engine, server):
    engine.update(Document("new.py", b"def unsaved_idea():\n    return 1\n"))
    connection = connect(engine.folder)
    answer = connection.call("search", {"query": "unsaved_idea", "limit": 1})
    connection.close()
    assert answer["hits"][0]["path"] == "new.py"


def test_sources_are_counted_and_rebuilt_by_the_server(engine, server):
    engine.update(Document("AGENTS.md", b"# Rules\nAsk before you push.\n"))
    connection = connect(engine.folder)
    rows = {row.name: row for row in connection.status().sources}
    assert (rows["knowledge"].records, rows["knowledge"].problems) == (1, ())
    [rebuilt] = connection.rebuild_sources(["knowledge"], regenerate=False)
    assert rebuilt == ("knowledge", 1, 1, 0)
    connection.close()


def test_refusals_come_back_as_ours(engine, server):
    connection = connect(engine.folder)
    with pytest.raises(SettingsError, match="limit"):
        connection.call("search", {"query": "x", "limit": 0})
    assert connection.call("status", {})["state"] in ("ready", "degraded")
    connection.close()


def test_only_the_owner_may_ask(engine, server):
    printed = json.loads((engine.folder / f"server-{__version__}.json").read_text())
    if os.name == "posix":
        for name in (f"server-{__version__}.json", f"server-{__version__}.sock"):
            actual = engine.folder / name
            if actual.exists():
                assert stat.S_IMODE(actual.stat().st_mode) == 0o600
        assert stat.S_IMODE(engine.folder.stat().st_mode) == 0o700
    family = socket.AF_UNIX if isinstance(printed["address"], str) else socket.AF_INET
    with socket.socket(family) as stranger:
        address = printed["address"]
        stranger.connect(address if isinstance(address, str) else tuple(address))
        stranger.sendall(b'{"token": "guess", "tool": "status", "arguments": {}}\nnonsense\n[]\n')
        lines = stranger.makefile("rb")
        assert [set(json.loads(lines.readline())) for _ in range(3)] == [{"error"}] * 3


def test_nobody_there_is_none(engine, tmp_path):
    assert connect(engine.folder) is None
    (tmp_path / f"server-{__version__}.json").write_text(
        '{"address": ["10.0.0.1", 80], "token": "x"}'
    )
    assert connect(tmp_path) is None
    (tmp_path / f"server-{__version__}.json").write_text("{")
    assert connect(tmp_path) is None


def test_a_server_that_goes_away_is_told(engine):
    served = serve_socket(engine)
    connection = connect(engine.folder)
    assert connection.call("status", {})
    served.close()
    with pytest.raises(StoreError):
        connection.call("status", {})
    connection.close()
    assert connect(engine.folder) is None


def status_of(engine) -> dict:
    """What the server tells of itself."""
    return json.loads((engine.folder / f"server-{__version__}.json").read_text())


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
    with suppress(StoreError), closing(connect(engine.folder)) as connection:
        return connection.call("status", {})["files"] > 0
    return False


def n_threads() -> int:
    return sum(thread.name == "packhound-connection" for thread in threading.enumerate())


def test_a_thousand_hang_ups(engine, server):
    printed = status_of(engine)
    question = {"token": printed["token"], "tool": "search", "arguments": {"query": "records"}}
    request = json.dumps(question).encode() + b"\n"
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
    for stranger in strangers:
        stranger.close()
    wait_until(lambda: n_threads() == 0)
    wait_until(lambda: is_answered(engine))


def test_closing_ends_every_thread_and_leaves_the_address_of_another_server(engine):
    first = SocketServer(engine.folder, partial(answer, engine))
    second = SocketServer(engine.folder, partial(answer, engine))
    assert second.reachable and not first.reachable
    with dial(status_of(engine)["address"]):
        first.close()
        wait_until(lambda: n_threads() == 1)
        wait_until(lambda: is_answered(engine))
        second.close()
    wait_until(lambda: not any("packhound-socket" in t.name for t in threading.enumerate()))
    assert connect(engine.folder) is None and not list(engine.folder.glob("server-*"))


@pytest.mark.parametrize(
    ("tool", "is_repeated"), [("search", True), ("remember", False), ("memory/add", False)]
)
def test_what_may_have_been_written_is_not_asked_of_another(tmp_path, tool, is_repeated):
    server = SocketServer(tmp_path, lambda name, arguments: server.close() or {})
    connection = connect(tmp_path)
    with pytest.raises(PackhoundError) as problem:
        connection.call(tool, {})
    connection.close()
    assert isinstance(problem.value, StoreError) == is_repeated
