"""`packhound/status`: wait?."""

from __future__ import annotations

import threading
from concurrent.futures import Future

from packhound.core.errors import Cancelled
from packhound.core.types import Json
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.params import value_in
from packhound.lsp.session import Session
from packhound.rpc import Params

# Time until a waiting request notices that it was cancelled.
_CANCEL_POLL_S = 0.05


def status(ls: PackhoundServer, params: Params) -> Json | Future[Json]:
    """Return the state of all indexes; with `wait`, once every document is in the index."""
    session, cancelled = ls.session, ls.protocol.cancel_event()
    session.wait_for_folders()
    if not value_in(params, "wait", bool, False):
        return session.state()
    # A thread of its own: it waits as long as indexing takes, and must not occupy a worker.
    response: Future[Json] = Future()
    threading.Thread(
        target=_wait_until_settled, args=(session, cancelled, response), daemon=True
    ).start()
    return response


def _wait_until_settled(
    session: Session, cancelled: threading.Event, response: Future[Json]
) -> None:
    try:
        while not session.workspace.settled(_CANCEL_POLL_S):
            if cancelled.is_set():
                raise Cancelled("cancelled")
        response.set_result(session.state())
    except Exception as error:
        response.set_exception(error)
