"""Dispatch of one client's messages, and the lifecycle of the connection.

Messages come from the frame reader on one thread. Notifications and quick requests run there, in
order of arrival; handlers marked with `@server.thread()` run on worker threads, so that a search
never keeps a cancellation from being read.
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextvars import ContextVar, copy_context
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import cattrs
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import lsp_method

from packhound.core.errors import PackhoundError
from packhound.lsp.jsonrpc.dispatch import (
    call_handler,
    error_response,
    is_message_id,
    object_params,
    read_message_id,
    result_response,
    runs_in_background,
    to_json_rpc_error,
)
from packhound.lsp.jsonrpc.executors import ThreadPool
from packhound.lsp.jsonrpc.frames import FrameReader, FrameWriter, Malformed
from packhound.lsp.jsonrpc.pygls_seam import PyglsSeam
from packhound.lsp.jsonrpc.request_queue import IncomingRequests, PendingRequest

if TYPE_CHECKING:
    from packhound.lsp.language_server import PackhoundServer

N_WORKERS = 4

_EVERY_NOTEBOOK = types.NotebookDocumentSyncOptions(
    [types.NotebookDocumentFilterWithNotebook(notebook="*")], save=True
)

_CANCELLED: ContextVar[threading.Event] = ContextVar("packhound_cancelled")
_ARRIVAL: ContextVar[int] = ContextVar("packhound_arrival")

log = logging.getLogger("packhound.lsp")


class PackhoundProtocol(PyglsSeam):
    """One client; `run` takes its messages until the stream ends."""

    def __init__(self, server: PackhoundServer, converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        self._state: Literal["uninitialized", "running", "shut down"] = "uninitialized"
        self._incoming = IncomingRequests(self.send_frame)
        self._arrivals = itertools.count()

    def cancel_event(self) -> threading.Event:
        """Return the event that is set when the calling handler's result is no longer wanted."""
        return _CANCELLED.get()

    def arrival(self) -> int:
        """Return the number of the calling handler's request, in order of arrival."""
        return _ARRIVAL.get()

    # No property: pygls reads every attribute in its constructor.
    def exit_code(self) -> int:
        """Return the process's exit code by the specification: 0 after `shutdown`, else 1."""
        return 0 if self._state == "shut down" else 1

    def run(self, reader: FrameReader, frames: FrameWriter) -> None:
        """Dispatch messages until the client closes the stream; raises WireError."""
        self._frames = frames
        self._workers = ThreadPool("packhound-request", N_WORKERS)
        for message in reader:
            if isinstance(message, Malformed):
                self.send_frame(error_response(None, JsonRpcParseError(message.reason)))
            elif not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
                error = JsonRpcInvalidRequest("not a JSON-RPC 2.0 message")
                self.send_frame(error_response(read_message_id(message), error))
            else:
                self._dispatch(message)

    def send_frame(self, frame: bytes) -> None:
        """Queue a frame for the client; returns at once."""
        self._frames.put(frame)

    def close(self, timeout_s: float) -> None:
        """Flush what is queued, for at most `timeout_s`, and let the workers end."""
        self._frames.close(timeout_s)
        self._workers.close()

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(
        self, params: types.InitializeParams
    ) -> Generator[Any, Any, types.InitializeResult]:
        """Extend pygls' handler by the position encoding that our buffers use."""
        result = yield from super().lsp_initialize(params)
        client = self.server.session.client
        result.capabilities.position_encoding = client.encoding
        if client.syncs_notebooks:
            result.capabilities.notebook_document_sync = _EVERY_NOTEBOOK
        self._state = "running"
        if client.filters_symbols:
            # VS Code would show every definition twice, ours beside those of its own extensions.
            result.capabilities.document_symbol_provider = None
        return result

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: object) -> Generator[Any, Any, None]:
        """Cancel pending requests and accept no more."""
        self._state = "shut down"
        self._incoming.cancel_all(keep=_CANCELLED.get())
        yield self.fm.features[types.SHUTDOWN], args, None

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: object) -> NoReturn:
        """End the process."""
        self.server.exit(self.exit_code())

    def _dispatch(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method is None and "id" in message:
            self.resolve_response(message)
        elif not isinstance(method, str):
            error = JsonRpcInvalidRequest("a message has a method or an id")
            self.send_frame(error_response(read_message_id(message), error))
        elif "id" in message:
            self._dispatch_request(message["id"], method, message.get("params"))
        else:
            self._dispatch_notification(method, message.get("params"))

    def _dispatch_request(self, message_id: object, method: str, params: object) -> None:
        if not is_message_id(message_id):
            error = JsonRpcInvalidRequest("the id is neither a number nor a string")
            self.send_frame(error_response(None, error))
            return
        try:
            request = self._incoming.accept(message_id, method)
        except JsonRpcInvalidRequest as error:
            self.send_frame(error_response(message_id, error))
            return
        _CANCELLED.set(request.cancelled)
        _ARRIVAL.set(next(self._arrivals))
        try:
            self._check_state(method)
            handler, structured = self.find_handler(method), self._structure(method, params)
        except JsonRpcException as error:
            self._incoming.respond(request, error_response(message_id, error))
            return

        def task() -> None:
            if not request.cancelled.is_set():
                self._complete(request, lambda: call_handler(handler, structured))

        if runs_in_background(handler):
            context = copy_context()
            self._workers.submit(lambda: context.run(task))
        else:
            task()

    def _check_state(self, method: str) -> None:
        if self._state == "shut down":
            raise JsonRpcInvalidRequest("the server was shut down")
        if method == types.INITIALIZE and self._state == "running":
            raise JsonRpcInvalidRequest("the server is initialized already")
        if method != types.INITIALIZE and self._state == "uninitialized":
            raise JsonRpcServerNotInitialized("the server is not initialized")

    def _structure(self, method: str, params: object) -> object:
        if method == types.INITIALIZE:
            return self.server.read_initialize(object_params(method, params))
        return self.structure_params(method, params)

    def _complete(self, request: PendingRequest, compute: Callable[[], object]) -> None:
        """Respond with what `compute` returns or raises; a future is awaited first."""
        message_id, method = request.message_id, request.method
        try:
            result = compute()
            if isinstance(result, Future):
                result.add_done_callback(lambda done: self._complete(request, done.result))
                return
            result = self.unstructure_result(message_id, method, result)
            response = result_response(message_id, result)
        except Exception as error:
            response = error_response(message_id, to_json_rpc_error(method, error))
        self._incoming.respond(request, response)

    def _dispatch_notification(self, method: str, params: object) -> None:
        try:
            if method == types.CANCEL_REQUEST:
                message_id = object_params(method, params).get("id")
                if is_message_id(message_id):
                    self._incoming.cancel(message_id)
            elif method == types.EXIT:
                self.lsp_exit()
            elif self._state == "running":
                call_handler(self.find_handler(method), self.structure_params(method, params))
        except JsonRpcMethodNotFound:
            log.debug("unknown notification %s", method)
        except (JsonRpcException, PackhoundError) as error:
            log.warning("%s: %s", method, error)
        except Exception:
            log.exception("%s failed", method)
