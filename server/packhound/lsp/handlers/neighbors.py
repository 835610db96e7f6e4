"""`packhound/neighbors`: uri, position, limit?."""

from __future__ import annotations

from collections import Counter

from packhound.api import Json
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations
from packhound.lsp.params import limit_in

DEFAULT_LIMIT = 100
"""Neighbors of each kind; nobody reads more of a definition that everything uses."""


def neighbors(ls: PackhoundServer, params: Params) -> Json:
    """Return what the node at a position contains, uses, and is used by.

    `limit` bounds the neighbors of each kind; the most certain come first.
    """
    engine, path = ls.require_engine_path(params)
    limit, locations = limit_in(params, DEFAULT_LIMIT), Locations(ls.session)
    rows, counts = [], Counter[str]()
    for edge, node in engine.neighbors(path, ls.session.documents.line_in(params)):
        counts[edge] += 1
        if counts[edge] <= limit:
            rows.append(
                {
                    "edge": edge,
                    "path": node.path,
                    "name": node.name,
                    "qualname": node.qualname,
                    "kind": node.kind,
                    "start_line": node.span.start_line + 1,
                    "end_line": node.span.end_line + 1,
                    **locations.json(node),
                }
            )
    return {"neighbors": rows}
