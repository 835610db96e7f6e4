"""The folders of one session: opened, followed, configured and closed together."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from packhound.core.settings import Settings
from packhound.core.settings_files import FolderSettings, Overrides
from packhound.core.settings_reader import changed
from packhound.indexing import collect_all_and_trim
from packhound.service.engine import Engine
from packhound.service.engine_pool import EnginePool
from packhound.service.other_roots import checked_out
from packhound.service.roots import innermost_root, real_path
from packhound.service.several_roots import Roots
from packhound.service.status import Listener

_PAUSES_PER_SCAN = 100
"""Polling takes at most one part in so many of a core, whatever the size of the folders."""
_MAX_PAUSE_S = 30.0


class Workspace:
    """The folders of one editor window. Methods may be called from any thread."""

    def __init__(
        self,
        settings: Settings | None = None,
        on_change: Listener | None = None,
        overrides: Overrides | None = None,
        pool: EnginePool | None = None,
    ) -> None:
        """Follow each folder with its files' settings below `overrides`, else with `settings`.

        Engines are those of `pool`, which the clients of one process share.
        """
        self.settings = settings or Settings()
        self._overrides = overrides
        self._on_change = on_change or (lambda: None)
        self._pool = pool or EnginePool()
        self._engines: dict[Path, Engine] = {}
        self._checked_out: dict[Path, Path] = {}
        self._in_memory: Engine | None = None
        self._polling: threading.Event | None = None
        self._watches = False

    @property
    def engines(self) -> tuple[Engine, ...]:
        """The engines, in the order in which their folders were added."""
        return tuple(self._engines.values())

    def add(self, root: Path) -> Engine:
        """Begin to follow a folder; one that is followed already stays as it is.

        Of a bare repository these are the files of its HEAD as it is now.

        Raises:
            RootError: it is no folder, or a home directory that was not asked for.
        """
        engine = self.engine_of(root)
        if engine:
            return engine
        written, root = root, checked_out(root)
        settings: Settings | FolderSettings = self.settings
        if self._overrides:
            settings = FolderSettings(real_path(root), self._overrides)
        engine = self._pool.acquire(root, settings, self._on_change)
        engine.watchers[self] = self._watches
        self._switch(engine)
        self._checked_out[real_path(written)] = engine.root
        # Copied, since other threads may be going through it.
        self._engines = {**self._engines, engine.root: engine}
        return engine

    def add_in_memory(self, empty_folder: Path) -> Engine:
        """Return an engine of this window alone, for texts that are on no disk and stay so.

        Raises RootError.
        """
        engine = Engine.open(empty_folder, _without_disk(self.settings), self._on_change)
        self._engines = {**self._engines, engine.root: engine}
        self._in_memory = engine
        return engine

    def remove(self, root: Path) -> None:
        """Stop following a folder."""
        engine = self.engine_of(root)
        if engine:
            self._engines = {e.root: e for e in self.engines if e is not engine}
            if engine is self._in_memory:
                self._in_memory = None
                engine.close()
            else:
                engine.watchers.pop(self, None)
                self._pool.release(engine, self._on_change)
            del engine
            collect_all_and_trim()

    def engine_of(self, root: Path) -> Engine | None:
        """Return the engine of a folder that is followed."""
        folder = real_path(root)
        return self._engines.get(self._checked_out.get(folder, folder))

    def locate(self, path: Path) -> tuple[Engine, str] | None:
        """Return the innermost folder that holds `path`, and the path relative to it."""
        full = real_path(path.parent) / path.name
        location = innermost_root(self._engines, full)
        return (self._engines[location[0]], location[1]) if location else None

    @property
    def roots(self) -> Roots:
        """The folders as a question is asked of them."""
        return Roots(self.engines)

    def configure(self, settings: Settings) -> None:
        """Follow changed settings in every folder."""
        self.settings = settings
        for engine in self.engines:
            if engine is self._in_memory:
                engine.configure(_without_disk(settings))
            elif self._overrides:
                engine.follow_settings()
                self._switch(engine)
            else:
                engine.configure(settings)

    def _switch(self, engine: Engine) -> None:
        """Have a folder off for all if it is for this client."""
        if self._overrides:
            own = FolderSettings(engine.root, self._overrides).read().settings
            engine.switch(self._on_change, off=not own.index.enabled)

    def settled(self, timeout_s: float | None = None) -> bool:
        """Wait until nothing is pending in any folder; `timeout_s` is for each."""
        return all([engine.settled(timeout_s) for engine in self.engines])

    def cancel_indexing(self) -> None:
        """Read no more files until the next refresh or rebuild."""
        for engine in self.engines:
            engine.index.queue.cancel()

    def rebuild(self) -> None:
        """Forget all indexes and read everything again."""
        for engine in self.engines:
            engine.rebuild()

    def watch(self, *, watches: bool) -> None:
        """Note whether the client says which files change, in these folders and in later ones."""
        self._watches = watches
        for engine in self.engines:
            engine.watchers[self] = watches

    def start_polling(self, seconds: float) -> None:
        """Scan the folders again at this interval; 0 ends that."""
        if self._polling:
            self._polling.set()
        self._polling = threading.Event()
        if seconds > 0:
            polling = threading.Thread(
                target=self._poll,
                args=(self._polling, seconds),
                name="packhound-polling",
                daemon=True,
            )
            polling.start()

    def close(self) -> None:
        """Stop following all folders."""
        self.start_polling(0)
        for root in tuple(self._engines):
            self.remove(root)

    def _poll(self, stop: threading.Event, seconds: float) -> None:
        pause = seconds
        while not stop.wait(pause):
            started = time.monotonic()
            for engine in self.engines:
                if engine.settled(0):
                    engine.refresh()
                    engine.settled(_MAX_PAUSE_S)
            elapsed = time.monotonic() - started
            pause = max(seconds, min(elapsed * _PAUSES_PER_SCAN, _MAX_PAUSE_S))


def _without_disk(settings: Settings) -> Settings:
    return changed(settings, {"index.persist": False, "ranking.activity": False})
