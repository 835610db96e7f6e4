"""A relay whose servers end before they answer."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from packhound.operations import OPERATIONS
from packhound.relay import WRITING, Relay
from packhound.relay.mcp import McpDialect
from packhound.relay.sender import Sender
from tests.support.streams import Chunks

MAX_SERVERS = 200
INITIALIZE = {"id": 0, "method": "initialize", "params": {}}

Server = Callable[[socket.socket], None]


class Client:
    """A client of a relay whose servers run `serve`, until each of its requests is answered."""

    def __init__(self, serve: Server, *requests: dict[str, Any], at_once: bool = False) -> None:
        """With `at_once` it waits for answers only when it has sent all."""
        self._at_once = at_once
        self.answers: dict[int, dict[str, Any]] = {}
        self.is_lost = False
        self.n_servers = 0
        self._serve = serve
        self._requests = requests
        self._changed = threading.Condition()

    def run(self) -> Client:
        Relay(McpDialect(), self, self).run(McpDialect().read(Chunks(self._wires())), self.begin())
        return self

    def _wires(self) -> Iterator[bytes]:
        for request in self._requests:
            yield json.dumps({"jsonrpc": "2.0", **request}).encode() + b"\n"
            if not self._at_once:
                self._wait_for(request["id"])
        for request in self._requests:
            self._wait_for(request["id"])

    def _wait_for(self, request_id: int) -> None:
        with self._changed:
            self._changed.wait_for(lambda: request_id in self.answers or self.is_lost, 60)

    def begin(self) -> socket.socket:
        self.n_servers += 1
        assert self.n_servers < MAX_SERVERS, "it connects for ever"
        ours, theirs = socket.socketpair()
        threading.Thread(target=self._run_server, args=(theirs,), daemon=True).start()
        return ours

    def end_if_hung(self) -> bool:
        """No server hangs here; `tests/daemon/test_liveness.py` has such."""
        return False

    def _run_server(self, connection: socket.socket) -> None:
        with connection:
            self._serve(connection)

    def read(self) -> bytes:
        raise AssertionError("it is read by its dialect")

    def write(self, wire: bytes) -> None:
        answer = json.loads(wire)
        with self._changed:
            self.answers[answer["id"]] = answer
            self._changed.notify()

    def hang_up(self) -> None:
        with self._changed:
            self.is_lost = True
            self._changed.notify()


def call(name: str) -> dict[str, Any]:
    return {"id": 1, "method": "tools/call", "params": {"name": name, "arguments": {}}}


def end_at_the_first_call(connection: socket.socket) -> None:
    with connection.makefile("rwb") as stream:
        for line in stream:
            request = json.loads(line)
            if request["method"] == "tools/call":
                return
            stream.write(json.dumps({"id": request["id"], "result": {}}).encode() + b"\n")
            stream.flush()


@pytest.mark.parametrize("tool", sorted(WRITING & OPERATIONS.keys()))
def test_what_may_have_been_written_is_not_sent_again(tool: str) -> None:
    client = Client(end_at_the_first_call, INITIALIZE, call(tool)).run()
    assert client.n_servers == 2
    assert "may have written this or not" in client.answers[1]["error"]["message"]


def test_a_request_that_ends_every_server_gets_an_error() -> None:
    client = Client(end_at_the_first_call, INITIALIZE, call("search")).run()
    assert "ended 5 times" in client.answers[1]["error"]["message"]
    assert not client.is_lost


def test_a_relay_gives_up_where_every_server_ends_at_once(capfd: pytest.CaptureFixture) -> None:
    assert Client(lambda connection: None, INITIALIZE).run().is_lost
    assert "ends each session without an answer" in capfd.readouterr().err


def test_every_tool_and_request_that_writes_anew_is_named() -> None:
    anew = {each.name for each in OPERATIONS.values() if each.writes and not each.idempotent}
    assert anew == WRITING


def test_a_server_may_answer_before_it_reads_what_else_was_asked() -> None:
    """Both ways more is on the way than sockets hold, when a second server takes over."""
    texts, large = {"text": "x" * 4_000_000}, {"result": "y" * 4_000_000}
    requests = [{"id": n, "method": "tools/call", "params": texts} for n in (1, 2, 3)]
    n_servers = 0

    def serve(connection: socket.socket) -> None:
        nonlocal n_servers
        n_servers += 1
        with connection.makefile("rwb") as stream:
            for n, line in enumerate(stream):
                request = json.loads(line)
                if n_servers == 1 and n == len(requests):
                    return
                if n_servers > 1 or n == 0:
                    answer = {"id": request["id"], **(large if n else {"result": {}})}
                    stream.write(json.dumps(answer).encode() + b"\n")
                    stream.flush()

    client = Client(serve, INITIALIZE, *requests, at_once=True).run()
    assert n_servers == 2 and client.answers.keys() == {0, 1, 2, 3}
    assert all(client.answers[n]["result"] == large["result"] for n in (1, 2, 3))


def test_a_client_waits_where_its_server_does_not_read() -> None:
    ours, theirs = socket.socketpair()
    sender, size = Sender(ours), 40_000_000
    n_read, n_read_when_there_was_room = 0, list[int]()

    def wait() -> None:
        sender.wait_for_room()
        n_read_when_there_was_room.append(n_read)

    with theirs:
        for _ in range(40):
            sender.send(b"x" * (size // 40))
        waiting = threading.Thread(target=wait)
        waiting.start()
        while n_read < size:
            n_read += len(theirs.recv(1 << 16))
        waiting.join()
        sender.close()
    assert n_read_when_there_was_room[0] > size // 2


def test_a_relay_imports_little() -> None:
    """Each of these takes most of a megabyte, and every agent has a relay."""
    code = "import sys, packhound.relay.mcp; print(*sys.modules)"
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"]
    modules = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert "packhound.relay.relay" in modules
    assert not {"asyncio", "dataclasses", "inspect", "logging", "numpy", "typing"} & {*modules}
