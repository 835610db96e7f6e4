"""Requests for context packs: the code that a prompt needs, and what a node is connected to."""

from __future__ import annotations

from collections import Counter

from pygls.exceptions import JsonRpcInvalidParams

from packhound.api.json_codec import Json, pack_json
from packhound.api.schema import pack_request_from
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.languageserver import PackhoundServer
from packhound.lsp.params import limit_in, line_in, object_in, uri_in
from packhound.lsp.places import Places
from packhound.lsp.session import Session
from packhound.pack.request import PackFocus
from packhound.service.engine import Engine

# A definition that everything uses; nobody looks at more.
MOST_NEIGHBORS = 100


def pack(ls: PackhoundServer, params: Params) -> Json:
    """`packhound/pack`: prompt, budget?, reserve?, focus?, pinned?, excluded?, model?, ..."""
    ls.session.wait_for_folders()
    engine, focus = _place(ls.session, object_in(params, "focus"))
    request = pack_request_from(params, focus=focus)
    return {**pack_json(engine.pack(request, ls.protocol.cancelled())), "root": str(engine.root)}


def neighbors(ls: PackhoundServer, params: Params) -> Json:
    """`packhound/neighbors`: what the node at a position contains, uses, and is used by.

    `limit` is how many of each kind are told, the surest first.
    """
    engine, path = ls.located(params)
    most, places = limit_in(params, MOST_NEIGHBORS), Places(ls.session)
    found, told = [], Counter[str]()
    for edge, node in engine.neighbors(path, line_in(params)):
        told[edge] += 1
        if told[edge] <= most:
            found.append(
                {
                    "edge": edge,
                    "path": node.path,
                    "name": node.name,
                    "qualname": node.qualname,
                    "kind": node.kind,
                    "start_line": node.span.start_line + 1,
                    "end_line": node.span.end_line + 1,
                    **places.json(node),
                }
            )
    return {"neighbors": found}


def _place(session: Session, focus: Params | None) -> tuple[Engine, PackFocus | None]:
    """The folder to pack from: the one that the user is in, or the first."""
    place = session.locate(uri_in(focus)) if focus else None
    engines = session.workspace.engines
    if place is None and not engines:
        raise JsonRpcInvalidParams("no folder is open to pack from")
    if place is None or focus is None:
        return engines[0], None
    engine, path = place
    line = line_in(focus) if focus.get("position") is not None else 0
    selection = object_in(focus, "selection")
    lines = None
    if selection is not None:
        lines = (_line(selection, "start"), _line(selection, "end"))
    shown = tuple(session.documents.paths_in(engine))
    return engine, PackFocus(path, line, lines, shown)


def _line(selection: Params, name: str) -> int:
    return line_in({"position": selection.get(name)})
