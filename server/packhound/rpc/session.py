"""One session of JSON-RPC 2.0, whichever protocol it carries and on whatever it travels.

The contract: each request gets exactly one response, be it a result, an error or the
acknowledgement of its cancellation; a notification gets none. A request is *pending* from when its
id is reserved until its response is written, which frees the id. The first response wins: a worker
that finishes after the cancellation was acknowledged responds to nothing, even if the client has
used the id for another request since.

Messages are read by one thread, which runs the quick requests and all notifications in order of
arrival; slow requests run in worker threads, so that a search never keeps a cancellation from being
read. A request of ours is pending until the peer responds, or the stream ends.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeGuard, TypeVar

from packhound.core.errors import PackhoundError, SettingsError, StoreError
from packhound.core.log import log
from packhound.rpc.framing import Framing, Malformed
from packhound.rpc.threads import ThreadPool

if TYPE_CHECKING:
    from packhound.relay import Stream

MessageId: TypeAlias = int | str
T = TypeVar("T")

N_WORKERS = 4

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, INTERNAL_ERROR = (
    *(-32_700, -32_600, -32_601, -32_602),
    -32_603,
)
# LSP 3.17, `LSPErrorCodes`.
REQUEST_CANCELLED, REQUEST_FAILED = -32_800, -32_803

_ENDED = "the other end of the session has ended"


class RpcError(PackhoundError):
    """An error response, with its code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A request of the peer; `cancelled` is set when its result is no longer wanted.

    `arrival` counts the requests of a session.
    """

    message_id: MessageId
    method: str
    params: object
    arrival: int
    cancelled: threading.Event


class Work(NamedTuple):
    """Maker of the result of a request, or of a future of it; slow work gets a worker thread."""

    compute: Callable[[], object]
    is_slow: bool


class Service:
    """Operations that a session offers; this one has none.

    All but the work is done by the thread that reads.
    """

    def accept(self, request: Request) -> Work:
        """Return the work of a request; raises what `error` knows."""
        raise RpcError(NO_METHOD, f"unknown method {request.method!r:.100}")

    def receive(self, method: str, params: object) -> None:
        """Take a notification."""

    def error(self, method: str, failure: Exception) -> RpcError:
        """Return the error response of a request that failed; log what is a defect of ours."""
        if isinstance(failure, RpcError):
            return failure
        if isinstance(failure, PackhoundError):
            is_refusal = isinstance(failure, SettingsError)
            return RpcError(INVALID_PARAMS if is_refusal else REQUEST_FAILED, str(failure))
        log.error("%s failed", method, exc_info=failure)
        return RpcError(INTERNAL_ERROR, f"{method} failed: {type(failure).__name__}")


class Session:
    """One peer, on a stream that is written to from any thread, one call at a time.

    A cancelled request is answered with an error at once, or not at all where the protocol has it
    so (`answers_cancelled`).
    """

    def __init__(
        self,
        framing: Framing,
        stream: Stream,
        service: Service,
        *,
        answers_cancelled: bool = True,
    ) -> None:
        self._framing, self._stream, self._service = framing, stream, service
        self._answers_cancelled = answers_cancelled
        self._workers = ThreadPool("packhound-request", N_WORKERS)
        self._arrivals, self._serial = itertools.count(), itertools.count(1)
        # Guards the two tables; whoever holds it waits for nobody. `_writing` is taken alone.
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._incoming: dict[MessageId, Request] = {}
        self._outgoing: dict[MessageId, Future[Any]] = {}
        self._has_ended = False

    def run(self) -> None:
        """Take the peer's messages until the stream ends or fails; raises WireError."""
        try:
            with suppress(OSError):
                for message in self._framing.read(self._stream):
                    self._take(message)
        finally:
            with self._changed:
                self._has_ended = True
                outgoing, self._outgoing = self._outgoing, {}
            for future in outgoing.values():
                future.set_exception(StoreError(_ENDED))

    def close(self, timeout_s: float = 0.0) -> None:
        """Wait for pending requests for at most `timeout_s`, cancel the rest, end the workers."""
        with self._changed:
            self._changed.wait_for(lambda: not self._incoming, timeout_s)
            for request in self._incoming.values():
                request.cancelled.set()
        self._workers.close()

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self._send({"method": method, **_params(params)})

    def request(self, method: str, params: object) -> Future[Any]:
        """Send a request; the future has its result, or RpcError, or StoreError at the end."""
        future: Future[Any] = Future()
        with self._changed:
            message_id = f"packhound-{next(self._serial)}"
            if self._has_ended:
                future.set_exception(StoreError(_ENDED))
                return future
            self._outgoing[message_id] = future
        self._send({"id": message_id, "method": method, **_params(params)})
        return future

    def cancel(self, message_id: object) -> None:
        """Cancel a request of the peer; its work may go on until it checks its event."""
        request = self._incoming.get(message_id) if is_message_id(message_id) else None
        if request is None:
            return
        request.cancelled.set()
        if self._answers_cancelled:
            self._refuse(request, RpcError(REQUEST_CANCELLED, "cancelled"))
        else:
            self._free(request)

    def cancel_all(self, keep: Request) -> None:
        """Cancel every pending request but one."""
        with self._changed:
            requests = tuple(self._incoming.values())
        for request in requests:
            if request is not keep:
                self.cancel(request.message_id)

    def _take(self, message: object) -> None:
        if isinstance(message, Malformed):
            self._send_error(None, RpcError(PARSE_ERROR, message.reason))
        elif not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self._send_error(_read_id(message), _invalid("not a JSON-RPC 2.0 message"))
        elif (method := message.get("method")) is None and "id" in message:
            self._resolve(message)
        elif not isinstance(method, str):
            self._send_error(_read_id(message), _invalid("a message has a method or an id"))
        elif "id" in message:
            self._begin(message["id"], method, message.get("params"))
        else:
            self._receive(method, message.get("params"))

    def _begin(self, message_id: object, method: str, params: object) -> None:
        if not is_message_id(message_id):
            self._send_error(None, _invalid("the id is neither a number nor a string"))
            return
        request = Request(message_id, method, params, next(self._arrivals), threading.Event())
        with self._changed:
            is_free = self._incoming.setdefault(message_id, request) is request
        if not is_free:
            self._send_error(message_id, _invalid(f"the id {message_id!r} is in use"))
            return
        try:
            work = self._service.accept(request)
        except Exception as failure:
            self._refuse(request, self._service.error(method, failure))
            return
        if work.is_slow:
            self._workers.submit(partial(self._do, request, work))
        else:
            self._do(request, work)

    def _do(self, request: Request, work: Work) -> None:
        if request.cancelled.is_set():
            return
        try:
            result = work.compute()
        except Exception as failure:
            self._refuse(request, self._service.error(request.method, failure))
            return
        if isinstance(result, Future):
            result.add_done_callback(lambda done: self._do(request, Work(done.result, False)))
            return
        self._respond(request, {"id": request.message_id, "result": result})

    def _respond(self, request: Request, response: dict[str, object]) -> None:
        try:
            wire = self._encode(response)
        except (ValueError, TypeError, RecursionError) as failure:
            self._refuse(request, self._service.error(request.method, failure))
            return
        if self._free(request):
            self._write_wire(wire)

    def _refuse(self, request: Request, error: RpcError) -> None:
        self._respond(request, error_response(request.message_id, error))

    def _free(self, request: Request) -> bool:
        """Return True if the request had no response yet; from now on it has."""
        with self._changed:
            if self._incoming.get(request.message_id) is not request:
                return False
            del self._incoming[request.message_id]
            self._changed.notify_all()
        return True

    def _receive(self, method: str, params: object) -> None:
        try:
            self._service.receive(method, params)
        except PackhoundError as problem:
            log.warning("%s: %s", method, problem)
        except Exception:
            log.exception("%s failed", method)

    def _resolve(self, response: dict[str, Any]) -> None:
        message_id = response["id"]
        with self._changed:
            future = self._outgoing.pop(message_id, None) if is_message_id(message_id) else None
        if future is None:
            log.debug("a response to no pending request: %r", message_id)
        elif (error := response.get("error")) is None:
            future.set_result(response.get("result"))
        else:
            code = error.get("code") if isinstance(error, dict) else None
            text = str(error.get("message", "")) if isinstance(error, dict) else f"{error!r:.200}"
            future.set_exception(RpcError(code if isinstance(code, int) else INTERNAL_ERROR, text))

    def _send_error(self, message_id: MessageId | None, error: RpcError) -> None:
        self._send(error_response(message_id, error))

    def _send(self, message: dict[str, object]) -> None:
        self._write_wire(self._encode(message))

    def _encode(self, message: dict[str, object]) -> bytes:
        return self._framing.encode({"jsonrpc": "2.0", **message})

    def _write_wire(self, wire: bytes) -> None:
        # A peer that has gone needs no message.
        with self._writing, suppress(OSError, ValueError):
            self._stream.write(wire)


