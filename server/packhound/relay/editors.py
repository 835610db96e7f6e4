"""Editors that relay to the daemon: each holds a lock in the cache folder as long as it runs.

So a daemon that follows one that was killed knows whose unsaved texts it has yet to get.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

from packhound.core.errors import StoreError
from packhound.core.file_lock import FileLock

_EDITORS_S = 5.0
"""Time for an editor that has just come to send what is not saved."""


def mark_editor(folder: Path) -> None:
    """Hold the lock of this process until it ends. Raises StoreError."""
    FileLock(folder / f"editor-{os.getpid()}.lock").acquire()


def relaying_editors(folder: Path) -> set[int]:
    """Return the process ids of the editors that relay now; the files of others are removed."""
    process_ids = set[int]()
    for path in folder.glob("editor-*.lock"):
        lock = FileLock(path)
        with suppress(OSError, StoreError, ValueError):
            if lock.acquire():
                path.unlink()
            else:
                process_ids.add(int(path.stem.split("-")[1]))
        lock.release()
    return process_ids


class EditorTexts:
    """The editors that relay to a daemon, and which of them have sent their texts; thread-safe."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._joined = set[int]()
        self._changed = threading.Condition()

    def add(self, relay_id: int) -> None:
        """Note that the texts of an editor are here, by the process id of its relay."""
        with self._changed:
            self._joined.add(relay_id)
            self._changed.notify_all()

    def discard(self, relay_id: int) -> None:
        """Note that an editor has gone."""
        with self._changed:
            self._joined.discard(relay_id)

    def wait(self) -> None:
        """Wait for the texts of all editors that relay.

        One that does not send them in time, such as a suspended one, is waited for once.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: relaying_editors(self._cache) <= self._joined, _EDITORS_S
            )
            self._joined |= relaying_editors(self._cache)
