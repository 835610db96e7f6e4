"""Nodes as the symbols of an editor, and the results that a node is among."""

from __future__ import annotations

from lsprotocol import types

from packhound.core.types import Hit, NodeRef, Results
from packhound.lsp.places import Places
from packhound.lsp.position import symbol_kind
from packhound.lsp.session import Session

_START = types.Range(types.Position(0, 0), types.Position(0, 0))


def symbol_of(session: Session, places: Places, node: NodeRef) -> types.WorkspaceSymbol:
    """A node as a symbol; its range comes later for clients that ask for it then."""
    location: types.Location | types.LocationUriOnly
    if session.client.resolves_symbols:
        location = types.LocationUriOnly(places.uri(node))
    else:
        location = places.location(node)
    container = node.qualname.removesuffix(node.name).rstrip(".:#/")
    mark = [node.root, node.path, node.kind, node.qualname]
    return types.WorkspaceSymbol(
        location=location,
        name=node.name or node.path.rpartition("/")[2],
        kind=types.SymbolKind(symbol_kind(node.kind, all_kinds=session.client.all_symbol_kinds)),
        container_name=container or node.path,
        data={"node": mark, "line": node.span.start_line},
    )


def resolved(session: Session, symbol: types.WorkspaceSymbol) -> types.WorkspaceSymbol:
    """The symbol with its range of now; symbols that are not ours begin where their file does."""
    node = _marked(session, symbol.data)
    if node is None:
        symbol.location = types.Location(symbol.location.uri, _START)
    else:
        symbol.location = Places(session).location(node)
    return symbol


def hit_of(node: NodeRef, results: Results) -> Hit | None:
    """The result that a node is; the text may have moved since, names have usually not."""
    wanted = _identity(node)
    return next((hit for hit in results.hits if _identity(hit.node) == wanted), None)


def _marked(session: Session, mark: object) -> NodeRef | None:
    node = mark.get("node") if isinstance(mark, dict) else None
    line = mark.get("line") if isinstance(mark, dict) else None
    if not isinstance(node, list | tuple) or len(node) != 4 or not isinstance(line, int):
        return None
    root, path, kind, qualname = node
    for engine in session.workspace.engines:
        if str(engine.root) == root and isinstance(path, str):
            same = [n for n in engine.outline(path) if (n.kind, n.qualname) == (kind, qualname)]
            return min(same, key=lambda n: abs(n.span.start_line - line), default=None)
    return None


def _identity(node: NodeRef) -> tuple[str, str, str, str, int]:
    unnamed = node.span.start_line if node.kind == "window" else 0
    return node.root, node.path, node.kind, node.qualname, unnamed
