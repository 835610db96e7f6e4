"""Readers of request params: a bad value is refused in one line that names it and the remedy."""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from packhound.core.errors import SettingsError
from packhound.core.typed import convert_value
from packhound.rpc import Params

MAX_CHARACTERS = 10_000


def text_in(params: Params, name: str, max_length: int = MAX_CHARACTERS) -> str:
    """Return a required string. Raises JsonRpcInvalidParams, as all here do."""
    value = params.get(name)
    if not isinstance(value, str):
        raise _refusal(name, value, "a string")
    if len(value) > max_length:
        raise JsonRpcInvalidParams(
            f"'{name}' has {len(value)} characters; must have at most {max_length}"
        )
    return value


def value_in(params: Params, name: str, annotation: object, default: Any) -> Any:  # noqa: ANN401 - of the type that is annotated
    """Return a value as requests of operations read it; the default if it is absent."""
    value = params.get(name)
    if value is None:
        return default
    try:
        return convert_value(annotation, f"'{name}'", value)
    except SettingsError as problem:
        raise JsonRpcInvalidParams(str(problem)) from None


def object_in(params: Params, name: str) -> Params | None:
    """Return an object; None if it is absent."""
    value = params.get(name)
    if value is not None and not isinstance(value, dict):
        raise _refusal(name, value, "an object")
    return value


def uri_in(params: Params) -> str:
    """Return the URI of the document, from `uri` or what the protocol calls a document."""
    document = params.get("textDocument", params.get("notebookDocument"))
    return text_in(document if isinstance(document, dict) else params, "uri")


def line_in(params: Params) -> int:
    """Return the line of the request's `position`; it may be past the end."""
    position = object_in(params, "position")
    if position is None:
        raise _refusal("position", None, "an object with line and character")
    line = position.get("line")
    if isinstance(line, bool) or not isinstance(line, int) or line < 0:
        raise _refusal("position.line", line, "a whole number of at least 0")
    return line


def _refusal(name: str, value: object, expected: str) -> JsonRpcInvalidParams:
    quoted = "missing" if value is None else repr(value)
    if len(quoted) > 80:
        quoted = quoted[:77] + "..."
    return JsonRpcInvalidParams(f"'{name}' is {quoted}; expected {expected}")
