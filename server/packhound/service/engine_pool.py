"""The engines of one process: each folder has one, however many clients follow it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from packhound.core.settings import Settings
from packhound.core.settings_files import FolderSettings
from packhound.indexing import collect_all_and_trim
from packhound.service.engine import Engine
from packhound.service.peers import Peers
from packhound.service.roots import real_path
from packhound.service.status import Listener


class EnginePool:
    """Engines by the real path of their folder; thread-safe.

    One that nobody follows any more is closed `linger_s` later, at the next `close_unused`: agents
    come and go, and reading an index again takes longer than most of their questions.
    """

    def __init__(self, linger_s: float = 0.0) -> None:
        self._linger_s = linger_s
        self._lock = threading.RLock()
        self._engines: dict[Path, Engine] = {}
        self._peers = Peers()
        self._followers: dict[Path, list[Listener]] = {}
        self._unused_since: dict[Path, float] = {}

    def get(self, root: Path) -> Engine | None:
        """Return the engine of a folder, if there is one."""
        return self._engines.get(real_path(root))

    @property
    def engines(self) -> tuple[Engine, ...]:
        """All engines, in the order in which they were opened."""
        return self._peers.engines

    def acquire(
        self, root: Path, settings: Settings | FolderSettings, on_change: Listener
    ) -> Engine:
        """Follow a folder. The first follower's settings are the folder's. Raises RootError."""
        with self._lock:
            engine = self.get(root)
            if engine is None:
                followers = [on_change]
                for other in self.engines:
                    other.preparation.hold()
                notify = partial(_call_all, followers)
                engine = Engine.open(root, settings, notify, peers=self._peers)
                engine.prepare()
                self._keep((*self.engines, engine))
                self._followers[engine.root] = followers
            else:
                if not self._followers[engine.root]:
                    engine.use_settings(settings)
                self._followers[engine.root].append(on_change)
            self._unused_since.pop(engine.root, None)
            return engine

    def release(self, engine: Engine, on_change: Listener) -> None:
        """Follow a folder no longer."""
        with self._lock:
            followers = self._followers.get(engine.root, [])
            if on_change in followers:
                followers.remove(on_change)
                engine.switch(on_change, off=False)
            if not followers and engine in self.engines:
                self._unused_since[engine.root] = time.monotonic()
        if not self._linger_s:
            self.close_unused()

    def close_unused(self) -> None:
        """Close the engines that nobody has followed for a while."""
        with self._lock:
            now = time.monotonic()
            unused = [
                root for root, since in self._unused_since.items() if now - since >= self._linger_s
            ]
            engines = [self._engines[root] for root in unused]
            self._keep([engine for engine in self.engines if engine not in engines])
            for root in unused:
                del self._unused_since[root], self._followers[root]
            for engine in engines:
                engine.close()
        if engines:
            del engine, engines
            collect_all_and_trim()

    def close(self) -> None:
        """Close all engines."""
        with self._lock:
            for engine in self.engines:
                engine.close()
            self._keep(())

    def _keep(self, engines: Iterable[Engine]) -> None:
        # Replaced as a whole, since other threads may be going through them.
        self._engines = {engine.root: engine for engine in engines}
        self._peers.engines = (*self._engines.values(),)


def _call_all(listeners: list[Listener]) -> None:
    for listener in tuple(listeners):
        listener()
