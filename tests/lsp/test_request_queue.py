"""Exactly one response to each request, whoever comes first."""

from __future__ import annotations

import json
import threading

import pytest
from pygls.exceptions import JsonRpcInvalidRequest

from packhound.lsp.jsonrpc.dispatch import result_response
from packhound.lsp.jsonrpc.request_queue import IncomingRequests, OutgoingRequests


@pytest.fixture
def sent():
    return []


@pytest.fixture
def requests(sent):
    def send(data: bytes) -> None:
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        sent.append((message["id"], message.get("error", {}).get("code", message.get("result"))))

    return IncomingRequests(send)


def test_the_first_response_wins(requests, sent):
    request = requests.accept(1, "x")
    requests.cancel(1)
    assert request.cancelled.is_set()
    requests.respond(request, result_response(1, "late"))
    requests.cancel(1)
    assert sent == [(1, -32800)]


def test_an_id_is_free_after_its_response(requests, sent):
    first = requests.accept("a", "x")
    with pytest.raises(JsonRpcInvalidRequest, match="'a' is in use"):
        requests.accept("a", "y")
    requests.cancel("a")
    second = requests.accept("a", "y")
    requests.respond(first, result_response("a", "of the first"))
    requests.respond(second, result_response("a", "of the second"))
    assert sent == [("a", -32800), ("a", "of the second")]


def test_shutdown_cancels_all_but_itself(requests, sent):
    pending = [requests.accept(n, "x") for n in range(3)]
    requests.cancel_all(keep=pending[1].cancelled)
    assert [request.cancelled.is_set() for request in pending] == [True, False, True]
    assert sent == [(0, -32800), (2, -32800)]


def test_many_threads_send_one_response(requests, sent):
    request = requests.accept(7, "x")
    start = threading.Barrier(8)

    def respond(n: int) -> None:
        start.wait(30)
        requests.respond(request, result_response(7, n))

    threads = [threading.Thread(target=respond, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(sent) == 1


def test_a_request_of_the_server_is_pending_until_it_is_popped():
    outgoing = OutgoingRequests()
    first, future = outgoing.register("x")
    second, _ = outgoing.register("y")
    assert first != second
    assert outgoing.pop(first) == ("x", future)
    assert outgoing.pop(first) is None and outgoing.pop("other") is None
