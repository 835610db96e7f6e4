"""The lifecycle of an editor's session, and its handlers: pygls' own, and those we register.

Notifications and quick requests run on the thread that reads, handlers marked with
`@server.thread()` on worker threads. A handler asks `cancel_event` and `arrival` of the request
that it answers.
"""

from __future__ import annotations

import inspect
import logging
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, cast

import cattrs
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcServerNotInitialized,
)
from pygls.feature_manager import is_thread_function
from pygls.protocol import lsp_method

from packhound import rpc
from packhound.core.errors import Cancelled, PackhoundError
from packhound.lsp.pygls_seam import PyglsSeam, object_params

if TYPE_CHECKING:
    from packhound.lsp.language_server import PackhoundServer

Handler: TypeAlias = Callable[..., object]

_EVERY_NOTEBOOK = types.NotebookDocumentSyncOptions(
    [types.NotebookDocumentFilterWithNotebook(notebook="*")], save=True
)

_REQUEST: ContextVar[rpc.Request] = ContextVar("packhound_request")

log = logging.getLogger("packhound.lsp")


class PackhoundProtocol(PyglsSeam, rpc.Service):
    """The service of one client; `run` takes its messages until the stream ends."""

    def __init__(self, server: PackhoundServer, converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        self._state: Literal["uninitialized", "running", "shut down"] = "uninitialized"

    def cancel_event(self) -> threading.Event:
        """Return the event that is set when the calling handler's result is no longer wanted."""
        return _REQUEST.get().cancelled

    def arrival(self) -> int:
        """Return the number of the calling handler's request, in order of arrival."""
        return _REQUEST.get().arrival

    # No property: pygls reads every attribute in its constructor.
    def exit_code(self) -> int:
        """Return the process's exit code by the specification: 0 after `shutdown`, else 1."""
        return 0 if self._state == "shut down" else 1

    def run(self, stream: rpc.WriteQueue) -> None:
        """Serve messages until the client closes the stream; raises WireError."""
        self._stream = stream
        self.rpc = rpc.Session(rpc.FRAMES, stream, self)
        self.rpc.run()

    def close(self, timeout_s: float) -> None:
        """Flush what is queued, for at most `timeout_s`, and let the workers end."""
        self._stream.close(timeout_s)
        self.rpc.close()

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
        self.rpc.cancel_all(keep=_REQUEST.get())
        yield self.fm.features[types.SHUTDOWN], args, None

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: object) -> NoReturn:
        """End the process."""
        self.server.exit(self.exit_code())

    @lsp_method(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def lsp_work_done_progress_cancel(
        self, params: types.WorkDoneProgressCancelParams
    ) -> Generator[Any, Any, None]:
        """Ask our handler alone: pygls' looks the token up, which may be no string or number."""
        yield self.fm.features[types.WINDOW_WORK_DONE_PROGRESS_CANCEL], (params,), None

    def accept(self, request: rpc.Request) -> rpc.Work:
        """Return the call of a request's handler; raises JsonRpcException."""
        method, params = request.method, request.params
        self._check_state(method)
        handler = self.find_handler(method)
        if method == types.INITIALIZE:
            structured: object = self.server.read_initialize(object_params(method, params))
        else:
            structured = self.structure_params(method, params)
        is_slow = bool(is_thread_function(handler))  # type: ignore[no-untyped-call]
        return rpc.Work(partial(self._answer, request, handler, structured), is_slow)

    def receive(self, method: str, params: object) -> None:
        """Take a notification; one that is unknown or comes too early is ignored."""
        try:
            if method == types.CANCEL_REQUEST:
                self.rpc.cancel(object_params(method, params).get("id"))
            elif method == types.EXIT:
                self.lsp_exit()
            elif self._state == "running":
                _call_handler(self.find_handler(method), self.structure_params(method, params))
        except JsonRpcMethodNotFound:
            log.debug("unknown notification %s", method)
        except JsonRpcException as error:
            log.warning("%s: %s", method, error)

    def error(self, method: str, failure: Exception) -> rpc.RpcError:
        """Return the error of a failed request; log what is a defect of the server."""
        match failure:
            case JsonRpcException():
                return rpc.RpcError(failure.code, failure.message)
            case Cancelled():
                return rpc.RpcError(rpc.REQUEST_CANCELLED, "cancelled")
            case PackhoundError():
                return super().error(method, failure)
        log.error("%s failed", method, exc_info=failure)
        return rpc.RpcError(
            rpc.INTERNAL_ERROR, f"{method} failed: {type(failure).__name__}: {failure}"
        )

    def _answer(self, request: rpc.Request, handler: Handler, params: object) -> object:
        _REQUEST.set(request)
        result = _call_handler(handler, params)
        as_json = partial(self.unstructure_result, request.method)
        return rpc.then(result, as_json) if isinstance(result, Future) else as_json(result)

    def _check_state(self, method: str) -> None:
        if self._state == "shut down":
            raise JsonRpcInvalidRequest("the server was shut down")
        if method == types.INITIALIZE and self._state == "running":
            raise JsonRpcInvalidRequest("the server is initialized already")
        if method != types.INITIALIZE and self._state == "uninitialized":
            raise JsonRpcServerNotInitialized("the server is not initialized")


def _call_handler(handler: Handler, *arguments: object) -> object:
    """Run a handler; pygls' own are generators that yield the handlers to run in between."""
    if not inspect.isgeneratorfunction(handler):
        return handler(*arguments)
    steps = cast("Generator[Any, object, object]", handler(*arguments))
    outcome: object = None
    try:
        while True:
            inner, inner_arguments, _ = steps.send(outcome)
            outcome = _call_handler(inner, *(inner_arguments or ()))
    except StopIteration as end:
        return cast("object", end.value)
