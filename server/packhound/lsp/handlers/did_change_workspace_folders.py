"""`workspace/didChangeWorkspaceFolders`."""

from __future__ import annotations

from lsprotocol import types

from packhound.lsp.language_server import PackhoundServer


def did_change_workspace_folders(
    ls: PackhoundServer, params: types.DidChangeWorkspaceFoldersParams
) -> None:
    """Open and close folders; Helix names all of its folders only here."""
    ls.session.change_folders(params.event)
