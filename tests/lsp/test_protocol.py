"""One answer to each request, cancelled or not, while every worker is busy."""

from __future__ import annotations

import json
import threading
from concurrent.futures import Future
from queue import SimpleQueue
from types import SimpleNamespace

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from packhound.core.errors import Cancelled, PackhoundError, SettingsError
from packhound.lsp.capabilities import read_client
from packhound.lsp.language_server import PackhoundServer
from packhound.rpc import WriteQueue
from packhound.rpc.session import N_WORKERS
from packhound.service import EnginePool
from tests.support.lsp_client import frame
from tests.support.release import size
from tests.support.streams import Chunks


class Client:
    """Both ends of a connection in this process; `handlers` answer requests."""

    def __init__(self, **handlers) -> None:
        self._to_server: SimpleQueue[bytes] = SimpleQueue()
        self.sent: SimpleQueue[dict] = SimpleQueue()
        self.server = PackhoundServer(EnginePool())
        self.server.session = SimpleNamespace(client=read_client({}))
        for method, handler in handlers.items():
            self.server.thread()(self.server.feature(method)(handler))
        self.server.feature("broken")(fail)
        self._stream = WriteQueue(Chunks(iter(self._to_server.get, None), self._receive))
        self._thread = threading.Thread(target=self.server.protocol.run, args=(self._stream,))
        self._thread.start()
        self.send("initialize", "first")
        assert self.answer()[0] == "first"

    def send(self, method, message_id=None, params=None) -> None:
        head = {} if message_id is None else {"id": message_id}
        message = {"jsonrpc": "2.0", "method": method, "params": params, **head}
        self._to_server.put(frame(message))

    def reply(self, message: dict) -> None:
        """Answer a request of the server."""
        self._to_server.put(frame({"jsonrpc": "2.0", **message}))

    def answer(self) -> tuple[object, object]:
        """The id and the result, or the error code, of the next answer."""
        message = self.sent.get(timeout=30)
        return message["id"], message.get("error", {}).get("code", message.get("result"))

    def close(self) -> None:
        self._to_server.put(b"")
        self._thread.join(30)
        assert not self._thread.is_alive()
        self._stream.close(5)

    def _receive(self, data: bytes) -> None:
        self.sent.put(json.loads(data.partition(b"\r\n\r\n")[2]))


def fail(ls, params):
    raise ValueError("a notification that fails must not end anything")


@pytest.fixture
def connect():
    clients: list[Client] = []

    def start(**handlers) -> Client:
        clients.append(Client(**handlers))
        return clients[-1]

    yield start
    for client in clients:
        client.close()


@pytest.mark.parametrize("_round", range(size(1)))
def test_cancelled_requests_are_answered_while_all_workers_are_busy(connect, _round):
    events: list[threading.Event] = []
    release = threading.Event()

    def slow(ls, params):
        events.append(ls.protocol.cancel_event())
        release.wait(30)
        return "too late"

    client = connect(slow=slow)
    for n in range(N_WORKERS + 3):
        client.send("slow", n)
    for n in range(N_WORKERS + 3):
        client.send("$/cancelRequest", params={"id": n})
    answers = [client.answer() for _ in range(N_WORKERS + 3)]
    assert answers == [(n, -32800) for n in range(N_WORKERS + 3)]
    release.set()
    assert all(event.is_set() for event in events)
    # An id may be used again, and the late result of its first use goes nowhere.
    client.send("slow", 0)
    assert client.answer() == (0, "too late")
    assert client.sent.empty()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (JsonRpcInvalidParams("no"), -32602),
        (SettingsError("no"), -32602),
        (PackhoundError("no"), -32803),
        (Cancelled("no"), -32800),
        (ZeroDivisionError("a bug"), -32603),
    ],
)
def test_errors_have_codes(connect, error, code):
    def refuse(ls, params):
        raise error

    client = connect(refuse=refuse)
    client.send("refuse", "a")
    assert client.answer() == ("a", code)


def test_failing_notifications_end_nothing(connect):
    client = connect(echo=lambda ls, params: params)
    client.send("broken", params={"x": 1})
    client.send("$/cancelRequest", params={"id": [1]})
    client.send("$/cancelRequest", params={"id": 12345})
    client.send("$/cancelRequest")
    client.send("echo", 1)
    client.send("echo", 2, [])
    client.send("echo", 3, [1])
    assert sorted(client.answer() for _ in range(3)) == [(1, {}), (2, {}), (3, -32602)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"result": [{"limit": 5, "class": {}}]}, ({"limit": 5, "class": {}},)),
        ({"result": [None]}, (None,)),
        ({"result": None}, None),
        ({"error": {"code": -1, "message": "no"}}, None),
        ({}, None),
    ],
)
def test_the_client_is_asked_and_any_answer_is_taken(connect, answer, expected):
    client = connect()
    params = types.ConfigurationParams([types.ConfigurationItem(section="packhound")])
    requests = client.server.workspace_configuration(params)
    question = client.sent.get(timeout=30)
    client.reply({"id": question["id"], **answer})
    failed = requests.exception(timeout=30) is not None
    assert (None if failed else requests.result()) == expected


@pytest.mark.parametrize("result", [float("nan"), {1, 2}, object()])
def test_what_json_cannot_say_is_a_failure_not_silence(connect, result):
    client = connect(say=lambda ls, params: result)
    for n in range(N_WORKERS + 1):
        client.send("say", n)
    assert sorted(client.answer() for _ in range(N_WORKERS + 1)) == [
        (n, -32603) for n in range(N_WORKERS + 1)
    ]


def test_a_future_is_answered_when_it_is_done(connect):
    later: Future = Future()
    client = connect(later=lambda ls, params: later, echo=lambda ls, params: params)
    client.send("later", 1)
    client.send("echo", 2)
    assert client.answer() == (2, {})
    later.set_result({"done": True})
    assert client.answer() == (1, {"done": True})
