"""`textDocument/documentSymbol`: the nodes of a document, or of a cell, as a tree."""

from __future__ import annotations

from lsprotocol import types

from packhound.core.types import NodeRef
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations
from packhound.lsp.position import symbol_kind
from packhound.lsp.session import Session

_NO_SYMBOLS = ("file", "window")
"""Kinds of what is outside all definitions."""


def document_symbol(
    ls: PackhoundServer, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    """Return the outline of the text as it is in the editor; empty where it is not indexed."""
    session = ls.session
    session.wait_for_folders()
    nodes, locations = definitions(session, params.text_document.uri), Locations(session)
    if session.client.nests_symbols:
        return _tree(session, locations, nodes)
    return [
        types.SymbolInformation(
            location=locations.location(node), name=node.name, kind=_kind(session, node)
        )
        for node in nodes
    ]


def definitions(session: Session, uri: str) -> list[NodeRef]:
    """Return those of a document or a cell, in reading order; none where it is not indexed."""
    engine_path = session.documents.locate(uri)
    if engine_path is None:
        return []
    engine, path = engine_path
    nodes = [n for n in engine.outline(path) if n.path == path and n.kind not in _NO_SYMBOLS]
    if session.documents.is_cell(uri):
        locations = Locations(session)
        return [node for node in nodes if locations.uri(node) == uri]
    return nodes


def _tree(
    session: Session, locations: Locations, nodes: list[NodeRef]
) -> list[types.DocumentSymbol]:
    """Return the nodes, which are in reading order, each below the one that holds it."""
    roots: list[types.DocumentSymbol] = []
    holders: list[tuple[int, list[types.DocumentSymbol]]] = []
    for node in nodes:
        children: list[types.DocumentSymbol] = []
        symbol = types.DocumentSymbol(
            name=node.name,
            kind=_kind(session, node),
            range=locations.range(node),
            selection_range=locations.selection_range(node),
            detail=node.signature or None,
            children=children,
        )
        while holders and holders[-1][0] < node.span.end:
            holders.pop()
        (holders[-1][1] if holders else roots).append(symbol)
        holders.append((node.span.end, children))
    return roots


def _kind(session: Session, node: NodeRef) -> types.SymbolKind:
    kind = symbol_kind(node.kind, all_kinds=session.client.all_document_symbol_kinds)
    return types.SymbolKind(kind)
