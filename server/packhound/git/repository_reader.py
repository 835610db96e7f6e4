"""Answers of git on a working tree, read in the background and after each change."""

from __future__ import annotations

import threading
from pathlib import Path

from packhound.git.client import Repository, Stamp, open_repository


class RepositoryReader:
    """Reads in a thread of its own, so that nobody waits for git. Any thread may call."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._repository: Repository | None = None
        self._stamp: Stamp = ()
        self._is_stale = True

    def invalidate(self) -> None:
        """Have the next `refresh` ask git again: something on the disk may have changed."""
        self._is_stale = True

    def refresh(self) -> None:
        """Read again if anything was changed, committed or checked out; three stats."""
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                return
            repository = self._repository
            if self._is_stale or (repository is not None and repository.stamp() != self._stamp):
                self._is_stale = False
                self._thread = threading.Thread(target=self._run, name="packhound-git", daemon=True)
                self._thread.start()

    def join(self, timeout_s: float) -> None:
        """Wait for the reading that is under way."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)

    def _run(self) -> None:
        repository = self._repository or open_repository(self._root)
        # Before reading, so that what happens meanwhile is read the next time.
        self._stamp = repository.stamp()
        self._repository = repository if repository.state == "ready" else None
        self._read(repository)

    def _read(self, repository: Repository) -> None:
        raise NotImplementedError
