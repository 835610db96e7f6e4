"""One folder of a session, asked in the process that serves it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from packhound.api import Connection, EngineHost, Json, call, connect
from packhound.core.errors import StoreError
from packhound.core.settings import Settings
from packhound.core.settings_files import FolderSettings, other_settings_note
from packhound.service import Engine, check_root, index_folder

log = logging.getLogger("packhound")

_ATTEMPTS = 2
"""An editor may end with a question unanswered; the next process is then asked, or is this one."""
_CONNECT_S = 10.0
"""Time for a process that has the lock of a folder to open its index."""
_POLL_S = 0.02


class Folder:
    """One root, served by the process that has it open, be it this one or another."""

    def __init__(self, root: Path, settings: Settings | FolderSettings, host: EngineHost) -> None:
        self._settings = settings
        self.root = check_root(root, self.settings)
        self._host = host
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._engine: Engine | None = None

    @property
    def settings(self) -> Settings:
        """The settings in force now."""
        settings = self._settings
        return settings if isinstance(settings, Settings) else settings.read().settings

    def call(self, tool: str, arguments: Mapping[str, object]) -> Json:
        """Run a tool where the newest text is. Raises SettingsError."""
        for _ in range(_ATTEMPTS):
            try:
                connection = self._connect()
                if connection is None:
                    break
                return connection.call(tool, arguments)
            except StoreError as problem:
                log.warning("%s: %s; asking another", self.root, problem)
                self._disconnect()
        engine = self._open_engine()
        # Where a process was killed, editors and agents come to the next one at the same time.
        self._host.wait_for_editors(engine)
        return call(engine, tool, arguments)

    @property
    def reading(self) -> tuple[int, int]:
        """Return how many files were read of those that are being read in this process."""
        return self._engine.reading if self._engine else (0, 0)

    def settings_note(self) -> str:
        """Return which settings of this session do not count in the folder; else ""."""
        if self._engine is None:
            return ""
        return other_settings_note(self.settings, self._engine.follow_settings().settings)

    def close(self) -> None:
        """Close the connection, and follow the folder no longer."""
        self._disconnect()
        if self._engine:
            self._host.pool.release(self._engine, self._on_change)

    def _connect(self) -> Connection | None:
        """Return the connection to the process that serves the folder; None if this one does.

        Raises StoreError.
        """
        deadline = time.monotonic() + _CONNECT_S
        with self._lock:
            while self._connection is None and not self._host.claim(self.root):
                self._connection = connect(index_folder(self.root))
                if self._connection is None and time.monotonic() > deadline:
                    log.warning("%s is answered without the process that serves it", self.root)
                    return None
                time.sleep(_POLL_S)
            return self._connection

    def _disconnect(self) -> None:
        with self._lock:
            connection, self._connection = self._connection, None
        if connection:
            connection.close()

    def _open_engine(self) -> Engine:
        with self._lock:
            is_open = self._host.pool.get(self.root) is not None
            if self._engine is None:
                self._engine = self._host.pool.acquire(self.root, self._settings, self._on_change)
            if is_open:
                # There is no file watcher; an unchanged file costs one stat each.
                self._engine.refresh()
            return self._engine

    def _on_change(self) -> None:
        """Ignore changes of the index: each call asks for what it needs."""
