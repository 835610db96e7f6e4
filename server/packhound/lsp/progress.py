"""Telling the client how the index is doing: `packhound/indexState`, and a progress bar.

The engine calls at every step of its work; the client hears of it a moment later, at most ten times
a second, and always the last. In that moment the search that follows an edit has the processor.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from packhound.api.json_codec import Json

INDEX_STATE = "packhound/indexState"
PAUSE_S = 0.1
# Fewer documents are in the index before anyone could read a progress bar.
WORTH_A_BAR = 32

log = logging.getLogger("packhound.lsp")


class Announcer:
    """Sends what `state` returns whenever it has changed, from a thread of its own."""

    def __init__(
        self, server: LanguageServer, state: Callable[[], Json], progress: Progress | None
    ) -> None:
        self._server = server
        self._state = state
        self._progress = progress
        self._changed = threading.Event()
        self._last: Json = {}
        threading.Thread(target=self._run, name="packhound-announce", daemon=True).start()

    def changed(self) -> None:
        """Something may have changed; from any thread, and cheap."""
        self._changed.set()

    def _run(self) -> None:
        while self._changed.wait():
            time.sleep(PAUSE_S)
            self._changed.clear()
            try:
                self._announce(self._state())
            except Exception:
                log.exception("the state of the index could not be told")

    def _announce(self, state: Json) -> None:
        if state == self._last:
            return
        self._last = state
        self._server.protocol.notify(INDEX_STATE, state)
        pending = state["pending"]
        if self._progress and isinstance(pending, int):
            self._progress.update(pending)


class Progress:
    """One progress bar at a time, while many documents wait; the user may cancel it."""

    def __init__(self, server: LanguageServer, on_cancel: Callable[[], None]) -> None:
        self._server = server
        self._on_cancel = on_cancel
        self._lock = threading.RLock()
        self._n_bars = 0
        self._token: str | None = None
        self._shown = False
        self._most = 0
        self._pending = 0

    def update(self, pending: int) -> None:
        """So many documents are not in the index yet."""
        with self._lock:
            self._pending = pending
            self._most = max(self._most, pending)
            if self._token is None and pending >= WORTH_A_BAR:
                self._ask()
            elif self._token is not None and pending == 0:
                self._end("done")
            elif self._shown and self._token:
                text, share = self._amounts()
                report = types.WorkDoneProgressReport(message=text, percentage=share)
                self._server.work_done_progress.report(self._token, report)

    def cancel(self, token: object) -> None:
        """The user pressed cancel."""
        with self._lock:
            known = self._token is not None and token == self._token
            if known:
                self._end("cancelled")
        if known:
            self._on_cancel()

    def _ask(self) -> None:
        self._n_bars += 1
        self._token = token = f"packhound-indexing-{self._n_bars}"
        params = types.WorkDoneProgressCreateParams(token)
        asked = self._server.window_work_done_progress_create(params)
        asked.add_done_callback(lambda done: None if done.exception() else self._show(token))

    def _show(self, token: str) -> None:
        with self._lock:
            # Indexing may have ended while the client made up its mind.
            if token == self._token:
                self._shown = True
                text, share = self._amounts()
                begin = types.WorkDoneProgressBegin(
                    "Packhound: indexing", cancellable=True, message=text, percentage=share
                )
                self._server.work_done_progress.begin(token, begin)

    def _end(self, message: str) -> None:
        if self._shown and self._token:
            end = types.WorkDoneProgressEnd(message)
            self._server.work_done_progress.end(self._token, end)
            self._server.work_done_progress.tokens.pop(self._token, None)
        self._token, self._shown, self._most = None, False, 0

    def _amounts(self) -> tuple[str, int]:
        n_done = self._most - self._pending
        return f"{n_done:,} of {self._most:,} files", 100 * n_done // max(self._most, 1)
