"""`textDocument/codeLens` and `codeLens/resolve`: callers, tests and notes of definitions."""

from __future__ import annotations

from lsprotocol import types

from packhound.lsp.handlers.call_hierarchy import symbol_at
from packhound.lsp.handlers.document_symbol import definitions
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations
from packhound.lsp.params import text_in

_SHOW_CALLS = "packhound.calls"
"""A command of the client; its argument is a document and a position."""
_COUNTED = frozenset(
    ("function", "method", "class", "struct", "enum", "interface", "trait", "macro")
)
_PATIENCE_S = 2.0


def code_lens(ls: PackhoundServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    """Return a lens for each definition; none while files are read, when callers are missing."""
    session, uri = ls.session, params.text_document.uri
    if not session.settings.search.code_lens:
        return []
    session.wait_for_folders()
    session.awaits_lenses = not session.workspace.settled(_PATIENCE_S)
    if session.awaits_lenses:
        return []
    locations = Locations(session)
    return [
        types.CodeLens(locations.selection_range(node), data={"uri": uri})
        for node in definitions(session, uri)
        if node.kind in _COUNTED
    ]


def code_lens_resolve(ls: PackhoundServer, lens: types.CodeLens) -> types.CodeLens:
    """Add what is counted, as `2 callers · 1 test`; editors ask for what they show."""
    start = lens.range.start
    uri = text_in(lens.data if isinstance(lens.data, dict) else {}, "uri")
    symbol = symbol_at(ls, uri, start)
    engine_path = ls.session.documents.locate(uri)
    counts = {"caller": 0, "test": 0, "note": 0}
    if symbol is not None and engine_path is not None:
        has_notes = ls.session.settings.sources.notes
        notes = engine_path[0].notes.on(symbol.node) if has_notes else ()
        counts = {"caller": len(symbol.callers), "test": len(symbol.tests), "note": len(notes)}
    title = " · ".join(
        f"{count:,} {noun}{'' if count == 1 else 's'}" for noun, count in counts.items() if count
    )
    place = {"uri": uri, "position": {"line": start.line, "character": start.character}}
    lens.command = types.Command(title or "no known caller", _SHOW_CALLS, arguments=[place])
    return lens
