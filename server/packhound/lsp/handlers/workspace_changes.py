"""Notifications of the workspace: its folders, files and settings, and an end of indexing."""

from __future__ import annotations

from lsprotocol import types

from packhound.lsp.language_server import PackhoundServer


def did_change_configuration(
    ls: PackhoundServer, params: types.DidChangeConfigurationParams
) -> None:
    """Apply changed settings."""
    ls.session.change_settings(params.settings)


def did_change_watched_files(
    ls: PackhoundServer, params: types.DidChangeWatchedFilesParams
) -> None:
    """Refresh files that changed on disk."""
    ls.session.documents.did_change_files(tuple(change.uri for change in params.changes))


def did_change_workspace_folders(
    ls: PackhoundServer, params: types.DidChangeWorkspaceFoldersParams
) -> None:
    """Open and close folders; Helix names all of its folders only here."""
    ls.session.change_folders(params.event)


def work_done_progress_cancel(
    ls: PackhoundServer, params: types.WorkDoneProgressCancelParams
) -> None:
    """Stop indexing until the next change."""
    if ls.session.progress.cancel(params.token):
        ls.session.workspace.cancel_indexing()
