"""What a client asks, checked: a value that is not legal is refused in one line that names it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pygls.exceptions import JsonRpcInvalidParams

from packhound.core.settings import Settings
from packhound.core.types import KINDS, MODES, MOST_HITS, Focus, Query
from packhound.lsp.jsonrpc.frames import Params

# A page of text; longer ones were pasted by mistake.
QUERY_CHARACTERS = 10_000
MOST_FILTERS = 100
FILTER_CHARACTERS = 1_000

Choice = TypeVar("Choice", bound=str)


def query_of(params: Params, settings: Settings, focus: Focus | None) -> Query:
    """The query of a search request."""
    return Query(
        text=text_in(params, "query"),
        limit=limit_in(params, settings.limit),
        mode=choice_in(params, "mode", MODES, MODES[0]),
        kinds=tuple(choice(kind, "kinds", KINDS) for kind in texts_in(params, "kinds")),
        languages=texts_in(params, "languages"),
        paths=texts_in(params, "paths"),
        focus=focus,
    )


def text_in(params: Params, name: str, most: int = QUERY_CHARACTERS) -> str:
    """A text that must be there."""
    value = params.get(name)
    if not isinstance(value, str):
        raise _refusal(name, value, "a text")
    if len(value) > most:
        raise JsonRpcInvalidParams(f"'{name}' has {len(value)} characters; legal are up to {most}")
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


def word_in(params: Params, name: str) -> str:
    """A short text, empty unless given."""
    return "" if params.get(name) is None else text_in(params, name, FILTER_CHARACTERS)


def flag_in(params: Params, name: str) -> bool:
    """A switch that is off unless given."""
    value = params.get(name)
    if value is not None and not isinstance(value, bool):
        raise _refusal(name, value, "true, false")
    return bool(value)


def choice_in(params: Params, name: str, legal: Sequence[Choice], default: Choice) -> Choice:
    """One of a few words."""
    value = params.get(name)
    return default if value is None else choice(value, name, legal)


def choice(value: object, name: str, legal: Sequence[Choice]) -> Choice:
    """`value` as the legal word that it is."""
    for word in legal:
        if value == word:
            return word
    raise _refusal(name, value, ", ".join(legal))


def texts_in(params: Params, name: str) -> tuple[str, ...]:
    """A list of short texts, empty unless given."""
    value = params.get(name)
    if value is None:
        return ()
    legal = f"a list of up to {MOST_FILTERS} texts of up to {FILTER_CHARACTERS} characters"
    if not isinstance(value, list) or len(value) > MOST_FILTERS:
        raise _refusal(name, value, legal)
    for item in value:
        if not isinstance(item, str) or len(item) > FILTER_CHARACTERS or "\0" in item:
            raise _refusal(name, item, legal)
    return tuple(value)


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
    return JsonRpcInvalidParams(f"'{name}' is {given}; legal: {legal}")
