"""Where nodes are, in the words of the client: URIs as it writes them, ranges in its units."""

from __future__ import annotations

import os

from lsprotocol import types

from packhound.api.json_codec import Json
from packhound.core.types import NodeRef, Span
from packhound.lsp.heads import head_of
from packhound.lsp.position import range_of, uri_of
from packhound.lsp.session import Session
from packhound.text.line_index import LineIndex


class Places:
    """The places of one answer; each file is read once however many of its nodes are in it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._engines = {str(engine.root): engine for engine in session.workspace.engines}
        self._sources: dict[tuple[str, str], bytes | None] = {}

    def json(self, node: NodeRef) -> Json:
        """The URI of a node, its range, and where to put the cursor, as in our own answers."""
        return {
            "uri": self.uri(node),
            "range": _range_json(self.range(node)),
            "selectionRange": _range_json(self.selection(node)),
        }

    def location(self, node: NodeRef) -> types.Location:
        """The URI of a node and where to put the cursor, as the protocol has them."""
        return types.Location(self.uri(node), self.selection(node))

    def uri(self, node: NodeRef) -> str:
        """The URI of a node's document, as the client itself writes it where that is known."""
        root = self._session.spelled(node.root)
        path = os.path.join(root, *node.path.split("/"))  # noqa: PTH118 - keeps odd names
        return self._session.documents.uri_for(path) or uri_of(path)

    def range(self, node: NodeRef) -> types.Range:
        """The range of a node in the text that its generation has."""
        return range_of(node.span, self._source(node), self._session.client.encoding)

    def selection(self, node: NodeRef) -> types.Range:
        """The range of a node's name, or of what defines it where the name is not in the text."""
        source = self._source(node)
        if source is None:
            return self.range(node)
        return range_of(_span(node, source), source, self._session.client.encoding)

    def _source(self, node: NodeRef) -> bytes | None:
        key = (node.root, node.path)
        if key not in self._sources:
            engine = self._engines.get(node.root)
            self._sources[key] = engine.source(node.path) if engine else None
        return self._sources[key]


def _span(node: NodeRef, source: bytes) -> Span:
    start, end = head_of(node, source)
    first, line = node.span.start, node.span.start_line
    below = LineIndex(source[first:end]).span(start - first, end - first)
    return Span(start, end, line + below.start_line, line + below.end_line)


def _range_json(found: types.Range) -> Json:
    edges = {"start": found.start, "end": found.end}
    return {name: {"line": edge.line, "character": edge.character} for name, edge in edges.items()}
