"""Text and notebook document synchronization: what the user sees."""

from __future__ import annotations

from packhound.lsp.language_server import PackhoundServer
from packhound.rpc import Params


def did_open(ls: PackhoundServer, params: Params) -> None:
    """Let the editor's text stand for the file on disk."""
    ls.session.documents.did_open(params)


def did_change(ls: PackhoundServer, params: Params) -> None:
    """Apply edits; the next search sees them."""
    ls.session.documents.did_change(params)


def did_save(ls: PackhoundServer, params: Params) -> None:
    """Refresh the file, for it has changed on disk."""
    ls.session.documents.did_save(params)


def did_close(ls: PackhoundServer, params: Params) -> None:
    """Let the file on disk count again."""
    ls.session.documents.did_close(params)
