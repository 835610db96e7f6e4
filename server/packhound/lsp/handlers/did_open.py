"""`textDocument/didOpen`."""

from __future__ import annotations

from packhound.lsp.language_server import PackhoundServer
from packhound.rpc import Params


def did_open(ls: PackhoundServer, params: Params) -> None:
    """Let the editor's text stand for the file on disk."""
    ls.session.documents.did_open(params)
