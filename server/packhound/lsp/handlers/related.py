"""`packhound/related`: uri, position, limit?."""

from __future__ import annotations

from packhound.api import Json, results_json
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations
from packhound.lsp.params import limit_in


def related(ls: PackhoundServer, params: Params) -> Json:
    """Return the nodes most similar to the one at a position."""
    engine, path = ls.require_engine_path(params)
    limit = limit_in(params, ls.session.settings.search.limit)
    results = engine.related(
        path, ls.session.documents.line_in(params), limit, ls.protocol.cancel_event()
    )
    return results_json(results, Locations(ls.session).json)
