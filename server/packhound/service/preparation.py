"""Preparation of what a first search and pack need, made in the background before anyone asks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import TYPE_CHECKING

from packhound.indexing import Timing, collect_and_trim
from packhound.service.check_warming import CheckWarming
from packhound.service.deep_filling import DeepFilling

if TYPE_CHECKING:
    from packhound.service.indexed_folder import IndexedFolder
    from packhound.service.packs import Packs
    from packhound.service.peers import Peers

_MAX_EDITED = 10
_SLICE_PAUSE_S, _YIELD_S = 0.002, 0.02
"""Pauses after a slice of work, and while the engine is in use."""


class Activity:
    """Use of an engine, to which background work yields. Any thread may call."""

    def __init__(self, recent_use_s: float) -> None:
        self._recent_use_s = recent_use_s
        self._used_at = -inf
        self.edited: tuple[str, ...] = ()
        """Paths of the documents that were edited last, the latest last."""
        self._searches: set[object] = set()
        self.on_use: Callable[[], None] = lambda: None
        """Called at each edit and question, before it is answered."""

    def mark_used(self) -> None:
        """Note an edit or a question: another one is likely to follow."""
        self._used_at = time.monotonic()
        self.on_use()

    def mark_edited(self, path: str) -> None:
        """Note an edit of a document."""
        self.edited = (*(other for other in self.edited if other != path), path)[-_MAX_EDITED:]

    @contextmanager
    def searching(self) -> Iterator[None]:
        """Count as busy while a search runs."""
        self._searches.add(search := object())
        self.on_use()
        try:
            yield
        finally:
            self._searches.discard(search)

    @property
    def idle_s(self) -> float:
        """Seconds without an edit or a question; 0 while a search runs."""
        return 0.0 if self._searches else time.monotonic() - self._used_at

    @property
    def busy(self) -> bool:
        """Return True if somebody waits for an answer, or was active a moment ago."""
        return bool(self._searches) or self.idle_s < self._recent_use_s


class BackgroundPreparation:
    """Thread that makes tables and the graph in slices, and yields to whoever uses the engine."""

    def __init__(
        self,
        folder: IndexedFolder,
        packs: Packs,
        activity: Activity,
        timing: Timing,
        peers: Peers,
    ) -> None:
        self._peers, self._folder, self._packs = peers, folder, packs
        self._activity = activity
        self._slice_s = timing.preparation_slice_s
        self._patience_s = timing.preparation_patience_s
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.deep = DeepFilling(folder, activity, timing)
        self.checks = CheckWarming(folder, activity, timing)

    @property
    def should_yield(self) -> bool:
        """Return True while any folder of this process is read or in use; never once closed."""
        others = (peer.preparation for peer in self._peers.engines)
        in_use = any(each.in_use for each in (self, *others))
        return in_use and not self._folder.closed

    @property
    def in_use(self) -> bool:
        """Return True while an edit is pending or the engine is in use."""
        return self._activity.busy or self._folder.queue.pending > 0

    def hold(self) -> None:
        """Leave the processor to others for a moment."""
        self._activity.mark_used()

    def start(self) -> BackgroundPreparation:
        """Begin when nothing is pending any more, unless under way; returns itself at once."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._run, name="packhound-preparation", daemon=True
                )
                self._thread.start()
        self.deep.start()
        self.checks.start()
        return self

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the end; False after `timeout_s`."""
        thread = self._thread
        if thread is None:
            return True
        thread.join(timeout_s)
        return not thread.is_alive()

    def _run(self) -> None:
        if not self._folder.queue.settled() or self._folder.closed:
            return
        snapshot = self._folder.snapshot
        snapshot.name_table.fold()
        self._take(self._packs.service().prepare(snapshot))
        self._take(self._folder.grep.prepare(snapshot))
        if self._folder.redacted_grep.lacks_filters:
            self._take(self._folder.redacted_grep.prepare(snapshot))
        collect_and_trim()  # Else a search or pack soon waits for a collection of all that is new.

    def _take(self, steps: Iterator[None]) -> None:
        """Take the steps of some work, and sleep between two where that is due."""
        slice_ends, patience_s = time.perf_counter() + self._slice_s, self._patience_s
        for _ in steps:
            if time.perf_counter() < slice_ends:
                continue
            time.sleep(_SLICE_PAUSE_S)
            while patience_s > 0 and self.should_yield:
                time.sleep(_YIELD_S)
                patience_s -= _YIELD_S
            slice_ends = time.perf_counter() + self._slice_s
