"""`window/workDoneProgress/cancel`."""

from __future__ import annotations

from lsprotocol import types

from packhound.lsp.language_server import PackhoundServer


def work_done_progress_cancel(
    ls: PackhoundServer, params: types.WorkDoneProgressCancelParams
) -> None:
    """Stop indexing until the next change."""
    if ls.session.progress.cancel(params.token):
        ls.session.workspace.cancel_indexing()
