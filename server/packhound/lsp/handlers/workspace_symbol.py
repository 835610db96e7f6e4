"""`workspace/symbol` and `workspaceSymbol/resolve`."""

from __future__ import annotations

import time
from collections.abc import Sequence

from lsprotocol import types

from packhound.core.titles import is_impl_title
from packhound.core.types import Hit, Mode, NodeRef, Query, Results
from packhound.lsp.documents import EnginePath
from packhound.lsp.handlers.search import run_search
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations, mistakable_folders
from packhound.lsp.params import text_in
from packhound.lsp.position import symbol_kind
from packhound.lsp.session import Session

# Editors show a list; a hundred symbols are a few milliseconds of JSON.
MAX_SYMBOLS = 100
# Some editors ask once, when the picker opens, which may be before anything is in the index.
_PATIENCE_S = 2.0
_RETRY_S = 0.1
_START = types.Range(types.Position(0, 0), types.Position(0, 0))


def workspace_symbol(
    ls: PackhoundServer, params: types.WorkspaceSymbolParams
) -> list[types.WorkspaceSymbol]:
    """Search names; and meaning too, for several words where the editor does not filter."""
    session, text = ls.session, text_in({"query": params.query}, "query")
    if not text.strip():
        return []
    is_prose = len(text.split()) > 1 and not session.client.filters_symbols
    # Symbols have no further places, so each of equal texts is one.
    mode: Mode = "hybrid" if is_prose else "symbol"
    query = Query(text, limit=MAX_SYMBOLS, mode=mode, overlapping=True)
    # Records of sources beside code have no place to go to.
    hits = [hit for hit in _search_while_indexing(ls, query).hits if hit.record is None]
    hits = _current_file_first(hits, session.documents.latest)
    locations = Locations(session)
    # For a name the reason is the name itself.
    reasons_of = [hit.explanation().reasons if is_prose else () for hit in hits]
    details = [
        (folder, *reasons)
        for folder, reasons in zip(mistakable_folders(hits), reasons_of, strict=True)
    ]
    return [
        _to_symbol(session, locations, hit.node, more)
        for hit, more in zip(hits, details, strict=True)
    ]


def workspace_symbol_resolve(
    ls: PackhoundServer, symbol: types.WorkspaceSymbol
) -> types.WorkspaceSymbol:
    """Add the current range; editors resolve the symbol that the user opens, so it is a pick."""
    session = ls.session
    node = _find_node(session, symbol.data)
    if node is None:
        # Not one of ours, or gone: the start of its file.
        location = types.Location(symbol.location.uri, _START)
    else:
        location = Locations(session).location(node)
    symbol.location = location
    engine_path = session.documents.locate(location.uri)
    if engine_path is not None:
        engine, path = engine_path
        engine.picked(path, location.range.start.line)
    return symbol


def _search_while_indexing(ls: PackhoundServer, query: Query) -> Results:
    """Search again for a while where nothing matches and files are still being read."""
    cancelled, deadline = ls.protocol.cancel_event(), time.monotonic() + _PATIENCE_S
    results, is_read = run_search(ls, query), False
    while not (results.hits or is_read or cancelled.is_set() or time.monotonic() > deadline):
        is_read = ls.session.workspace.settled(_RETRY_S)
        results = run_search(ls, query)
    return results


def _current_file_first(hits: Sequence[Hit], current: EnginePath | None) -> list[Hit]:
    """Return the hits: of one name and kind the current file's first, then its folder's."""
    if current is None:
        return list(hits)
    root, path = str(current[0].root), current[1]
    by_name: dict[tuple[str, str], list[Hit]] = {}
    for hit in hits:
        by_name.setdefault((hit.node.name, hit.node.kind), []).append(hit)
    for namesakes in by_name.values():
        namesakes.sort(key=lambda hit: (hit.node.root != root, hit.node.path != path))
    return [by_name[hit.node.name, hit.node.kind].pop(0) for hit in hits]


def _to_symbol(
    session: Session, locations: Locations, node: NodeRef, details: Sequence[str]
) -> types.WorkspaceSymbol:
    location: types.Location | types.LocationUriOnly
    if session.client.resolves_symbols:
        location = types.LocationUriOnly(locations.uri(node))
    else:
        location = locations.location(node)
    container = node.qualname
    if not is_impl_title(container):
        container = container.removesuffix(node.name).rstrip(".:#/")
    if not container and not session.client.filters_symbols:
        # VS Code shows the path itself.
        container = node.path
    identity = [node.root, node.path, node.kind, node.qualname]
    return types.WorkspaceSymbol(
        location=location,
        name=node.name or node.path.rpartition("/")[2],
        kind=types.SymbolKind(symbol_kind(node.kind, all_kinds=session.client.all_symbol_kinds)),
        container_name=" · ".join(filter(None, (container, *details))),
        data={"node": identity, "line": node.span.start_line},
    )


def _find_node(session: Session, data: object) -> NodeRef | None:
    """Return the node that a symbol was made from, the nearest one if several have its name."""
    identity = data.get("node") if isinstance(data, dict) else None
    line = data.get("line") if isinstance(data, dict) else None
    if not isinstance(identity, list | tuple) or len(identity) != 4 or not isinstance(line, int):
        return None
    root, path, kind, qualname = identity
    for engine in session.workspace.engines:
        if str(engine.root) == root and isinstance(path, str):
            nodes = [n for n in engine.outline(path) if (n.kind, n.qualname) == (kind, qualname)]
            return min(nodes, key=lambda n: abs(n.span.start_line - line), default=None)
    return None
