"""`textDocument/didChange`."""

from __future__ import annotations

from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer


def did_change(ls: PackhoundServer, params: Params) -> None:
    """Apply edits; the next search sees them."""
    ls.session.documents.did_change(params)
