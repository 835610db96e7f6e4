"""`textDocument/didSave`."""

from __future__ import annotations

from packhound.lsp.language_server import PackhoundServer
from packhound.rpc import Params


def did_save(ls: PackhoundServer, params: Params) -> None:
    """Refresh the file, for it has changed on disk."""
    ls.session.documents.did_save(params)
