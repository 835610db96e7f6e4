"""`packhound/search`: an operation whose results hovers are of."""

from __future__ import annotations

from dataclasses import replace

from packhound.core.types import Json, Query, Results
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations, mistakable_folders
from packhound.lsp.operations import arguments_of, call_of
from packhound.operations import answer_also, asked, leave, query_of, rows_in, rows_of
from packhound.rpc import Params
from packhound.service import Roots


def search(ls: PackhoundServer, params: Params) -> Json:
    """Return the hits of a query over all folders."""
    call, request, arguments, where = asked(
        call_of(ls, is_typing=True), "search", arguments_of(ls, "search", params)
    )
    query, notes = query_of(call, request)
    results = run_search(ls, query, call.roots)
    remarks = (*results.remarks, *notes, *where)
    rows = rows_of(call, request, replace(results, remarks=remarks))
    locations = Locations(ls.session)
    answer: Json = leave(call.roots, rows, locations)
    answer |= answer_also(call, "search", arguments, locations)
    for hit in results.hits:
        # Those of no page too: what explanations are made from holds a snapshot.
        hit.explanation()
    hits = results.hits[request.offset :]
    for row, folder in zip(rows_in(answer, "hits"), mistakable_folders(hits), strict=False):
        folder = str(row.get("repository") or folder)
        row |= {"folder": folder} if folder else {}
    return answer


def run_search(ls: PackhoundServer, query: Query, roots: Roots | None = None) -> Results:
    """Search all folders, or some, and remember the results for hovers."""
    cancelled = ls.protocol.cancel_event()
    ls.session.wait_for_folders()
    results = (roots or ls.session.workspace.roots).search(query, cancelled)
    if not cancelled.is_set():
        ls.session.last_search.update(ls.protocol.arrival(), query, results)
    return results
