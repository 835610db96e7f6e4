"""Where nodes are, in the words of the client: URIs as it writes them, ranges in its units."""

from __future__ import annotations

import os

from lsprotocol import types

from packhound.lsp.convert import range_of, uri_of
from packhound.lsp.session import Session
from packhound.render import Json
from packhound.types import NodeRef


class Places:
    """The places of one answer; each file is read once however many of its nodes are in it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._engines = {str(engine.root): engine for engine in session.workspace.engines}
        self._sources: dict[tuple[str, str], bytes | None] = {}

    def json(self, node: NodeRef) -> Json:
        """The URI and the range of a node as they are in our own answers."""
        found = self.range(node)
        edges = {"start": found.start, "end": found.end}
        positions = {
            name: {"line": edge.line, "character": edge.character} for name, edge in edges.items()
        }
        return {"uri": self.uri(node), "range": positions}

    def location(self, node: NodeRef) -> types.Location:
        """The URI and the range of a node as the protocol has them."""
        return types.Location(self.uri(node), self.range(node))

    def uri(self, node: NodeRef) -> str:
        """The URI of a node's document, as the client itself writes it where that is known."""
        root = self._session.spelled(node.root)
        path = os.path.join(root, *node.path.split("/"))  # noqa: PTH118 - keeps odd names
        return self._session.documents.uri_for(path) or uri_of(path)

    def range(self, node: NodeRef) -> types.Range:
        """The range of a node in the text that its generation has."""
        return range_of(node.span, self._source(node), self._session.client.encoding)

    def _source(self, node: NodeRef) -> bytes | None:
        key = (node.root, node.path)
        if key not in self._sources:
            engine = self._engines.get(node.root)
            self._sources[key] = engine.source(node.path) if engine else None
        return self._sources[key]
