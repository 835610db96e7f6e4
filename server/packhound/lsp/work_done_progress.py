"""Work-done progress of indexing: `window/workDoneProgress/create` and `$/progress`."""

from __future__ import annotations

import threading

from lsprotocol import types
from pygls.lsp.server import LanguageServer

MIN_FILES = 32
"""Fewer pending files are indexed before anyone could read a progress bar."""


class IndexingProgress:
    """One progress bar at a time, while many files are pending; the user may cancel it."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._lock = threading.RLock()
        self._n_bars = 0
        self._token: str | None = None
        self._has_begun = False
        self._n_total = 0
        self._n_pending = 0

    def update(self, n_pending: int) -> None:
        """Create, report or end the bar for a number of files that are not in the index yet."""
        with self._lock:
            self._n_pending = n_pending
            self._n_total = max(self._n_total, n_pending)
            if self._token is None and n_pending >= MIN_FILES:
                self._create()
            elif self._token is not None and n_pending == 0:
                self._end("done")
            elif self._has_begun and self._token:
                message, percentage = self._done_share()
                report = types.WorkDoneProgressReport(message=message, percentage=percentage)
                self._server.work_done_progress.report(self._token, report)

    def cancel(self, token: object) -> bool:
        """End the bar that the user cancelled; False for another token than the bar's."""
        with self._lock:
            is_current = self._token is not None and token == self._token
            if is_current:
                self._end("cancelled")
            return is_current

    def _create(self) -> None:
        self._n_bars += 1
        self._token = token = f"packhound-indexing-{self._n_bars}"
        params = types.WorkDoneProgressCreateParams(token)
        created = self._server.window_work_done_progress_create(params)
        created.add_done_callback(lambda done: None if done.exception() else self._begin(token))

    def _begin(self, token: str) -> None:
        with self._lock:
            # Indexing may have ended before the client accepted the token.
            if token == self._token:
                self._has_begun = True
                message, percentage = self._done_share()
                begin = types.WorkDoneProgressBegin(
                    title="Packhound: indexing",
                    cancellable=True,
                    message=message,
                    percentage=percentage,
                )
                self._server.work_done_progress.begin(token, begin)

    def _end(self, message: str) -> None:
        if self._has_begun and self._token:
            end = types.WorkDoneProgressEnd(message=message)
            self._server.work_done_progress.end(self._token, end)
            self._server.work_done_progress.tokens.pop(self._token, None)
        self._token, self._has_begun, self._n_total = None, False, 0

    def _done_share(self) -> tuple[str, int]:
        n_done = self._n_total - self._n_pending
        percentage = 100 * n_done // max(self._n_total, 1)
        return f"{n_done:,} of {self._n_total:,} files", percentage
