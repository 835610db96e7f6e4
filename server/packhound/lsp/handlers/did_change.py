"""`textDocument/didChange`."""

from __future__ import annotations

from packhound.lsp.language_server import PackhoundServer
from packhound.rpc import Params


def did_change(ls: PackhoundServer, params: Params) -> None:
    """Apply edits; the next search sees them."""
    ls.session.documents.did_change(params)
