"""Log file of a process: rotated, readable by its owner alone, and never a reason to fail."""

from __future__ import annotations

import logging
import os
import stat
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from packhound.core.errors import SettingsError, StoreError, os_error_as
from packhound.core.private_file import make_private_folder
from packhound.core.user_folders import state_folder

LOGS = ("cli.log", "mcp.log", "engine.log")
"""Names of the logs in the state folder, of the command line, agents and the engine."""

_MAX_BYTES = 1_000_000
_BACKUPS = 3
_LINE = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


class _PrivateRotatingFileHandler(RotatingFileHandler):
    def _open(self) -> TextIOWrapper:
        return open(  # type: ignore[return-value]
            self.baseFilename, self.mode, encoding=self.encoding, opener=_open_private
        )

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's own name
        """Drop the line: a full disk must not fill the terminal too."""


def create_log_handler(path: Path) -> logging.Handler:
    """Return a handler that appends to a file. Raises SettingsError if it cannot be written."""
    with os_error_as(SettingsError, f"log file '{path}' cannot be written"):
        handler = _PrivateRotatingFileHandler(
            path, maxBytes=_MAX_BYTES, backupCount=_BACKUPS, encoding="utf-8", errors="replace"
        )
    handler.setFormatter(logging.Formatter(_LINE))
    return handler


def log_to_file(path: Path | None, default_name: str) -> None:
    """Log Packhound's lines to `path` alone; None means `default_name` in the state folder.

    Raises SettingsError for a path that cannot be written; the default is only tried.
    """
    logger = logging.getLogger("packhound")
    logger.setLevel(logging.INFO)
    # Warnings of the engine are in the notes of its answers; stderr stays quiet.
    handler: logging.Handler = logging.NullHandler()
    if path is not None:
        handler = create_log_handler(path)
    else:
        try:
            make_private_folder(state_folder())
            handler = create_log_handler(state_folder() / default_name)
        except (SettingsError, StoreError):
            pass
    for former in logger.handlers:
        former.close()
    logger.handlers[:] = [handler]


def _open_private(path: str, flags: int) -> int:
    # A FIFO that nobody reads would be waited for, and a line for one that is full.
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o600)
    if os.name == "posix" and stat.S_ISREG(os.fstat(handle).st_mode):
        try:
            os.fchmod(handle, 0o600)
        except OSError:
            os.close(handle)
            raise
    return handle
