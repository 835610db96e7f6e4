"""Pending requests, in both directions.

The contract: each request of the client gets exactly one response, be it a result, an error or the
acknowledgement of its cancellation; a notification gets none.

A request is *pending* from `accept`, which reserves its id, until its response is handed to the
writer, which frees the id. Every response goes through `IncomingRequests.respond`, and the first
one wins: a worker that finishes after the cancellation was acknowledged responds to nothing, even
if the client has used the id for another request since. A request of the server is pending until
the client responds; clients that never do are not waited for.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from pygls.exceptions import JsonRpcInvalidRequest, JsonRpcRequestCancelled

from packhound.lsp.jsonrpc.dispatch import MessageId, error_response


@dataclass(frozen=True, slots=True, eq=False)
class PendingRequest:
    """A request of the client; `cancelled` is set when its result is no longer wanted."""

    message_id: MessageId
    method: str
    cancelled: threading.Event


class IncomingRequests:
    """Requests of the client that have no response yet."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._pending: dict[MessageId, PendingRequest] = {}
        self._lock = threading.Lock()

    def accept(self, message_id: MessageId, method: str) -> PendingRequest:
        """Reserve an id; raises JsonRpcInvalidRequest if another request with it is pending."""
        request = PendingRequest(message_id, method, threading.Event())
        with self._lock:
            if self._pending.setdefault(message_id, request) is not request:
                raise JsonRpcInvalidRequest(f"the id {message_id!r} is in use")
        return request

    def respond(self, request: PendingRequest, response: bytes) -> None:
        """Send the response of a request, unless it has had one."""
        with self._lock:
            if self._pending.get(request.message_id) is not request:
                return
            del self._pending[request.message_id]
        self._send(response)

    def cancel(self, message_id: MessageId) -> None:
        """Acknowledge a cancellation at once; the handler may go on until it checks its event."""
        request = self._pending.get(message_id)
        if request is not None:
            request.cancelled.set()
            error = JsonRpcRequestCancelled("cancelled")
            self.respond(request, error_response(message_id, error))

    def cancel_all(self, keep: threading.Event) -> None:
        """Cancel every pending request but the one whose event is `keep`."""
        with self._lock:
            requests = tuple(self._pending.values())
        for request in requests:
            if request.cancelled is not keep:
                self.cancel(request.message_id)


class OutgoingRequests:
    """Requests of the server that the client has not answered yet."""

    def __init__(self) -> None:
        self._pending: dict[MessageId, tuple[str, Future[Any]]] = {}
        self._serial = itertools.count(1)
        self._lock = threading.Lock()

    def register(self, method: str) -> tuple[MessageId, Future[Any]]:
        """Return a new id and the future of its result."""
        future: Future[Any] = Future()
        with self._lock:
            message_id = f"packhound-{next(self._serial)}"
            self._pending[message_id] = method, future
        return message_id, future

    def pop(self, message_id: MessageId) -> tuple[str, Future[Any]] | None:
        """Return the method and future of a request and forget it; None for an unknown id."""
        with self._lock:
            return self._pending.pop(message_id, None)
