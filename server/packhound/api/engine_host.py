"""The engines of one process, and the sockets on which other processes reach them.

One process serves a folder: the holder of its lock, which the kernel frees however it ends.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from packhound.api.shared_texts import TEXTS, TextSessions, TextSharing
from packhound.api.socket_server import Session, SocketServer, serve_socket
from packhound.core.errors import StoreError
from packhound.core.file_lock import FileLock
from packhound.core.private_file import make_private_folder
from packhound.relay import address_file, relaying_editors
from packhound.service import Engine, EnginePool, index_folder, real_path

log = logging.getLogger("packhound")

_EDITORS_S = 5.0
"""Time for an editor that has just come to send what is not saved."""


class EngineHost:
    """Thread-safe. `sessions` are what other processes may begin on the socket of a folder."""

    def __init__(
        self, sessions: Mapping[str, Session] | None = None, linger_s: float = 0.0
    ) -> None:
        self.sessions: Mapping[str, Session] = sessions or {}
        self.pool = EnginePool(linger_s, self.serve, self._leave)
        self._lock = threading.RLock()
        self._claims: dict[Path, FileLock | None] = {}
        self._servers: dict[Path, SocketServer | None] = {}
        self._sharings: dict[Path, TextSharing] = {}
        self._editors = set[int]()
        self._editor_joined = threading.Condition()

    def add_editor(self, relay_id: int) -> None:
        """Note that the texts of an editor are here, by the process id of its relay."""
        with self._editor_joined:
            self._editors.add(relay_id)
            self._editor_joined.notify_all()

    def discard_editor(self, relay_id: int) -> None:
        """Note that an editor has gone."""
        with self._editor_joined:
            self._editors.discard(relay_id)

    def wait_for_editors(self, engine: Engine) -> None:
        """Wait for the texts of all editors that relay to whoever serves a folder.

        One that does not send them in time, such as a suspended one, is waited for once.
        """
        with self._editor_joined:
            self._editor_joined.wait_for(
                lambda: relaying_editors(engine.folder) <= self._editors, _EDITORS_S
            )
            self._editors |= relaying_editors(engine.folder)

    @property
    def n_connections(self) -> int:
        """Number of open connections of other processes."""
        return sum(server.n_connections for server in tuple(self._servers.values()) if server)

    def take(self, root: Path, claim: FileLock) -> None:
        """Take over the lock of a folder, which was acquired before."""
        self._claims[real_path(root)] = claim

    def claim(self, root: Path) -> bool:
        """Become the process that serves a folder; False if another one is or will be.

        Where there are no locks each process works alone, and this returns True.
        """
        root, folder = real_path(root), index_folder(real_path(root))
        with self._lock:
            claim = self._claims.get(root)
            if root in self._claims and (claim is None or claim.held):
                return True
            try:
                make_private_folder(folder)
                claim = FileLock(address_file(folder, suffix="lock"))
                if not claim.acquire():
                    return False
            except StoreError as problem:
                log.warning("%s is not shared with other processes: %s", root, problem)
                claim = None
            self._claims[root] = claim
            return True

    def serve(self, engine: Engine) -> None:
        """Answer other processes for a folder, unless another process does; may be repeated.

        With that one it shares what is not saved.
        """
        with self._lock:
            if self.is_served(engine):
                return
            if self.claim(engine.root):
                self._close_socket(engine.root)
                sessions = {**self.sessions, TEXTS: TextSessions(self.pool)}
                self._servers[engine.root] = serve_socket(
                    engine, sessions, partial(self.wait_for_editors, engine)
                )
            elif engine.root not in self._sharings:
                take_over = partial(self._take_over, engine)
                self._sharings[engine.root] = TextSharing(engine, take_over)

    def is_served(self, engine: Engine) -> bool:
        """Return True if the socket of a folder is reachable, or no socket can be had."""
        server = self._servers.get(engine.root)
        return engine.root in self._servers and (server is None or server.reachable)

    def close(self) -> None:
        """Close all sockets, then all engines."""
        with self._lock:
            for root in tuple(self._servers):
                self._close_socket(root)
        self.pool.close()

    def _take_over(self, engine: Engine) -> bool:
        self.serve(engine)
        return self.is_served(engine)

    def _leave(self, engine: Engine) -> None:
        with self._lock:
            self._close_socket(engine.root)
            claim = self._claims.pop(engine.root, None)
            if claim:
                claim.release()

    def _close_socket(self, root: Path) -> None:
        server, sharing = self._servers.pop(root, None), self._sharings.pop(root, None)
        if server:
            server.close()
        if sharing:
            sharing.close()
