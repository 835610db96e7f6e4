"""`textDocument/didClose`."""

from __future__ import annotations

from packhound.lsp.language_server import PackhoundServer
from packhound.rpc import Params


def did_close(ls: PackhoundServer, params: Params) -> None:
    """Let the file on disk count again."""
    ls.session.documents.did_close(params)
