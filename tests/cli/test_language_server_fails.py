"""The command line answers alone where the folder's language server does not, and says so."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from packhound.relay.address import ServerAddress, bind_listener, write_address
from tests.support.command_line import packhound

ALONE = "answered without it, so unsaved text is not seen"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def serve(cache: Path) -> Iterator[Callable[[Callable[[socket.socket], None]], None]]:
    """Pretend to be a language server that does `behave` with each connection."""
    listeners = []

    def start(behave: Callable[[socket.socket], None]) -> None:
        listener, address = bind_listener(cache)
        listener.listen()
        listeners.append(listener)
        write_address(cache, ServerAddress(address, "token", 0))

        def accept() -> None:
            while True:
                try:
                    behave(listener.accept()[0])
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()

    yield start
    for listener in listeners:
        listener.close()


def say_served(stream: BinaryIO) -> None:
    """Begin a session, and answer that the folders are open."""
    stream.readline()
    stream.write(b'{"accepted": true}\n')
    stream.flush()
    say(stream, {"roots": ["here"]})


def say(stream: BinaryIO, result: object) -> None:
    """Answer the next request."""
    asked = json.loads(stream.readline())
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": result}
    stream.write(json.dumps(answer).encode() + b"\n")
    stream.flush()


def answer(tmp_path: Path, root: Path, *command: str) -> tuple[str, str, float]:
    started = time.monotonic()
    done = packhound(tmp_path, *command, "--root", str(root))
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr, time.monotonic() - started


def test_a_server_that_refuses_or_ends_is_left(tmp_path: Path, root: Path, serve) -> None:
    serve(socket.socket.close)
    output, errors, _ = answer(tmp_path, root, "search", "open_door")
    assert "open_door" in output and errors.count(ALONE) == 1


def test_a_server_that_ends_while_it_works_is_left(tmp_path: Path, root: Path, serve) -> None:
    def accept_and_end(connection: socket.socket) -> None:
        with connection, connection.makefile("rwb") as stream:
            say_served(stream)
            stream.readline()

    serve(accept_and_end)
    batch = tmp_path / "batch"
    batch.write_text('{"query": "open_door"}\n{"query": "mend_roof"}\n')
    output, errors, _ = answer(tmp_path, root, "search", "--batch", str(batch))
    hits = [json.loads(line)["hits"][0]["name"] for line in output.splitlines()]
    assert hits == ["open_door", "mend_roof"]
    assert errors.count(ALONE) == 1


def test_a_server_that_accepts_may_take_its_time(tmp_path: Path, root: Path, serve) -> None:
    empty = {"query": "x", "hits": [], "truncated": False, "confidence_word": None}
    result = {**empty, "took_ms": 1.0, "candidates": 0, "notes": ["from the server"]}

    def work(connection: socket.socket) -> None:
        with connection, connection.makefile("rwb") as stream:
            say_served(stream)
            time.sleep(2)
            say(stream, result)

    serve(work)
    output, errors, _ = answer(tmp_path, root, "search", "x")
    assert "from the server" in output and ALONE not in errors


def test_what_was_used_is_deleted_though_the_server_hangs(
    tmp_path: Path, root: Path, serve
) -> None:
    connections = list[socket.socket]()
    serve(connections.append)
    _, errors, elapsed_s = answer(tmp_path, root, "clear", "--activation")
    for connection in connections:
        connection.close()
    assert "the engine of this folder gives no sign of life" in errors and elapsed_s < 20


def test_a_stale_address_is_no_news(tmp_path: Path, root: Path, cache: Path) -> None:
    listener, address = bind_listener(cache)
    write_address(cache, ServerAddress(address, "token", os.getpid()))
    listener.close()
    assert answer(tmp_path, root, "search", "open_door")[1] == ""
