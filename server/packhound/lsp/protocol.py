"""JSON-RPC: each request is answered exactly once, and a cancelled one at once.

Messages are read on one thread. Notifications and quick requests run there, in the order in which
they came; the rest runs aside on threads of our own, so that a search never keeps a cancellation
from being read.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, TypeGuard

from packhound.errors import Cancelled, PackhoundError, SettingsError
from packhound.lsp.threads import Workers
from packhound.lsp.wire import FrameReader, FrameWriter, Malformed

PARSE_ERROR = -32_700
INVALID_REQUEST = -32_600
METHOD_NOT_FOUND = -32_601
INVALID_PARAMS = -32_602
INTERNAL_ERROR = -32_603
NOT_INITIALIZED = -32_002
REQUEST_FAILED = -32_803
REQUEST_CANCELLED = -32_800

Params: TypeAlias = Mapping[str, object]
MessageId: TypeAlias = int | str
Handler: TypeAlias = Callable[[Params, threading.Event], object]
Reply: TypeAlias = Callable[[object, Params | None], None]
"""Called with the result of a request that we sent, or with the error that came instead."""

log = logging.getLogger("packhound.lsp")


class RefusedError(PackhoundError):
    """A request that cannot be answered, with the code that the protocol has for it."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Route:
    """Who answers a request: on the reading thread, on a worker, or on a thread of its own."""

    handler: Handler
    runs: Literal["here", "aside", "waiting"] = "aside"


class Dispatcher(Protocol):
    """What the connection asks for each message; raises RefusedError."""

    def route(self, method: str, params: Params) -> Route:
        """Who answers a request."""

    def notice(self, method: str, params: Params) -> None:
        """Take a notification."""


