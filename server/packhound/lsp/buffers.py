"""Texts that an editor has open: documents, and notebooks of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from pygls.exceptions import JsonRpcInvalidParams

from packhound.core.types import Json
from packhound.lsp.notebooks import NotebookBuffer
from packhound.lsp.params import object_in, text_in
from packhound.lsp.text_changes import apply_changes
from packhound.rpc import BODY_BYTES, Params
from packhound.text import Encoding, TextBuffer

Buffer: TypeAlias = TextBuffer | NotebookBuffer


def open_buffer(params: Params, encoding: Encoding) -> Buffer:
    """Return the buffer of a document or notebook that is opened."""
    if "notebookDocument" in params:
        return NotebookBuffer(params, encoding)
    return TextBuffer(
        text_in(object_in(params, "textDocument") or {}, "text", BODY_BYTES), encoding
    )


def change_buffer(buffer: Buffer, params: Params) -> None:
    """Apply the params of a `didChange`."""
    if isinstance(buffer, NotebookBuffer):
        buffer.apply(object_in(params, "change") or {})
    else:
        apply_changes(buffer, params.get("contentChanges"))


def opened_after(messages: Sequence[Mapping[str, Any]], encoding: Encoding) -> Json | None:
    """Return one `didOpen` in place of a `didOpen` and some `didChange`; None if they fail."""
    try:
        opened, *changes = (message["params"] for message in messages)
        buffer = open_buffer(opened, encoding)
        for params in changes:
            change_buffer(buffer, params)
        last = changes[-1] if changes else opened
        if isinstance(buffer, NotebookBuffer):
            cells = buffer.opening_params()
            notebook = {**opened["notebookDocument"], **last["notebookDocument"]}
            notebook["cells"] = cells.pop("cells")
            params = {"notebookDocument": notebook, **cells}
        else:
            text = buffer.source.decode("utf-8", "replace")
            item = {**opened["textDocument"], **last["textDocument"], "text": text}
            params = {"textDocument": item}
        return {**messages[0], "params": params}
    except (JsonRpcInvalidParams, LookupError, TypeError, ValueError):
        return None
