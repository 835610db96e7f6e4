"""Lifecycle messages: `initialize`, `initialized` and `shutdown`."""

from __future__ import annotations

from lsprotocol import types

from packhound.lsp.language_server import PackhoundServer


def initialize(ls: PackhoundServer, params: types.InitializeParams) -> None:
    """Start the session; pygls responds with the capabilities of the registered handlers."""
    ls.start_session()


def initialized(ls: PackhoundServer, params: object) -> None:
    """Register for notifications, pull settings and open folders."""
    ls.session.start()


def shutdown(ls: PackhoundServer, params: object) -> None:
    """Begin to close the indexes; `exit` waits for them."""
    ls.session.close(timeout_s=0)
