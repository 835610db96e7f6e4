"""Rules of JSON-RPC that need no state: request ids, params, errors, responses, handler calls."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Generator
from typing import Any, TypeAlias, TypeGuard, cast

from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcRequestCancelled,
)
from pygls.feature_manager import is_thread_function

from packhound.core.errors import Cancelled, PackhoundError, SettingsError
from packhound.lsp.jsonrpc.frames import Params, encode

MessageId: TypeAlias = int | str
Handler: TypeAlias = Callable[..., object]

JSON_RPC_VERSION = "2.0"
# LSP 3.17, `LSPErrorCodes.RequestFailed`.
REQUEST_FAILED = -32_803

log = logging.getLogger("packhound.lsp")


def is_message_id(value: object) -> TypeGuard[MessageId]:
    """Return True if JSON-RPC allows the value as the id of a request."""
    return isinstance(value, int | str) and not isinstance(value, bool)


def read_message_id(message: object) -> MessageId | None:
    """Return the id to respond to, however malformed the rest of the message is."""
    message_id = message.get("id") if isinstance(message, dict) else None
    return message_id if is_message_id(message_id) else None


def object_params(method: str, params: object) -> Params:
    """Return the params of a message as an object; raises JsonRpcInvalidParams."""
    # Lua clients send an empty object as an empty list.
    if params is None or params == []:
        return {}
    if not isinstance(params, dict):
        raise JsonRpcInvalidParams(f"the params of {method} are {params!r:.80}, not an object")
    return params


def runs_in_background(handler: Handler) -> bool:
    """Return True if a handler is marked with `@server.thread()`."""
    return bool(is_thread_function(handler))  # type: ignore[no-untyped-call]


def call_handler(handler: Handler, *arguments: object) -> object:
    """Run a handler; pygls' own are generators that yield the handlers to run in between."""
    if not inspect.isgeneratorfunction(handler):
        return handler(*arguments)
    steps = cast("Generator[Any, object, object]", handler(*arguments))
    outcome: object = None
    try:
        while True:
            inner, inner_arguments, _ = steps.send(outcome)
            outcome = call_handler(inner, *(inner_arguments or ()))
    except StopIteration as end:
        return cast("object", end.value)


def to_json_rpc_error(method: str, error: Exception) -> JsonRpcException:
    """Map a failure to the error that the client gets; log what is a defect of the server."""
    if isinstance(error, JsonRpcException):
        return error
    if isinstance(error, Cancelled):
        return JsonRpcRequestCancelled("cancelled")
    if isinstance(error, SettingsError):
        return JsonRpcInvalidParams(str(error))
    if isinstance(error, PackhoundError):
        return JsonRpcException(str(error), code=REQUEST_FAILED)
    log.error("%s failed", method, exc_info=error)
    return JsonRpcInternalError(f"{method} failed: {type(error).__name__}: {error}")


def result_response(message_id: MessageId, result: object) -> bytes:
    """Encode a successful response; raises ValueError or TypeError for what JSON cannot express."""
    return encode({"jsonrpc": JSON_RPC_VERSION, "id": message_id, "result": result})


def error_response(message_id: MessageId | None, error: JsonRpcException) -> bytes:
    """Encode an error response; the id is None where the request's cannot be read."""
    outcome = {"code": error.code, "message": error.message}
    return encode({"jsonrpc": JSON_RPC_VERSION, "id": message_id, "error": outcome})
