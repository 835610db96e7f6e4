"""`workspace/didChangeConfiguration`."""

from __future__ import annotations

from lsprotocol import types

from packhound.lsp.language_server import PackhoundServer


def did_change_configuration(
    ls: PackhoundServer, params: types.DidChangeConfigurationParams
) -> None:
    """Apply changed settings."""
    ls.session.change_settings(params.settings)
