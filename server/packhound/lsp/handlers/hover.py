"""`textDocument/hover`."""

from __future__ import annotations

from lsprotocol import types

from packhound.core.types import Hit, NodeRef, Results
from packhound.lsp.hover_text import hover_text
from packhound.lsp.language_server import PackhoundServer


def hover(ls: PackhoundServer, params: types.HoverParams) -> types.Hover | None:
    """Explain the rank of the node under the cursor among the results of the last search."""
    session, line = ls.session, params.position.line
    mode = session.settings.hover
    engine_path = session.locate(params.text_document.uri)
    if session.last_search is None or engine_path is None or mode == "off":
        return None
    engine, path = engine_path
    query, results = session.last_search
    node = engine.node_at(path, line)
    hit = _find_hit(node, results) if node else None
    if node and hit is None and mode == "always":
        hit = engine.explain(query, path, line, ls.protocol.cancel_event())
    if hit is None:
        return None
    markdown = session.client.markdown
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    text = hover_text(query.text, hit, markdown=markdown)
    return types.Hover(types.MarkupContent(kind, text))


def _find_hit(node: NodeRef, results: Results) -> Hit | None:
    """Return the hit of a node; by its name, for the text may have moved since the search."""
    key = _identity(node)
    return next((hit for hit in results.hits if _identity(hit.node) == key), None)


def _identity(node: NodeRef) -> tuple[str, str, str, str, int]:
    unnamed_line = node.span.start_line if node.kind == "window" else 0
    return node.root, node.path, node.kind, node.qualname, unnamed_line
