"""The small rules of JSON-RPC and of pygls' handlers: ids, params, errors, calls."""

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
from packhound.lsp.jsonrpc.frames import Params

MessageId: TypeAlias = int | str
Handler: TypeAlias = Callable[..., object]

REQUEST_FAILED = -32_803

log = logging.getLogger("packhound.lsp")


def is_id(value: object) -> TypeGuard[MessageId]:
    """Whether a value may identify a request."""
    return isinstance(value, int | str) and not isinstance(value, bool)


def id_of(message: object) -> MessageId | None:
    """The id to answer a message with, however broken the rest of it is."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if is_id(found) else None


def params_of(method: str, params: object) -> Params:
    """The params of a message as an object; raises JsonRpcInvalidParams."""
    # Lua clients send an empty object as an empty list.
    if params is None or params == []:
        return {}
    if not isinstance(params, dict):
        raise JsonRpcInvalidParams(f"the params of {method} are {params!r:.80}, not an object")
    return params


def is_aside(handler: Handler) -> bool:
    """Whether a handler is marked with `@server.thread()`."""
    return bool(is_thread_function(handler))  # type: ignore[no-untyped-call]


def call(handler: Handler, *arguments: object) -> object:
    """Run a handler; pygls' own are generators that name the handlers to run in between."""
    if not inspect.isgeneratorfunction(handler):
        return handler(*arguments)
    steps = cast("Generator[Any, object, object]", handler(*arguments))
    outcome: object = None
    try:
        while True:
            inner, inner_arguments, _ = steps.send(outcome)
            outcome = call(inner, *(inner_arguments or ()))
    except StopIteration as end:
        return cast("object", end.value)


def error_of(method: str, error: Exception) -> JsonRpcException:
    """What the client is told of a failure; what nobody foresaw is logged as well."""
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
