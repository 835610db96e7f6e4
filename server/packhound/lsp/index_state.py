"""`packhound/indexState`: notifications of the state of all indexes.

The engine reports every step of its work. The client is sent the state after a short delay, at
most ten times a second and only if it differs: the search that follows an edit goes first.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from pygls.lsp.server import LanguageServer

from packhound.core.types import Json
from packhound.lsp.work_done_progress import IndexingProgress

if TYPE_CHECKING:
    from packhound.lsp.session import Session

INDEX_STATE = "packhound/indexState"
DEBOUNCE_S = 0.1
# The engine does not report the end of work that changes nothing, as when an unchanged file is
# opened; while something is pending the state is therefore read this often as well.
RECHECK_S = 0.25

log = logging.getLogger("packhound.lsp")


class IndexStateNotifier:
    """Sends the state of a session whenever it has changed, from a thread of its own."""

    def __init__(
        self,
        server: LanguageServer,
        session: Session,
        progress: IndexingProgress | None,
    ) -> None:
        self._server, self._session, self._progress = server, session, progress
        self._dirty = threading.Event()
        self._closed = False
        self._last_sent: Json = {}
        threading.Thread(target=self._run, name="packhound-index-state", daemon=True).start()

    def mark_dirty(self) -> None:
        """Send the state soon if it has changed; from any thread, and cheap."""
        self._dirty.set()

    def close(self) -> None:
        """Send nothing more, and let the thread end."""
        self._closed = True
        self._dirty.set()

    def _run(self) -> None:
        while not self._closed:
            self._dirty.wait(RECHECK_S if self._last_sent.get("pending") else None)
            time.sleep(DEBOUNCE_S)
            self._dirty.clear()
            try:
                self._send(self._session.state())
            except Exception:
                log.exception("the state of the index could not be sent")

    def _send(self, state: Json) -> None:
        if state == self._last_sent:
            return
        self._last_sent = state
        self._server.protocol.notify(INDEX_STATE, state)
        n_pending = state["pending"]
        if self._progress and isinstance(n_pending, int):
            self._progress.update(n_pending)
        if n_pending == 0 and self._session.awaits_lenses:
            self._session.refresh_lenses()
