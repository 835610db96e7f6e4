"""When the index is written to disk: after a pause, by one process of all that follow the folder.

When the process that writes ends, however it ends, another one goes on. What cannot be written is
kept in memory, said once, and tried again after ever longer pauses.
"""

from __future__ import annotations

import logging

from packhound.core.errors import StoreError
from packhound.index.snapshot import Snapshot
from packhound.storage.sqlite_store import Store

log = logging.getLogger("packhound")

SAVE_AFTER_S = 1.5
"""Quiet time after which the index is written; after a failure it doubles."""
_LONGEST_WAIT_S = 300.0
_CLAIM_EVERY_S = 2.0
"""How often a process that may not write looks whether the one that may is gone."""


class Saver:
    """Only for the thread that writes the index. `store` None means that nothing is kept."""

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._dirty = False
        self._wait_s = SAVE_AFTER_S
        self.problem = ""
        """Why nothing is written at present, in one line."""

    def changed(self) -> None:
        """There is something to write."""
        self._dirty = True

    @property
    def patience_s(self) -> float | None:
        """How long nothing may happen before `rested`; None where there is nothing to wait for."""
        if self._store and not self._store.writer:
            return _CLAIM_EVERY_S
        return self._wait_s if self._store and self._dirty else None

    def rested(self, snapshot: Snapshot) -> bool:
        """Write what is to be written, if need be as the new writer; True if that is new."""
        if self._store is None:
            return False
        claimed = not self._store.writer and self._claim(self._store)
        self._dirty = self._dirty or claimed
        self.save(snapshot)
        return claimed

    def save(self, snapshot: Snapshot) -> None:
        """Write what changed, if this process may."""
        if not (self._dirty and self._store and self._store.writer):
            return
        try:
            self._store.save(snapshot)
        except StoreError as error:
            self._failed(error)
            return
        self._dirty, self._wait_s, self.problem = False, SAVE_AFTER_S, ""

    def close(self) -> None:
        """Let another process write."""
        if self._store:
            self._store.close()

    def _claim(self, store: Store) -> bool:
        try:
            claimed = store.claim()
        except StoreError as error:
            self._failed(error)
            return False
        self.problem = ""
        return claimed

    def _failed(self, error: StoreError) -> None:
        self._wait_s = min(2 * self._wait_s, _LONGEST_WAIT_S)
        if not self.problem:
            self.problem = f"the index is kept in memory only: {error}"
            log.warning(self.problem)
