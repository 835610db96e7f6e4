"""What a client asks, checked: a value that is not legal is refused in one line that names it."""

from __future__ import annotations

from pygls.exceptions import JsonRpcInvalidParams

from packhound.api.schema import query_from
from packhound.core.settings import Settings
from packhound.core.types import MOST_HITS, Focus, Query
from packhound.lsp.jsonrpc.frames import Params

MAX_CHARACTERS = 10_000


def query_of(params: Params, settings: Settings, focus: Focus | None) -> Query:
    """Return the query of a search request. Raises SettingsError."""
    return query_from(params, limit=settings.limit, focus=focus)


def text_in(params: Params, name: str, most: int = MAX_CHARACTERS) -> str:
    """A text that must be there."""
    value = params.get(name)
    if not isinstance(value, str):
        raise _refusal(name, value, "a text")
    if len(value) > most:
        raise JsonRpcInvalidParams(
            f"'{name}' has {len(value)} characters; must have at most {most}"
        )
    return value


def limit_in(params: Params, default: int) -> int:
    """How many hits are asked for."""
    return number_in(params, "limit", default, low=1, high=MOST_HITS)


def number_in(params: Params, name: str, default: int, *, low: int, high: int) -> int:
    """A whole number, if it is given."""
    value = params.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise _refusal(name, value, f"a whole number from {low} to {high}")
    return value


def flag_in(params: Params, name: str) -> bool:
    """A switch that is off unless given."""
    value = params.get(name)
    if value is not None and not isinstance(value, bool):
        raise _refusal(name, value, "one of: true, false")
    return bool(value)


def object_in(params: Params, name: str) -> Params | None:
    """An object, if it is given."""
    value = params.get(name)
    if value is not None and not isinstance(value, dict):
        raise _refusal(name, value, "an object")
    return value


def uri_in(params: Params) -> str:
    """The document that a request is about, given as `uri` or the protocol's `textDocument`."""
    document = params.get("textDocument")
    return text_in(document if isinstance(document, dict) else params, "uri")


def line_in(params: Params) -> int:
    """The line of the request's `position`; lines past the end are legal."""
    position = object_in(params, "position")
    if position is None:
        raise _refusal("position", None, "an object with line and character")
    line = position.get("line")
    if isinstance(line, bool) or not isinstance(line, int) or line < 0:
        raise _refusal("position.line", line, "a whole number from 0")
    return line


def _refusal(name: str, value: object, legal: str) -> JsonRpcInvalidParams:
    given = "missing" if value is None else repr(value)
    if len(given) > 80:
        given = given[:77] + "..."
    return JsonRpcInvalidParams(f"'{name}' is {given}; expected {legal}")