class Connection:
    """One client; `run` takes its messages until the stream ends."""

    def __init__(self, reader: FrameReader, writer: FrameWriter, n_workers: int = 4) -> None:
        self._reader = reader
        self._writer = writer
        self._workers = Workers("packhound-request", n_workers)
        self._lock = threading.Lock()
        self._open: dict[MessageId, threading.Event] = {}
        self._sent: dict[MessageId, Reply] = {}
        self._n_sent = 0

    def run(self, dispatcher: Dispatcher) -> None:
        """Take messages until the client hangs up; raises WireError."""
        for message in self._reader:
            if isinstance(message, Malformed):
                self._fail(None, PARSE_ERROR, message.reason)
            elif not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
                self._fail(_id_of(message), INVALID_REQUEST, "not a JSON-RPC 2.0 message")
            else:
                self._take(message, dispatcher)

    def notify(self, method: str, params: object) -> None:
        """Tell the client something; from any thread."""
        self._writer.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: object, reply: Reply | None = None) -> None:
        """Ask the client; `reply` is called on the reading thread."""
        with self._lock:
            self._n_sent += 1
            message_id = f"packhound-{self._n_sent}"
            self._sent[message_id] = reply or _ignore
        message = {"jsonrpc": "2.0", "id": message_id, "method": method, "params": params}
        self._writer.send(message)

    def cancel_all(self, but: threading.Event) -> None:
        """Answer every open request as cancelled, except the one with this event."""
        for message_id, cancel in list(self._open.items()):
            if cancel is not but:
                self._cancel(message_id)

    def close(self, timeout_s: float) -> None:
        """Write what is queued."""
        self._writer.close(timeout_s)

    def _take(self, message: dict[str, object], dispatcher: Dispatcher) -> None:
        method = message.get("method")
        if method is None and "id" in message:
            self._take_reply(message)
        elif not isinstance(method, str):
            self._fail(_id_of(message), INVALID_REQUEST, "a message has a method or an id")
        elif "id" in message:
            self._take_request(message["id"], method, message.get("params"), dispatcher)
        else:
            self._take_notification(method, message.get("params"), dispatcher)

    def _take_request(
        self, message_id: object, method: str, params: object, dispatcher: Dispatcher
    ) -> None:
        if not _is_id(message_id):
            self._fail(None, INVALID_REQUEST, "the id of a request is a number or a text")
            return
        with self._lock:
            taken = message_id in self._open
            cancel = threading.Event()
            if not taken:
                self._open[message_id] = cancel
        if taken:
            self._fail(message_id, INVALID_REQUEST, f"the id {message_id!r} is in use")
            return
        try:
            checked = _params(method, params)
            route = dispatcher.route(method, checked)
        except RefusedError as refused:
            self._answer(message_id, cancel, error=_error(refused.code, str(refused)))
            return

        def task() -> None:
            if not cancel.is_set():
                self._serve(message_id, method, cancel, lambda: route.handler(checked, cancel))

        if route.runs == "here":
            task()
        elif route.runs == "waiting":
            threading.Thread(target=task, name="packhound-waiting", daemon=True).start()
        else:
            self._workers.submit(task)

    def _serve(
        self,
        message_id: MessageId,
        method: str,
        cancel: threading.Event,
        compute: Callable[[], object],
    ) -> None:
        try:
            self._answer(message_id, cancel, result=compute())
        except RefusedError as refused:
            self._answer(message_id, cancel, error=_error(refused.code, str(refused)))
        except Cancelled:
            self._answer(message_id, cancel, error=_error(REQUEST_CANCELLED, "cancelled"))
        except SettingsError as error:
            self._answer(message_id, cancel, error=_error(INVALID_PARAMS, str(error)))
        except PackhoundError as error:
            self._answer(message_id, cancel, error=_error(REQUEST_FAILED, str(error)))
        except Exception as error:
            log.exception("%s failed", method)
            text = f"{method} failed: {type(error).__name__}: {error}"
            self._answer(message_id, cancel, error=_error(INTERNAL_ERROR, text))

    def _answer(
        self,
        message_id: MessageId,
        cancel: threading.Event,
        *,
        result: object = None,
        error: dict[str, object] | None = None,
    ) -> None:
        with self._lock:
            # The id may be in use again after a cancellation, so its event decides.
            if self._open.get(message_id) is not cancel:
                return
            del self._open[message_id]
        outcome = {"result": result} if error is None else {"error": error}
        self._writer.send({"jsonrpc": "2.0", "id": message_id, **outcome})

    def _cancel(self, message_id: object) -> None:
        cancel = self._open.get(message_id) if _is_id(message_id) else None
        if cancel is not None and _is_id(message_id):
            cancel.set()
            self._answer(message_id, cancel, error=_error(REQUEST_CANCELLED, "cancelled"))

    def _take_notification(self, method: str, params: object, dispatcher: Dispatcher) -> None:
        try:
            checked = _params(method, params)
            if method == "$/cancelRequest":
                self._cancel(checked.get("id"))
            else:
                dispatcher.notice(method, checked)
        except PackhoundError as error:
            log.warning("%s: %s", method, error)
        except Exception:
            log.exception("%s failed", method)

    def _take_reply(self, message: dict[str, object]) -> None:
        message_id = message["id"]
        reply = self._sent.pop(message_id, None) if _is_id(message_id) else None
        if reply is None:
            log.debug("an answer to nothing: %r", message_id)
            return
        error = message.get("error")
        try:
            reply(message.get("result"), error if isinstance(error, dict) else None)
        except Exception:
            log.exception("the client's answer could not be used")

    def _fail(self, message_id: MessageId | None, code: int, text: str) -> None:
        self._writer.send({"jsonrpc": "2.0", "id": message_id, "error": _error(code, text)})


def _params(method: str, params: object) -> Params:
    # Lua clients send an empty object as an empty list.
    if params is None or params == []:
        return {}
    if not isinstance(params, dict):
        raise RefusedError(
            INVALID_PARAMS, f"the params of {method} are {params!r:.80}, not an object"
        )
    return params


def _is_id(value: object) -> TypeGuard[MessageId]:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _id_of(message: object) -> MessageId | None:
    found = message.get("id") if isinstance(message, dict) else None
    return found if _is_id(found) else None


def _error(code: int, message: str) -> dict[str, object]:
    return {"code": code, "message": message}


def _ignore(result: object, error: Params | None) -> None:
    if error:
        log.debug("the client refused: %s", error.get("message"))
