"""`packhound/explain`: uri, position, query?, git?; the default is the last query."""

from __future__ import annotations

from dataclasses import replace

from pygls.exceptions import JsonRpcInvalidParams

from packhound.core.errors import SettingsError
from packhound.core.types import Json, Query
from packhound.lsp.hover_text import hover_text
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations
from packhound.lsp.operations import arguments_of, call_of
from packhound.operations import asked, explain_hit, explanation_row, leave
from packhound.rpc import Params


def explain(ls: PackhoundServer, params: Params) -> Json:
    """Return the score of the node at a position and its reasons, result or not."""
    last, query = ls.session.last_search.entry, None
    if params.get("query") is None:
        if last is None:
            raise JsonRpcInvalidParams("'query' is missing, and nothing was searched yet")
        query = last[0]
        params = {**params, "query": query.text or " "}
    call, request, arguments, _ = asked(call_of(ls), "explain", arguments_of(ls, "explain", params))
    roots = call.roots.select(str(arguments.get("root") or ""))
    query = query or Query(request.query, deep=request.deep)
    try:
        hit = explain_hit(replace(call, roots=roots), request, replace(query, git=request.git))
    except SettingsError:  # There is no definition at the place.
        return {"query": query.text, "hit": None, "markdown": None}
    row = leave(roots, explanation_row(roots, hit), Locations(ls.session))
    return {
        "query": query.text,
        "hit": row,
        "markdown": hover_text(query.text, hit, markdown=True),
    }
