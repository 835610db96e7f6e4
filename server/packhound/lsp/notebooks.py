"""Open notebooks: their cells as `notebookDocument/...` notifications change them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from msgspec import Meta
from pygls.exceptions import JsonRpcInvalidParams

from packhound.lsp.params import object_in, text_in, uri_in, value_in
from packhound.lsp.text_changes import apply_changes
from packhound.rpc import BODY_BYTES, Params
from packhound.text import PROSE, Cell, Encoding, TextBuffer, cells_in, notebook_text

_MARKUP = 1
"""`NotebookCellKind.Markup`."""
_Kind: TypeAlias = Annotated[int, Meta(ge=1, le=2)]
_Cells: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000)]


@dataclass(slots=True)
class _CellText:
    """The document of a cell."""

    language: str
    buffer: TextBuffer


class NotebookBuffer:
    """The cells of a notebook, in order. Methods raise JsonRpcInvalidParams."""

    def __init__(self, params: Params, encoding: Encoding) -> None:
        """Take the params of `notebookDocument/didOpen`."""
        self._encoding: Encoding = encoding
        self._texts: dict[str, _CellText] = {}
        self._open(_objects_in(params, "cellTextDocuments"))
        notebook = object_in(params, "notebookDocument") or {}
        self._kinds = dict(map(_uri_and_kind, _objects_in(notebook, "cells")))

    @property
    def source(self) -> bytes:
        """The text of the notebook, as the index has it."""
        return notebook_text(self._cell(uri, kind) for uri, kind in self._kinds.items())

    @property
    def uris(self) -> tuple[str, ...]:
        """The URIs of the cells."""
        return tuple(self._kinds)

    def first_line(self, uri: str) -> int:
        """Return the line of the notebook's text at which a cell begins."""
        return cells_in(self.source)[self.uris.index(uri)].line

    def apply(self, change: Params) -> None:
        """Apply the `change` of `notebookDocument/didChange`."""
        cells = object_in(change, "cells") or {}
        structure = object_in(cells, "structure")
        if structure is not None:
            self._restructure(structure)
        for cell in _objects_in(cells, "data"):
            uri, kind = _uri_and_kind(cell)
            if uri in self._kinds:
                self._kinds[uri] = kind
        for content in _objects_in(cells, "textContent"):
            uri = uri_in(object_in(content, "document") or {})
            apply_changes(self._text(uri).buffer, content.get("changes"))

    def opening_params(self) -> dict[str, Any]:
        """Return the cells as `notebookDocument/didOpen` has them."""
        return {
            "cells": [{"kind": kind, "document": uri} for uri, kind in self._kinds.items()],
            "cellTextDocuments": [
                {"uri": uri, "languageId": text.language, "version": 0, "text": _decode(text)}
                for uri, text in self._texts.items()
            ],
        }

    def _restructure(self, structure: Params) -> None:
        array = object_in(structure, "array") or {}
        start = value_in(array, "start", _Cells, 0)
        count = value_in(array, "deleteCount", _Cells, 0)
        cells = list(self._kinds.items())
        cells[start : start + count] = map(_uri_and_kind, _objects_in(array, "cells"))
        for document in _objects_in(structure, "didClose"):
            self._texts.pop(uri_in(document), None)
        self._open(_objects_in(structure, "didOpen"))
        self._kinds = dict(cells)

    def _open(self, documents: list[Params]) -> None:
        for document in documents:
            buffer = TextBuffer(text_in(document, "text", BODY_BYTES), self._encoding)
            language = text_in(document, "languageId")
            self._texts[uri_in(document)] = _CellText(language, buffer)

    def _cell(self, uri: str, kind: int) -> Cell:
        text = self._text(uri)
        return Cell(PROSE if kind == _MARKUP else text.language, _decode(text))

    def _text(self, uri: str) -> _CellText:
        if uri not in self._texts:
            raise JsonRpcInvalidParams(f"the cell {uri!r:.200} was never opened")
        return self._texts[uri]


def _decode(text: _CellText) -> str:
    return text.buffer.source.decode("utf-8", "surrogatepass")


def _uri_and_kind(cell: Params) -> tuple[str, int]:
    return text_in(cell, "document"), value_in(cell, "kind", _Kind, 2)


def _objects_in(params: Params, name: str) -> list[Params]:
    values = params.get(name)
    if values is None:
        return []
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise JsonRpcInvalidParams(f"'{name}' is not a list of objects")
    return values
