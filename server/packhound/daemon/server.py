"""`packhound engine`: serves editors, agents and the command line until nobody is connected."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from functools import partial

from packhound import __version__
from packhound.core.errors import SettingsError
from packhound.core.file_lock import FileLock
from packhound.core.log import log
from packhound.core.private_file import make_private_folder
from packhound.core.user_folders import cache_folder
from packhound.daemon.client import SESSION
from packhound.daemon.requests import serve_command_line
from packhound.daemon.socket_server import Session, SocketServer
from packhound.lsp import serve_editor
from packhound.mcp import serve_agent
from packhound.relay import RETIRE, EditorTexts, address_file
from packhound.service import EnginePool

_IDLE_S = 300.0
_TICK_S = 1.0


def serve_daemon() -> None:
    """Serve until nobody has been connected for `PACKHOUND_IDLE_SECONDS`, by default 300.

    Ends before that where a newer version is to serve, and at once where another process of this
    user does. Raises SettingsError, StoreError or OSError where no socket can be had.
    """
    idle_s = _idle_seconds()
    cache = cache_folder()
    make_private_folder(cache)
    lock = FileLock(address_file(cache, "lock"))
    if not lock.acquire():
        return
    # Python's default of 5 ms is longer than a whole search and would dominate latency.
    sys.setswitchinterval(0.001)
    pool, editors = EnginePool(idle_s), EditorTexts(cache)
    stop = threading.Event()
    sessions: dict[str, Session] = {
        RETIRE: lambda _, arguments: stop.set(),
        SESSION: partial(serve_command_line, pool, editors),
        "lsp": partial(serve_editor, pool, editors),
        "mcp": partial(serve_agent, pool, editors),
    }
    server = SocketServer(cache, sessions)
    log.info("packhound %s serves agents and editors in the background", __version__)
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    used_at = time.monotonic()
    while server.reachable and time.monotonic() - used_at < idle_s and not stop.wait(_TICK_S):
        pool.close_unused()
        if server.n_connections:
            used_at = time.monotonic()
    log.info("the background engine ends: %s", "it was told to" if stop.is_set() else "it is idle")
    server.close()
    pool.close()
    lock.release()
    # Sessions that have just begun go on with the next process.
    os._exit(0)


def _idle_seconds() -> float:
    value = os.environ.get("PACKHOUND_IDLE_SECONDS", "")
    try:
        return float(value) if value else _IDLE_S
    except ValueError:
        raise SettingsError(f"PACKHOUND_IDLE_SECONDS is '{value}'; expected a number") from None
