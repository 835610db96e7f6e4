"""One answer to each request, cancelled or not, while every worker is busy."""

from __future__ import annotations

import json
import threading
from queue import SimpleQueue

import pytest
from raw import frame

from packhound.errors import Cancelled, PackhoundError, SettingsError
from packhound.lsp.protocol import Connection, RefusedError, Route
from packhound.lsp.wire import FrameReader, FrameWriter


class Client:
    """Both ends of a connection in this process; `handlers` answer requests."""

    def __init__(self, **handlers) -> None:
        self._handlers = handlers
        self._to_server: SimpleQueue[bytes] = SimpleQueue()
        self.sent: SimpleQueue[dict] = SimpleQueue()
        writer = FrameWriter(self._receive, on_lost=lambda: None)
        self.connection = Connection(FrameReader(self._to_server.get), writer, n_workers=2)
        self._thread = threading.Thread(target=self.connection.run, args=(self,))
        self._thread.start()

    def route(self, method, params):
        if method not in self._handlers:
            raise RefusedError(-32601, method)
        return Route(self._handlers[method], "aside")

    def notice(self, method, params):
        raise ValueError("a notification that fails must not end anything")

    def send(self, method, message_id=None, params=None) -> None:
        known = {} if message_id is None else {"id": message_id}
        message = {"jsonrpc": "2.0", "method": method, "params": params, **known}
        self._to_server.put(frame(message))

    def answer(self) -> tuple[object, object]:
        """The id and the result, or the error code, of the next answer."""
        message = self.sent.get(timeout=30)
        return message["id"], message.get("error", {}).get("code", message.get("result"))

    def close(self) -> None:
        self._to_server.put(b"")
        self._thread.join()
        self.connection.close(5)

    def _receive(self, data: bytes) -> None:
        self.sent.put(json.loads(data.partition(b"\r\n\r\n")[2]))


@pytest.fixture
def connect():
    clients: list[Client] = []

    def start(**handlers) -> Client:
        clients.append(Client(**handlers))
        return clients[-1]

    yield start
    for client in clients:
        client.close()


def test_cancelled_requests_are_answered_while_all_workers_are_busy(connect):
    events: list[threading.Event] = []
    release = threading.Event()

    def slow(params, cancel):
        events.append(cancel)
        release.wait(30)
        return "too late"

    client = connect(slow=slow)
    for n in range(5):
        client.send("slow", n)
    for n in range(5):
        client.send("$/cancelRequest", params={"id": n})
    assert [client.answer() for _ in range(5)] == [(n, -32800) for n in range(5)]
    release.set()
    assert all(event.is_set() for event in events)
    # An id may be used again, and the late result of its first use goes nowhere.
    client.send("slow", 0)
    assert client.answer() == (0, "too late")
    assert client.sent.empty()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RefusedError(-32602, "no"), -32602),
        (SettingsError("no"), -32602),
        (PackhoundError("no"), -32803),
        (Cancelled("no"), -32800),
        (ZeroDivisionError("a bug"), -32603),
    ],
)
def test_errors_have_codes(connect, error, code):
    def fail(params, cancel):
        raise error

    client = connect(fail=fail)
    client.send("fail", "a")
    assert client.answer() == ("a", code)


def test_failing_notifications_end_nothing(connect):
    client = connect(echo=lambda params, cancel: params)
    client.send("broken", params={"x": 1})
    client.send("$/cancelRequest", params={"id": [1]})
    client.send("$/cancelRequest", params={"id": 12345})
    client.send("$/cancelRequest")
    client.send("echo", 1)
    client.send("echo", 2, [])
    client.send("echo", 3, [1])
    assert sorted(client.answer() for _ in range(3)) == [(1, {}), (2, {}), (3, -32602)]


def test_the_client_is_asked_and_its_answer_used(connect):
    client = connect()
    answers: SimpleQueue = SimpleQueue()
    client.connection.request("some/question", {}, lambda *answer: answers.put(answer))
    asked = client.sent.get(timeout=30)
    client._to_server.put(frame({"jsonrpc": "2.0", "id": asked["id"], "result": [5]}))
    assert answers.get(timeout=30) == ([5], None)
