"""What each request is answered with: check the params, ask the engine, write JSON."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

from packhound.engine import Engine
from packhound.errors import Cancelled
from packhound.lsp.convert import path_of, symbol_kind
from packhound.lsp.hover import hover_text
from packhound.lsp.params import (
    flag_in,
    limit_in,
    line_in,
    object_in,
    query_of,
    text_in,
    uri_in,
)
from packhound.lsp.protocol import INVALID_PARAMS, Params, RefusedError
from packhound.lsp.session import Session
from packhound.render import Json, hit_json, results_json
from packhound.types import Focus, Hit, NodeRef, Query, Results

# Editors show a list; a hundred symbols are a few milliseconds of JSON.
SYMBOLS = 100
# How soon a waiting request notices that it was cancelled.
GLANCE_S = 0.05


def search(session: Session, params: Params, cancel: threading.Event) -> Json:
    """`packhound/search`."""
    query = query_of(params, session.settings, _focus(session, object_in(params, "focus")))
    return results_json(_search(session, query, cancel), session.place)


def explain(session: Session, params: Params, cancel: threading.Event) -> Json:
    """`packhound/explain`: the score of the node at a position, whether it is a result or not."""
    query = _query_or_last(session, params)
    engine, path = _located(session, params)
    hit = engine.explain(query, path, line_in(params), cancel)
    text = hover_text(query.text, hit, markdown=True) if hit else None
    shown = hit_json(hit, session.place) if hit else None
    return {"query": query.text, "hit": shown, "markdown": text}


def related(session: Session, params: Params, cancel: threading.Event) -> Json:
    """`packhound/related`: nodes like the one at a position."""
    engine, path = _located(session, params)
    limit = limit_in(params, session.settings.limit)
    return results_json(engine.related(path, line_in(params), limit, cancel), session.place)


def status(session: Session, params: Params, cancel: threading.Event) -> Json:
    """`packhound/status`; with `wait` it answers when every document is in the index."""
    if flag_in(params, "wait"):
        while not session.workspace.settled(GLANCE_S):
            if cancel.is_set():
                raise Cancelled("cancelled")
    return session.state()


def rebuild(session: Session, params: Params, cancel: threading.Event) -> Json:
    """`packhound/rebuild`: forget the indexes and build them again, in the background."""
    session.rebuild()
    return session.state()


def symbols(session: Session, params: Params, cancel: threading.Event) -> list[Json]:
    """`workspace/symbol`: names; and meaning for several words, where the editor keeps the list."""
    text = text_in(params, "query")
    if not text.strip():
        return []
    by_meaning = len(text.split()) > 1 and not session.client.filters_symbols
    query = Query(text, limit=SYMBOLS, mode="hybrid" if by_meaning else "symbol")
    return [_symbol(session, hit.node) for hit in _search(session, query, cancel).hits]


def resolve_symbol(session: Session, params: Params, cancel: threading.Event) -> Json:
    """`workspaceSymbol/resolve`: the range of a symbol, at its place of now."""
    location, mark = object_in(params, "location"), object_in(params, "data")
    found = _marked(session, mark) if mark else None
    place = session.place(found) if found else {"range": _nowhere()}
    return {**params, "location": {**(location or {}), **place}}


def hover(session: Session, params: Params, cancel: threading.Event) -> Json | None:
    """`textDocument/hover`: why the node under the cursor is where it is among the results."""
    last, mode = session.last, session.settings.hover
    path = path_of(uri_in(params))
    place = session.workspace.locate(Path(path)) if path else None
    if last is None or place is None or mode == "off":
        return None
    engine, relative = place
    query, results = last
    node = engine.node_at(relative, line_in(params))
    hit = _hit_of(node, results) if node else None
    if node and hit is None and mode == "always":
        hit = engine.explain(query, relative, line_in(params), cancel)
    if hit is None:
        return None
    markdown = session.client.markdown
    value = hover_text(query.text, hit, markdown=markdown)
    return {"contents": {"kind": "markdown" if markdown else "plaintext", "value": value}}


def _search(session: Session, query: Query, cancel: threading.Event) -> Results:
    results = session.workspace.search(query, cancel)
    if not cancel.is_set():
        session.last = (query, results)
    return results


def _query_or_last(session: Session, params: Params) -> Query:
    if params.get("query") is not None:
        return query_of(params, session.settings, None)
    if session.last is None:
        raise RefusedError(INVALID_PARAMS, "'query' is missing, and nothing was searched yet")
    return replace(session.last[0], focus=None)


def _located(session: Session, params: Params) -> tuple[Engine, str]:
    uri = uri_in(params)
    path = path_of(uri)
    place = session.workspace.locate(Path(path)) if path else None
    if place is None:
        raise RefusedError(INVALID_PARAMS, f"'uri' is {uri!r:.200}, which is in no indexed folder")
    return place


def _focus(session: Session, params: Params | None) -> Focus | None:
    if params is None:
        return None
    path = path_of(uri_in(params))
    place = session.workspace.locate(Path(path)) if path else None
    # An untitled document is a place to search from like any other, only without a path.
    if place is None:
        return None
    return Focus(place[1], line_in(params) if params.get("position") is not None else 0)


def _symbol(session: Session, node: NodeRef) -> Json:
    place = session.place(node)
    if session.client.resolves_symbols:
        place.pop("range")
    container = node.qualname.removesuffix(node.name).rstrip(".:#/")
    mark = [node.root, node.path, node.kind, node.qualname]
    return {
        "name": node.name or node.path.rpartition("/")[2],
        "kind": symbol_kind(node.kind, all_kinds=session.client.all_symbol_kinds),
        "containerName": container or node.path,
        "location": place,
        "data": {"node": mark, "line": node.span.start_line},
    }


def _marked(session: Session, mark: Params) -> NodeRef | None:
    node, line = mark.get("node"), mark.get("line")
    if not isinstance(node, list) or len(node) != 4 or not isinstance(line, int):
        return None
    root, path, kind, qualname = node
    for engine in session.workspace.engines:
        if str(engine.root) == root and isinstance(path, str):
            same = [n for n in engine.outline(path) if (n.kind, n.qualname) == (kind, qualname)]
            return min(same, key=lambda n: abs(n.span.start_line - line), default=None)
    return None


def _hit_of(node: NodeRef, results: Results) -> Hit | None:
    # The text may have moved since the search; what a node is called has usually not.
    wanted = _identity(node)
    return next((hit for hit in results.hits if _identity(hit.node) == wanted), None)


def _identity(node: NodeRef) -> tuple[str, str, str, str, int]:
    unnamed = node.span.start_line if node.kind == "window" else 0
    return node.root, node.path, node.kind, node.qualname, unnamed


def _nowhere() -> Json:
    return {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
