"""`packhound/forget`."""

from __future__ import annotations

from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer


def forget(ls: PackhoundServer, params: Params) -> None:
    """Delete the record of what the user opened, edited and picked, in all folders."""
    for engine in ls.session.workspace.engines:
        engine.forget()