def error_response(message_id: MessageId | None, error: RpcError) -> dict[str, object]:
    """Return the message that refuses a request; of one that cannot be read the id is None."""
    response = {"code": error.code, "message": str(error)}
    return {"jsonrpc": "2.0", "id": message_id, "error": response}


def then(future: Future[Any], function: Callable[[Any], T]) -> Future[T]:
    """Return a future of what a function makes of the result of another."""
    outcome: Future[T] = Future()

    def complete(done: Future[Any]) -> None:
        try:
            outcome.set_result(function(done.result()))
        except Exception as failure:
            outcome.set_exception(failure)

    future.add_done_callback(complete)
    return outcome


def _params(params: object) -> dict[str, object]:
    """Return the field of a message; JSON-RPC has no params that are null."""
    return {} if params is None else {"params": params}


def is_message_id(value: object) -> TypeGuard[MessageId]:
    """Return True if JSON-RPC allows the value as the id of a request."""
    return isinstance(value, int | str) and not isinstance(value, bool)


def _read_id(message: object) -> MessageId | None:
    """Return the id to respond to, however malformed the rest of the message is."""
    message_id = message.get("id") if isinstance(message, dict) else None
    return message_id if is_message_id(message_id) else None


def _invalid(reason: str) -> RpcError:
    return RpcError(INVALID_REQUEST, reason)
