"""`packhound/search`: query, limit?, mode?, kinds?, languages?, paths?, focus?, deep?, ..."""

from __future__ import annotations

from dataclasses import replace

from packhound.api import Json, results_json
from packhound.core.types import Focus, NodeRef, Query, Results
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations, mistakable_folders
from packhound.lsp.params import object_in, query_of, uri_in
from packhound.lsp.session import Session
from packhound.search import missing_deep_model


def search(ls: PackhoundServer, params: Params) -> Json:
    """Return the hits of a query over all folders."""
    session = ls.session
    query = query_of(params, session.settings, _focus(session, object_in(params, "focus")))
    results = run_search(ls, query)
    if query.deep and (note := missing_deep_model()):
        results = replace(results, notes=(*results.notes, note))
    folders = {
        hit.node: folder
        for hit, folder in zip(results.hits, mistakable_folders(results.hits), strict=True)
        if folder
    }
    locations = Locations(session)

    def locate(node: NodeRef) -> Json:
        folder = {"folder": folders[node]} if node in folders else {}
        return {**folder, **locations.json(node)}

    return results_json(results, locate)


def run_search(ls: PackhoundServer, query: Query) -> Results:
    """Search all folders, and remember the results for hovers."""
    cancelled = ls.protocol.cancel_event()
    ls.session.wait_for_folders()
    results = ls.session.workspace.search(query, cancelled)
    if not cancelled.is_set():
        ls.session.last_search.update(ls.protocol.arrival(), query, results)
    return results


def _focus(session: Session, params: Params | None) -> Focus | None:
    if params is None:
        return None
    engine_path = session.locate(uri_in(params))
    # Untitled documents have no path, and ignored ones nothing near; such a search has no focus.
    if engine_path is None or engine_path[1] not in engine_path[0].snapshot.files:
        return None
    line = session.documents.line_in(params) if params.get("position") is not None else 0
    return Focus(engine_path[1], line, str(engine_path[0].root))
