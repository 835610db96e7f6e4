"""pygls' protocol with our own ways in and out: every request is answered once, cancelled or not.

pygls reads, runs handlers and mirrors documents in ways that starve or wedge a server that
searches. Here messages come from our frame reader on one thread; notifications and quick requests
run there, in the order in which they came; handlers marked with `@server.thread()` run on threads
of our own, so that a search never keeps a cancellation from being read. Types, features, commands,
capabilities and requests to the client are pygls'.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextvars import ContextVar, copy_context
from typing import TYPE_CHECKING, Any, NoReturn

import attrs
import cattrs
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import JsonRPCResponseMessage, LanguageServerProtocol, lsp_method

from packhound.core.errors import PackhoundError
from packhound.lsp.jsonrpc.dispatch import (
    MessageId,
    call,
    error_of,
    id_of,
    is_aside,
    is_id,
    params_of,
)
from packhound.lsp.jsonrpc.executors import Workers
from packhound.lsp.jsonrpc.frames import FrameReader, FrameWriter, Malformed, encode

if TYPE_CHECKING:
    from packhound.lsp.languageserver import PackhoundServer

N_WORKERS = 4

# Their params stay as they came: positions that no document has are legal for our buffers, and
# structuring a long text would cost more than applying it.
_UNSTRUCTURED = {
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_SAVE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.CANCEL_REQUEST,
}
_CANCEL: ContextVar[threading.Event] = ContextVar("packhound_cancel")

log = logging.getLogger("packhound.lsp")


class PackhoundProtocol(LanguageServerProtocol):
    """One client; `run` takes its messages until the stream ends."""

    _server: PackhoundServer

    def __init__(self, server: PackhoundServer, converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        self._lock = threading.Lock()
        self._open: dict[MessageId, threading.Event] = {}

    def cancelled(self) -> threading.Event:
        """Set when the client no longer wants the answer that the calling handler computes."""
        return _CANCEL.get()

    @property
    def was_shut_down(self) -> bool:
        """Whether the client has said goodbye."""
        return self._shutdown

    def run(self, reader: FrameReader, frames: FrameWriter) -> None:
        """Take messages until the client hangs up; raises WireError."""
        self._frames = frames
        self._workers = Workers("packhound-request", N_WORKERS)
        for message in reader:
            if isinstance(message, Malformed):
                self._refuse(None, JsonRpcParseError(message.reason))
            elif not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
                error = JsonRpcInvalidRequest("not a JSON-RPC 2.0 message")
                self._refuse(id_of(message), error)
            else:
                self._take(message)

    def close(self, timeout_s: float) -> None:
        """Write what is queued."""
        self._frames.close(timeout_s)

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(
        self, params: types.InitializeParams
    ) -> Generator[Any, Any, types.InitializeResult]:
        """As pygls does, but with the encoding of positions that our buffers use."""
        result = yield from super().lsp_initialize(params)
        result.capabilities.position_encoding = self._server.session.client.encoding
        return result

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: object) -> Generator[Any, Any, None]:
        """Cancel what is open, and take nothing more."""
        self._shutdown = True
        current = _CANCEL.get()
        for message_id, cancel in list(self._open.items()):
            if cancel is not current:
                self._cancel(message_id)
        yield self.fm.features[types.SHUTDOWN], args, None

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: object) -> NoReturn:
        """End the process."""
        self._server.exit(0 if self._shutdown else 1)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(
        self, params: types.ExecuteCommandParams
    ) -> Generator[Any, Any, object]:
        """As pygls does; an unknown name is answered with the known ones."""
        if params.command not in self.fm.commands:
            legal = ", ".join(self.fm.commands)
            raise JsonRpcInvalidParams(f"'command' is {params.command!r:.80}; legal: {legal}")
        return (yield from super().lsp_workspace__execute_command(params))

    def _take(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method is None and "id" in message:
            self._take_reply(message)
        elif not isinstance(method, str):
            error = JsonRpcInvalidRequest("a message has a method or an id")
            self._refuse(id_of(message), error)
        elif "id" in message:
            self._take_request(message["id"], method, message.get("params"))
        else:
            self._take_notification(method, message.get("params"))

    def _take_request(self, message_id: object, method: str, params: object) -> None:
        if not is_id(message_id):
            self._refuse(None, JsonRpcInvalidRequest("the id is no number and no text"))
            return
        cancel = threading.Event()
        with self._lock:
            if self._open.setdefault(message_id, cancel) is not cancel:
                self._refuse(message_id, JsonRpcInvalidRequest(f"the id {message_id!r} is in use"))
                return
        _CANCEL.set(cancel)
        try:
            self._check_state(method)
            handler, structured = self._get_handler(method), self._structured(method, params)
        except JsonRpcException as error:
            self._answer(message_id, cancel, self._refusal(message_id, error))
            return

        def task() -> None:
            if not cancel.is_set():
                self._serve(message_id, method, cancel, lambda: call(handler, structured))

        if is_aside(handler) or method == types.WORKSPACE_EXECUTE_COMMAND:
            context = copy_context()
            self._workers.submit(lambda: context.run(task))
        else:
            task()

    def _check_state(self, method: str) -> None:
        if self._shutdown:
            raise JsonRpcInvalidRequest("the server was shut down")
        if method == types.INITIALIZE and self._workspace is not None:
            raise JsonRpcInvalidRequest("the server is initialized already")
        if method != types.INITIALIZE and self._workspace is None:
            raise JsonRpcServerNotInitialized("the server is not initialized")

    def _structured(self, method: str, params: object) -> object:
        given = params_of(method, params)
        if method == types.INITIALIZE:
            return self._server.read_initialize(given)
        kinds: tuple[Any, ...] = types.METHOD_TO_TYPES.get(method, (None, None, None))
        if kinds[2] is None or method in _UNSTRUCTURED:
            return given
        try:
            return self._converter.structure(given, kinds[2])
        except Exception as error:
            # cattrs raises what the structured classes raise, which may be anything.
            reasons = "; ".join(cattrs.transform_error(error, path="params"))
            raise JsonRpcInvalidParams(f"{method}: {reasons}") from error

    def _get_handler(self, feature_name: str) -> Callable[..., Any]:
        # pygls' own handlers of these keep a mirror of the text that differs from the editor's.
        if feature_name in _UNSTRUCTURED and feature_name in self.fm.features:
            return self.fm.features[feature_name]  # type: ignore[no-any-return]
        return super()._get_handler(feature_name)

    def _serve(
        self,
        message_id: MessageId,
        method: str,
        cancel: threading.Event,
        compute: Callable[[], object],
    ) -> None:
        try:
            result = compute()
            if isinstance(result, Future):
                result.add_done_callback(
                    lambda done: self._serve(message_id, method, cancel, done.result)
                )
                return
            outcome = self._result(message_id, method, result)
            frame = encode({"jsonrpc": self.VERSION, "id": message_id, "result": outcome})
        except Exception as error:
            frame = self._refusal(message_id, error_of(method, error))
        self._answer(message_id, cancel, frame)

    def _result(self, message_id: MessageId, method: str, result: object) -> object:
        result_type = self.get_result_type(method)
        if result_type is None or method == types.WORKSPACE_EXECUTE_COMMAND:
            return result
        response = result_type(id=message_id, result=result, jsonrpc=self.VERSION)
        return self._converter.unstructure(response).get("result")

    def _answer(self, message_id: MessageId, cancel: threading.Event, frame: bytes) -> None:
        with self._lock:
            # The id may be in use again after a cancellation, so its event decides.
            if self._open.get(message_id) is not cancel:
                return
            del self._open[message_id]
        self._frames.put(frame)

    def _refuse(self, message_id: MessageId | None, error: JsonRpcException) -> None:
        self._frames.put(self._refusal(message_id, error))

    def _refusal(self, message_id: MessageId | None, error: JsonRpcException) -> bytes:
        outcome = {"code": error.code, "message": error.message}
        return encode({"jsonrpc": self.VERSION, "id": message_id, "error": outcome})

    def _cancel(self, message_id: object) -> None:
        cancel = self._open.get(message_id) if is_id(message_id) else None
        if cancel is not None and is_id(message_id):
            cancel.set()
            error = JsonRpcRequestCancelled("cancelled")
            self._answer(message_id, cancel, self._refusal(message_id, error))

    def _take_notification(self, method: str, params: object) -> None:
        try:
            if method == types.CANCEL_REQUEST:
                self._cancel(params_of(method, params).get("id"))
            elif method == types.EXIT:
                self.lsp_exit()
            elif self._workspace is not None and not self._shutdown:
                call(self._get_handler(method), self._structured(method, params))
        except JsonRpcMethodNotFound:
            log.debug("%s is not known", method)
        except (JsonRpcException, PackhoundError) as error:
            log.warning("%s: %s", method, error)
        except Exception:
            log.exception("%s failed", method)

    def _take_reply(self, message: dict[str, Any]) -> None:
        message_id = message["id"]
        waiting = self._request_futures.pop(message_id, None) if is_id(message_id) else None
        if waiting is None:
            log.debug("an answer to nothing: %r", message_id)
            return
        result_type = self._result_types.pop(message_id, None) or JsonRPCResponseMessage
        error = message.get("error")
        try:
            if error is not None:
                raise JsonRpcException(str(error))
            waiting.set_result(self._converter.structure(message, result_type).result)
        except Exception as failure:
            waiting.set_exception(failure)

    def _send_data(self, data: object) -> None:
        message = self._converter.unstructure(data) if attrs.has(type(data)) else data
        self._frames.put(encode(message))
