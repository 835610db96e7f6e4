"""Several folders searched as one; each keeps its own index, so any set of them can be open."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from packhound.core.settings import Settings
from packhound.core.types import Query, Results
from packhound.indexing.malloc import collect
from packhound.search.order import rank_hits
from packhound.service.engine import Engine, Listener
from packhound.service.roots import place_in, real_path

_PAUSES_PER_LOOK = 100
"""Polling takes at most this part of one core, whatever the size of the folders."""
_LONGEST_PAUSE_S = 30.0


class Workspace:
    """The folders of one editor window. Methods may be called from any thread."""

    def __init__(self, settings: Settings | None = None, on_change: Listener | None = None) -> None:
        self.settings = settings or Settings()
        self._on_change = on_change
        self._engines: dict[Path, Engine] = {}
        self._polling: threading.Event | None = None

    @property
    def engines(self) -> tuple[Engine, ...]:
        """In the order in which their folders were added."""
        return tuple(self._engines.values())

    def add(self, root: Path) -> Engine:
        """Begin to follow a folder; one that is followed already stays as it is.

        Raises:
            RootError: it is no folder, or a home directory that was not asked for.
        """
        known = self.engine_of(root)
        if known:
            return known
        engine = Engine.open(root, self.settings, self._on_change)
        engine.prepare()
        # Copied, since other threads may be going through it.
        self._engines = {**self._engines, engine.root: engine}
        return engine

    def remove(self, root: Path) -> None:
        """Stop following a folder."""
        engine = self.engine_of(root)
        if engine:
            others = [other for other in self.engines if other is not engine]
            self._engines = {other.root: other for other in others}
            engine.close()
            del engine
            collect()

    def engine_of(self, root: Path) -> Engine | None:
        """The engine of a folder that is followed."""
        return self._engines.get(real_path(root))

    def locate(self, path: Path) -> tuple[Engine, str] | None:
        """The innermost folder that holds `path`, and the path relative to it."""
        full = real_path(path.parent) / path.name
        place = place_in(self._engines, full)
        return (self._engines[place[0]], place[1]) if place else None

    def search(self, query: Query, cancel: threading.Event | None = None) -> Results:
        """Search every folder; scores of the linear ranker are log-odds, so they compare."""
        if len(self._engines) == 1:
            return self.engines[0].search(query, cancel)
        return _merge(query, [engine.search(query, cancel) for engine in self.engines])

    def configure(self, settings: Settings) -> None:
        """Follow changed settings in every folder."""
        self.settings = settings
        for engine in self.engines:
            engine.configure(settings)

    def settled(self, timeout_s: float | None = None) -> bool:
        """Wait until nothing is pending in any folder; `timeout_s` is for each."""
        return all([engine.settled(timeout_s) for engine in self.engines])

    def cancel_indexing(self) -> None:
        """Read no more files until the next refresh or rebuild."""
        for engine in self.engines:
            engine.cancel_indexing()

    def rebuild(self) -> None:
        """Forget all indexes and read everything again."""
        for engine in self.engines:
            engine.rebuild()

    def start_polling(self, seconds: float) -> None:
        """Look at the disk again every so often; 0 ends that."""
        if self._polling:
            self._polling.set()
        self._polling = threading.Event()
        if seconds > 0:
            watch = threading.Thread(
                target=self._poll,
                args=(self._polling, seconds),
                name="packhound-polling",
                daemon=True,
            )
            watch.start()

    def close(self) -> None:
        """Stop following all folders."""
        self.start_polling(0)
        for root in tuple(self._engines):
            self.remove(root)

    def _poll(self, stop: threading.Event, seconds: float) -> None:
        pause = seconds
        while not stop.wait(pause):
            began = time.monotonic()
            for engine in self.engines:
                if engine.settled(0):
                    engine.refresh()
                    engine.settled(_LONGEST_PAUSE_S)
            took = time.monotonic() - began
            pause = max(seconds, min(took * _PAUSES_PER_LOOK, _LONGEST_PAUSE_S))


def _merge(query: Query, answers: list[Results]) -> Results:
    notes = dict.fromkeys(note for answer in answers for note in answer.notes)
    if not answers:
        notes["no folder is open"] = None
    return Results(
        query=query.text,
        hits=rank_hits((hit for answer in answers for hit in answer.hits), query.limit),
        truncated=any(answer.truncated for answer in answers),
        generation=sum(answer.generation for answer in answers),
        took_ms=sum(answer.took_ms for answer in answers),
        candidates=sum(answer.candidates for answer in answers),
        notes=tuple(notes),
    )
