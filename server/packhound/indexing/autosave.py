"""Saving the index after a pause, by one process of all that follow the folder.

When the process that writes ends, however it ends, another one goes on. What cannot be written
stays in memory, is reported once, and is tried again with exponential backoff.
"""

from __future__ import annotations

import logging
import time

from packhound.core.backoff import RetryBackoff
from packhound.core.errors import StoreError
from packhound.index import Snapshot
from packhound.indexing.timing import Timing
from packhound.storage import Store

log = logging.getLogger("packhound")

_READING_A_SAVE = 10
"""Times the duration of a save that reading goes on before the next: a save lists all files, so the
share that saves have of the time would grow with their number."""


class Autosave:
    """Dirty flag and backoff of a store, for the thread that writes the index.

    `store` is None where nothing is persisted.
    """

    def __init__(self, store: Store | None, timing: Timing) -> None:
        self._store = store
        self._claim_s, self._while_reading_s = timing.claim_s, timing.save_while_reading_s
        self._backoff = RetryBackoff(timing.save_s, timing.max_save_s)
        self._dirty = False
        self._saved_at, self._took_s = time.monotonic(), 0.0
        self.problem = ""
        """Why the index is not saved at present, in one line."""

    def mark_dirty(self) -> None:
        """Note that there is something to save."""
        self._dirty = True

    @property
    def delay_s(self) -> float | None:
        """Quiet seconds to wait before `on_quiet`; None where there is nothing to wait for."""
        if self._store and not self._store.writer:
            return self._claim_s
        return self._backoff.delay_s if self._store and self._dirty else None

    def on_quiet(self, snapshot: Snapshot) -> bool:
        """Save if dirty, as the new writer if there is none; return True if it became that."""
        if self._store is None:
            return False
        claimed = not self._store.writer and self._claim(self._store)
        self._dirty = self._dirty or claimed
        self.save(snapshot)
        return claimed

    def save_while_reading(self, snapshot: Snapshot) -> None:
        """Save what was read so far, once in a while and not where that has failed."""
        pause_s = max(self._while_reading_s, _READING_A_SAVE * self._took_s)
        if time.monotonic() - self._saved_at >= pause_s and not self.problem:
            self.save(snapshot)

    def save(self, snapshot: Snapshot) -> None:
        """Write what changed, if this process may."""
        if not (self._dirty and self._store and self._store.writer):
            return
        started = time.monotonic()
        try:
            self._store.save(snapshot)
        except StoreError as error:
            self._fail(error)
            return
        self._dirty, self.problem, self._saved_at = False, "", time.monotonic()
        self._took_s = self._saved_at - started
        self._backoff.reset()

    def close(self) -> None:
        """Let another process write."""
        if self._store:
            self._store.close()

    def _claim(self, store: Store) -> bool:
        try:
            claimed = store.claim()
        except StoreError as error:
            self._fail(error)
            return False
        self.problem = ""
        return claimed

    def _fail(self, error: StoreError) -> None:
        self._backoff.fail()
        if not self.problem:
            self.problem = f"the index is kept in memory only: {error}"
            log.warning(self.problem)
