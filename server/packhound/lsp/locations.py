"""Locations of nodes as the client writes them: its URIs, and ranges in its position encoding."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path, PurePath

from lsprotocol import types

from packhound.core.types import Hit, Json, NodeRef, Span
from packhound.lsp.position import range_of_span
from packhound.lsp.selection_range import name_span
from packhound.lsp.session import Session
from packhound.lsp.uris import uri_from_path
from packhound.service import Engine
from packhound.text import CellSpan, LineIndex, cell_at, cells_in, file_lines, is_notebook


class Locations:
    """Locations of one response; each file is read once, however many of its nodes are in it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._sources: dict[tuple[str, str], bytes | None] = {}
        self._cells: dict[tuple[str, str], list[CellSpan]] = {}
        self._file_lines: dict[tuple[str, str], list[list[int]]] = {}

    def json(self, node: NodeRef) -> Json:
        """Return URI, range and selection range, as in the responses of `packhound/...`."""
        return {
            "uri": self.uri(node),
            "range": _range_json(self.range(node)),
            "selectionRange": _range_json(self.selection_range(node)),
        }

    def location(self, node: NodeRef) -> types.Location:
        """Return the URI and selection range of a node."""
        return types.Location(self.uri(node), self.selection_range(node))

    def uri(self, node: NodeRef) -> str:
        """Return the URI of a node's document, spelled as by the client if it is open there.

        In a notebook that is open it is that of the cell.
        """
        if cell := self._cell(node, node.span.start_line):
            uris = self._session.documents.cells_of(node.root, node.path)
            if cell.number <= len(uris):
                return uris[cell.number - 1]
        if uri := self._session.documents.uri_for(node.root, node.path):
            return uri
        path = node.path
        if not os.path.isabs(path):  # noqa: PTH117 - keeps odd names
            path = os.path.join(self._session.client_path(node.root), *path.split("/"))  # noqa: PTH118
        return uri_from_path(path)

    def range(self, node: NodeRef) -> types.Range:
        """Return the range of a node in the text of its generation."""
        return self._range_of(node, node.span)

    def selection_range(self, node: NodeRef) -> types.Range:
        """Return the range of a node's name, or of its signature if the name is not in the text."""
        source = self._source(node)
        if source is None:
            return self.range(node)
        return self._range_of(node, _selection_span(node, source))

    def _range_of(self, node: NodeRef, span: Span) -> types.Range:
        """Return the range of a span, in a notebook with the lines of its cell or of its file."""
        in_text = range_of_span(span, self._source(node), self._session.client.encoding)
        cell = self._cell(node, span.start_line)
        if cell is None:
            return in_text
        if self._session.documents.cells_of(node.root, node.path):
            ends = ((p.line - cell.line, p.character) for p in (in_text.start, in_text.end))
            return types.Range(*(types.Position(max(line, 0), n) for line, n in ends))
        first = self._file_line(node, cell, in_text.start.line)
        return types.Range(types.Position(first, 0), types.Position(first + 1, 0))

    def _cell(self, node: NodeRef, line: int) -> CellSpan | None:
        """Return the cell with a line of a node's notebook."""
        if not is_notebook(node.path):
            return None
        key = (node.root, node.path)
        if key not in self._cells:
            self._cells[key] = cells_in(self._source(node) or b"")
        return cell_at(self._cells[key], line)

    def _file_line(self, node: NodeRef, cell: CellSpan, line: int) -> int:
        """Return the line of a notebook's file that holds a line of its text; 0 if unknown."""
        key = (node.root, node.path)
        if key not in self._file_lines:
            try:
                self._file_lines[key] = file_lines(Path(*key).read_bytes())
            except OSError:
                self._file_lines[key] = []
        of_cell = [*chain(*self._file_lines[key][cell.number - 1 : cell.number])]
        return of_cell[min(max(line - cell.line, 0), len(of_cell) - 1)] if of_cell else 0

    def line_json(self, node: NodeRef, line: int) -> Json:
        """Return URI and range of a 0-based line of a node's file."""
        lines = LineIndex(self._source(node) or b"")
        span = Span(lines.offset(line, 0), lines.offset(line, sys.maxsize), line, line)
        return {
            "uri": self.uri(replace(node, span=span)),
            "range": _range_json(self._range_of(node, span)),
        }

    def name_range(self, node: NodeRef, line: int, name: str) -> types.Range:
        """Return the range of a name in a 0-based line of a node's file, or the line's start."""
        source = self._source(node) or b""
        lines = LineIndex(source)
        start, end = lines.offset(line, 0), lines.offset(line + 1, 0)
        word = re.escape(name.encode("utf-8", "replace"))
        match = re.compile(rb"(?<!\w)%b(?!\w)" % word).search(source, start, end)
        return self._range_of(node, Span(*(match.span() if match else (start, start)), line, line))

    def _source(self, node: NodeRef) -> bytes | None:
        key = (node.root, node.path)
        if key not in self._sources:
            engine = self._engine(node.root)
            self._sources[key] = engine.source(node.path) if engine else None
        return self._sources[key]

    def _engine(self, root: str) -> Engine | None:
        """Return the engine of a folder, or of another root that was asked."""
        engines = self._session.workspace.engines
        opened = filter(None, (engine.others.at(root) for engine in engines))
        elsewhere = (other.engine for other in opened)
        own = (engine for engine in engines if str(engine.root) == root)
        return next(chain(own, elsewhere), None)


def mistakable_folders(hits: Sequence[Hit]) -> list[str]:
    """Return for each hit the name of its folder, "" unless another folder has its name too."""
    roots_of: dict[str, set[str]] = {}
    for hit in hits:
        roots_of.setdefault(hit.node.name, set()).add(hit.node.root)
    return [
        PurePath(hit.node.root).name if len(roots_of[hit.node.name]) > 1 else "" for hit in hits
    ]


def _selection_span(node: NodeRef, source: bytes) -> Span:
    start, end = name_span(node, source)
    node_start, node_line = node.span.start, node.span.start_line
    lines = LineIndex(source[node_start:end]).span(start - node_start, end - node_start)
    return Span(start, end, node_line + lines.start_line, node_line + lines.end_line)


def _range_json(range_: types.Range) -> Json:
    edges = {"start": range_.start, "end": range_.end}
    return {name: {"line": edge.line, "character": edge.character} for name, edge in edges.items()}
