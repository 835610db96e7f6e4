"""`packhound/picked`: the user opened the result at a position."""

from __future__ import annotations

from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.params import uri_in


def picked(ls: PackhoundServer, params: Params) -> None:
    """Record the use; where `activation` is on, it raises the node in later searches."""
    engine_path = ls.session.locate(uri_in(params))
    if engine_path is None:
        return
    engine, path = engine_path
    line = ls.session.documents.line_in(params)
    engine.picked(path, line)
    query, results = ls.session.last_search or (None, None)
    for hit in results.hits if results else ():
        if query and (hit.node.path, hit.node.span.start_line) == (path, line):
            engine.sources.episodes.picked(query.text, path, hit.node.qualname, hit.rank)
            return
