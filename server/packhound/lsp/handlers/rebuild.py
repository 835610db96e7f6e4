"""`packhound/rebuild`."""

from __future__ import annotations

from packhound.api import Json
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer


def rebuild(ls: PackhoundServer, params: Params) -> Json:
    """Discard the indexes and rebuild them in the background; returns the state at once."""
    ls.session.rebuild()
    return ls.session.state()
