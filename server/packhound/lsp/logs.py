"""Log handlers: the client's log window, and a file if one is named."""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from packhound.core.log_file import create_log_handler

_MESSAGE_TYPES = {
    logging.ERROR: types.MessageType.Error,
    logging.WARNING: types.MessageType.Warning,
    logging.INFO: types.MessageType.Info,
}
# A fault that repeats is logged once in this time, so that it does not bury other lines.
_REPEAT_S = 10.0


class ClientHandler(logging.Handler):
    """Sends `window/logMessage`, at most once in `_REPEAT_S` for the same text."""

    def __init__(self, server: LanguageServer) -> None:
        super().__init__()
        self._server = server
        self._sent_at: dict[str, float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Send a line."""
        text, now = self.format(record), time.monotonic()
        self._sent_at = {t: sent for t, sent in self._sent_at.items() if now - sent < _REPEAT_S}
        if text not in self._sent_at:
            self._sent_at[text] = now
            kinds = (kind for level, kind in _MESSAGE_TYPES.items() if record.levelno >= level)
            kind = next(kinds, types.MessageType.Log)
            self._server.window_log_message(types.LogMessageParams(kind, text))


def log_handlers(server: LanguageServer, log_file: Path | None) -> list[logging.Handler]:
    """Return what sends log lines to the client and to `log_file`; raises SettingsError."""
    return [ClientHandler(server), *map(create_log_handler, [log_file] if log_file else [])]


def log_to(server: LanguageServer, log_file: Path | None, *, verbose: bool) -> None:
    """Send this process's log lines to the client and to `log_file`; raises SettingsError."""
    handlers = log_handlers(server, log_file)
    root = logging.getLogger()
    root.handlers[:] = handlers
    # Other libraries log warnings only.
    root.setLevel(logging.WARNING)
    logging.getLogger("packhound").setLevel(logging.DEBUG if verbose else logging.INFO)
    threading.excepthook = _log_thread_failure


def _log_thread_failure(failure: threading.ExceptHookArgs) -> None:
    name = failure.thread.name if failure.thread else "a thread"
    error = failure.exc_value
    logging.getLogger("packhound").error(
        "%s failed: %s",
        name,
        error,
        exc_info=(type(error), error, error.__traceback__) if error else None,
    )
