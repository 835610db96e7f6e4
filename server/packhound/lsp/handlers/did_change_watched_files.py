"""`workspace/didChangeWatchedFiles`."""

from __future__ import annotations

from lsprotocol import types

from packhound.lsp.language_server import PackhoundServer


def did_change_watched_files(
    ls: PackhoundServer, params: types.DidChangeWatchedFilesParams
) -> None:
    """Refresh files that changed on disk."""
    ls.session.documents.did_change_files(tuple(change.uri for change in params.changes))
