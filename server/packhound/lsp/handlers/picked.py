"""`packhound/picked`: the user opened the result at a position, or with `run` ran it as a test."""

from __future__ import annotations

from packhound.core.types import Hit
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.params import uri_in
from packhound.rpc import Params


def picked(ls: PackhoundServer, params: Params) -> None:
    """Record the use; where `activation` is on, it raises the node in later searches."""
    engine_path = ls.session.documents.locate(uri_in(params))
    if engine_path is None:
        return
    engine, path = engine_path
    line = ls.session.documents.line_in(params)
    query, hit = _last_hit(ls, path, line)
    if params.get("run") is True:
        if node := engine.node_at(path, line):
            engine.sources.episodes.record_run(query or node.name, path, node.qualname)
        return
    engine.picked(path, line)
    if hit:
        engine.sources.episodes.record_pick(query, path, hit.node.qualname, hit.rank)


def _last_hit(ls: PackhoundServer, path: str, line: int) -> tuple[str, Hit | None]:
    """Return the last query and its hit at a place; empty where that was no hit."""
    if ls.session.last_search.entry is not None:
        query, results = ls.session.last_search.entry
        for hit in results.hits:
            if (hit.node.path, hit.node.span.start_line) == (path, line):
                return query.text, hit
    return "", None
