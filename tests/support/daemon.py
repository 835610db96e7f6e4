"""The daemon's socket in this process, over an engine that the test holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from packhound.core.settings import Settings
from packhound.core.settings_files import FolderSettings
from packhound.core.user_folders import cache_folder
from packhound.daemon.client import SESSION
from packhound.daemon.requests import serve_command_line
from packhound.daemon.socket_server import SocketServer
from packhound.relay import EditorTexts
from packhound.service import Engine, EnginePool


@contextmanager
def served(root: Path, settings: Settings | FolderSettings | None = None) -> Iterator[Engine]:
    """Yield the engine of a folder that this process serves to the command line."""
    pool = EnginePool(linger_s=60)
    sessions = {SESSION: partial(serve_command_line, pool, EditorTexts(cache_folder()))}
    server = SocketServer(cache_folder(), sessions)
    try:
        engine = pool.acquire(root, settings or Settings(), lambda: None)
        assert engine.settled(60)
        yield engine
    finally:
        server.close()
        pool.close()
