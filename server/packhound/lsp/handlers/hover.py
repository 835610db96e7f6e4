"""`textDocument/hover`."""

from __future__ import annotations

from lsprotocol import types

from packhound.core.types import Hit, NodeRef, Results
from packhound.lsp.hover_text import hover_text, notes_text
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.position import column_of
from packhound.service import Engine


def hover(ls: PackhoundServer, params: types.HoverParams) -> types.Hover | None:
    """Explain the rank of the node under the cursor, and show the notes on it."""
    session, uri = ls.session, params.text_document.uri
    engine_path = session.documents.locate(uri)
    if engine_path is None or session.settings.search.hover == "off":
        return None
    engine, path = engine_path
    line = session.documents.line_in_text(uri, params.position.line)
    position = line, params.position.character
    node = engine.node_at(path, line, column_of(engine, path, position, session.client.encoding))
    if node is None:
        return None
    markdown = session.client.markdown
    notes = engine.notes.on(node) if session.settings.sources.notes else ()
    text = notes_text(notes, markdown=markdown)
    hit, query = _hit_of(ls, engine, node, line)
    if hit is not None:
        explanation = hover_text(query, hit, markdown=markdown)
        text = f"{explanation}\n\n{text}" if text else explanation
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, text)) if text else None


def _hit_of(
    ls: PackhoundServer, engine: Engine, node: NodeRef, line: int
) -> tuple[Hit | None, str]:
    """Return a node as a hit of the last search, and its query; None if it was none."""
    session = ls.session
    if session.last_search.entry is None:
        return None, ""
    query, results = session.last_search.entry
    hit = _find_hit(node, results)
    if hit is None and session.settings.search.hover == "always":
        hit = engine.explain(query, node.path, line, ls.protocol.cancel_event(), node)
    return hit, query.text


def _find_hit(node: NodeRef, results: Results) -> Hit | None:
    """Return the hit of a node; by its name, for the text may have moved since the search."""
    key = _identity(node)
    return next((hit for hit in results.hits if _identity(hit.node) == key), None)


def _identity(node: NodeRef) -> tuple[str, str, str, str, int]:
    unnamed_line = node.span.start_line if node.kind == "window" else 0
    return node.root, node.path, node.kind, node.qualname, unnamed_line
