"""Exactly one response to each request, whoever comes first."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

import pytest

from packhound.core.errors import SettingsError, StoreError
from packhound.rpc import INTERNAL_ERROR, LINES, RpcError, Service, Session, Work
from tests.support.streams import Chunks

CANCELLED, INVALID = -32_800, -32_600


class Peer(Service):
    """Both ends of a session in this process; `methods` are its service."""

    def __init__(self, answers_cancelled: bool = True, **methods: Callable[[Any], object]) -> None:
        self._methods = methods
        self._to_session: SimpleQueue[bytes] = SimpleQueue()
        self.sent: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self.requests: list[Any] = []
        stream = Chunks(iter(self._to_session.get, None), self._take)
        self.session = Session(LINES, stream, self, answers_cancelled=answers_cancelled)
        self._thread = threading.Thread(target=self.session.run)
        self._thread.start()

    def accept(self, request):
        self.requests.append(request)
        if request.method not in self._methods:
            raise SettingsError("no such method")
        return Work(lambda: self._methods[request.method](request), request.method != "quick")

    def receive(self, method, params):
        if method == "cancel":
            self.session.cancel(params)
        elif method == "fail":
            raise ValueError("a notification that fails must not end anything")

    def error(self, method, failure):
        return failure if isinstance(failure, RpcError) else RpcError(INTERNAL_ERROR, str(failure))

    def send(self, **message: object) -> None:
        self._to_session.put(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def answer(self) -> tuple[object, object]:
        """Return the id and the result, or the error code, of the next answer."""
        message = self.sent.get(timeout=30)
        return message["id"], message.get("error", {}).get("code", message.get("result"))

    def close(self) -> None:
        self._to_session.put(b"")
        self._thread.join(30)
        assert not self._thread.is_alive()
        self.session.close()

    def _take(self, wire: bytes) -> None:
        self.sent.put(json.loads(wire))


@pytest.fixture
def connect():
    peers: list[Peer] = []

    def start(**options: Any) -> Peer:
        peers.append(Peer(**options))
        return peers[-1]

    yield start
    for peer in peers:
        peer.close()


def test_the_first_response_wins_and_frees_the_id(connect):
    release = threading.Event()
    peer = connect(slow=lambda request: release.wait(30) and "late", quick=lambda request: "soon")
    peer.send(id="a", method="slow")
    peer.send(id="a", method="quick")
    assert peer.answer() == ("a", INVALID)
    peer.send(method="cancel", params="a")
    assert peer.answer() == ("a", CANCELLED)
    peer.send(id="a", method="quick")
    assert peer.answer() == ("a", "soon")
    release.set()
    peer.send(id=2, method="slow")
    assert peer.answer() == (2, "late"), "the first one's result goes nowhere"
    assert [request.cancelled.is_set() for request in peer.requests] == [True, False, False]


def test_a_protocol_may_have_no_answer_to_what_is_cancelled(connect):
    release = threading.Event()
    peer = connect(
        answers_cancelled=False,
        slow=lambda request: release.wait(30),
        quick=lambda request: "soon",
    )
    peer.send(id=1, method="slow")
    peer.send(method="cancel", params=1)
    peer.send(method="cancel", params={"not": "an id"})
    peer.send(id="seen", method="quick")
    assert peer.answer() == ("seen", "soon")
    release.set()
    peer.send(id=2, method="slow")
    assert peer.answer() == (2, True)


def test_all_but_one_are_cancelled(connect):
    release = threading.Event()
    peer = connect(slow=lambda request: release.wait(30))
    for n in range(7):
        peer.send(id=n, method="slow")
    peer.send(id=7, method="unknown")
    assert peer.answer() == (7, INTERNAL_ERROR)
    peer.session.cancel_all(keep=peer.requests[1])
    answers = [peer.answer() for _ in range(6)]
    assert answers == [(n, CANCELLED) for n in (0, 2, 3, 4, 5, 6)]
    release.set()
    assert peer.answer() == (1, True)


def test_what_json_cannot_express_is_an_error(connect):
    peer = connect(quick=lambda request: {"a": object()})
    peer.send(id=1, method="quick")
    assert peer.answer() == (1, INTERNAL_ERROR)


def test_a_future_is_waited_for_by_nobody(connect):
    future: Future[str] = Future()
    peer = connect(later=lambda request: future, quick=lambda request: "soon")
    peer.send(id=1, method="later")
    peer.send(id=2, method="quick")
    assert peer.answer() == (2, "soon")
    future.set_result("later")
    assert peer.answer() == (1, "later")


def test_nonsense_is_answered_and_ends_nothing(connect):
    peer = connect(quick=lambda request: "soon")
    peer.send(method="fail")
    peer.send(id=None, method="quick")
    peer.send(id=True, method="quick")
    peer.send(id=1, method=2)
    peer.send(id="of nobody", result=1)
    peer.send(id=[], result=1)
    peer.send(id=3, method="quick", jsonrpc="1.0")
    peer.send(id=4, method="quick")
    answers = [peer.answer() for _ in range(5)]
    assert answers == [(None, INVALID)] * 2 + [(1, INVALID), (3, INVALID), (4, "soon")]


def test_requests_of_ours_are_pending_until_the_peer_responds_or_has_gone(connect):
    peer = connect()
    futures = [peer.session.request("roots", {}) for _ in range(3)]
    ids = [peer.sent.get(timeout=30)["id"] for _ in futures]
    assert len({*ids}) == 3
    peer.send(id=ids[0], result=[1])
    peer.send(id=ids[0], result=[2])
    peer.send(id=ids[1], error={"code": -5, "message": "no"})
    assert futures[0].result(30) == [1]
    with pytest.raises(RpcError, match="no") as refusal:
        futures[1].result(30)
    assert refusal.value.code == -5
    peer.close()
    for future in (futures[2], peer.session.request("roots", {})):
        with pytest.raises(StoreError, match="has ended"):
            future.result(30)


def test_lines_are_cut_anywhere_and_garbage_is_said():
    data = b'\n {"a": 1}\r\n\nnonsense\n' + b"[" * 2_000 + b"]" * 2_000 + b'\n{"b": "\xc3\xa9"}'
    for size in (1, 3, 7, len(data)):
        chunks = [data[n : n + size] for n in range(0, len(data), size)]
        first, second, third, last = LINES.read(Chunks(chunks))
        assert (first, last) == ({"a": 1}, {"b": "é"})
        assert "not JSON" in second.reason and third.reason
