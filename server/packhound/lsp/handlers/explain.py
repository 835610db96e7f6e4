"""`packhound/explain`: uri, position, query?, git?; the default is the last query."""

from __future__ import annotations

from dataclasses import replace

from pygls.exceptions import JsonRpcInvalidParams

from packhound.api import Json, explanation_json
from packhound.core.parameters import boolean
from packhound.core.types import Query
from packhound.lsp.hover_text import hover_text
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations
from packhound.lsp.params import query_of
from packhound.lsp.session import Session


def explain(ls: PackhoundServer, params: Params) -> Json:
    """Return the score of the node at a position and its reasons, result or not."""
    query = _query_or_last(ls.session, params)
    engine, path = ls.require_engine_path(params)
    hit = engine.explain(
        query, path, ls.session.documents.line_in(params), ls.protocol.cancel_event()
    )
    return {
        "query": query.text,
        "hit": explanation_json(hit, Locations(ls.session).json) if hit else None,
        "markdown": hover_text(query.text, hit, markdown=True) if hit else None,
    }


def _query_or_last(session: Session, params: Params) -> Query:
    if params.get("query") is not None:
        return query_of(params, session.settings, None)
    by_git = boolean("").read("'git'", params.get("git") or False)
    if session.last_search.entry is None:
        raise JsonRpcInvalidParams("'query' is missing, and nothing was searched yet")
    return replace(session.last_search.entry[0], git=by_git)
