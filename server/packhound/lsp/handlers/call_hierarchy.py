"""`textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and `outgoingCalls`."""

from __future__ import annotations

from lsprotocol import types

from packhound import impact
from packhound.core.types import NodeRef
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations
from packhound.lsp.position import column_of, symbol_kind

OPTIONS = types.CallHierarchyRegistrationOptions(
    # VS Code asks the provider of a named language first, which may know more than we do.
    document_selector=[types.TextDocumentFilterLanguage(language="*")]
)
_UNCALLED = frozenset({"file", "section", "window"})


def prepare_call_hierarchy(
    ls: PackhoundServer, params: types.CallHierarchyPrepareParams
) -> list[types.CallHierarchyItem] | None:
    """Return what is called under the cursor, else the definition around it."""
    symbol = symbol_at(ls, params.text_document.uri, params.position)
    if symbol is None:
        return None
    locations = Locations(ls.session)
    line = ls.session.documents.line_in_text(params.text_document.uri, params.position.line)
    called = (
        link.node
        for link in symbol.callees
        if link.line == line
        for name in [locations.name_range(symbol.node, line, link.node.name)]
        if name.start.character <= params.position.character <= name.end.character
    )
    node = next(called, symbol.node)
    return None if node.kind in _UNCALLED else [_item(ls, locations, node)]


def incoming_calls(
    ls: PackhoundServer, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall] | None:
    """Return what calls or uses an item, its tests last; without callers what uses its name."""
    symbol = symbol_at(ls, params.item.uri, params.item.selection_range.start)
    if symbol is None:
        return None
    locations, name = Locations(ls.session), symbol.node.name
    tests = (test for test in symbol.tests if test.distance == 1)
    mentions = () if symbol.is_used else symbol.mentions
    return [
        types.CallHierarchyIncomingCall(
            _item(ls, locations, node, remark), [locations.name_range(node, line, name)]
        )
        for node, line, remark in (
            *((link.node, link.line, _remark(link)) for link in (*symbol.callers, *tests)),
            *((each.node, each.line, "uses this name") for each in mentions),
        )
    ]


def outgoing_calls(
    ls: PackhoundServer, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall] | None:
    """Return what an item calls or uses."""
    symbol = symbol_at(ls, params.item.uri, params.item.selection_range.start)
    if symbol is None:
        return None
    locations = Locations(ls.session)
    return [
        types.CallHierarchyOutgoingCall(
            _item(ls, locations, link.node, _remark(link)),
            [locations.name_range(symbol.node, link.line, link.node.name)],
        )
        for link in symbol.callees
    ]


def symbol_at(ls: PackhoundServer, uri: str, position: types.Position) -> impact.Symbol | None:
    """Return the definition around a position with what it touches."""
    ls.session.wait_for_folders()
    engine_path = ls.session.documents.locate(uri)
    if engine_path is None:
        return None
    engine, path = engine_path
    line = ls.session.documents.line_in_text(uri, position.line)
    column = column_of(engine, path, (line, position.character), ls.session.client.encoding)
    node = engine.node_at(path, line, column)
    return engine.symbol(node) if node else None


def _remark(link: impact.Link) -> str:
    return f"by {link.by}" if link.by else "" if link.is_resolved else str(link.grade)


def _item(
    ls: PackhoundServer, locations: Locations, node: NodeRef, remark: str = ""
) -> types.CallHierarchyItem:
    remark = f" · {remark}" if remark else ""
    return types.CallHierarchyItem(
        name=node.qualname or node.name or node.path.rpartition("/")[2],
        kind=types.SymbolKind(symbol_kind(node.kind, all_kinds=ls.session.client.all_symbol_kinds)),
        uri=locations.uri(node),
        range=locations.range(node),
        selection_range=locations.selection_range(node),
        detail=f"{node.path}{remark}",
    )
