"""Content changes of the protocol, applied to text buffers."""

from __future__ import annotations

from pygls.exceptions import JsonRpcInvalidParams

from packhound.lsp.params import object_in, text_in
from packhound.rpc import BODY_BYTES, Params
from packhound.text import Position, TextBuffer


def apply_changes(buffer: TextBuffer, changes: object) -> None:
    """Apply changes, one after the other. Raises JsonRpcInvalidParams, maybe after some of them."""
    if not isinstance(changes, list):
        raise JsonRpcInvalidParams("'contentChanges' is not a list")
    for change in changes:
        if not isinstance(change, dict):
            raise JsonRpcInvalidParams("'contentChanges' holds something that is not an object")
        text = text_in(change, "text", BODY_BYTES)
        span = object_in(change, "range")
        if span is None:
            buffer.replace_all(text)
        else:
            buffer.edit(_position(span, "start"), _position(span, "end"), text)


def _position(span: Params, name: str) -> Position:
    position = object_in(span, name) or {}
    line, character = position.get("line"), position.get("character")
    if not isinstance(line, int) or not isinstance(character, int):
        raise JsonRpcInvalidParams(f"'{name}' of a range is {position!r:.80}")
    return line, character
