"""Runs of the tools of a folder without a patch, made while nobody uses it, for its next check."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from packhound.core.errors import Cancelled, PackhoundError
from packhound.core.log import log
from packhound.service.checks import warm_up
from packhound.service.deep_filling import lower_priority

if TYPE_CHECKING:
    from packhound.indexing import Timing
    from packhound.service.indexed_folder import IndexedFolder
    from packhound.service.preparation import Activity


class CheckWarming:
    """Thread that keeps what the tools of a folder say, once its texts have stayed as they are.

    It runs where the user allows that checks run, trusts the folder, and asks for this.
    """

    def __init__(self, folder: IndexedFolder, activity: Activity, timing: Timing) -> None:
        self._folder, self._activity, self._timing = folder, activity, timing
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        self.trusted = False

    def start(self) -> None:
        """Begin to wait for quiet if the settings ask for it; returns at once."""
        if self._thread is None and self._is_on:
            self._thread = threading.Thread(target=self._run, name="packhound-checks", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop, and kill what runs."""
        self._closed.set()
        if self._thread:
            self._thread.join()

    @property
    def _is_on(self) -> bool:
        changes = self._folder.settings.changes
        return changes.run and changes.warm_up and self.trusted

    def _run(self) -> None:
        lower_priority()  # Of what it starts too.
        generation, idle_s = None, self._timing.check_idle_s
        while not self._closed.wait(idle_s / 4):
            is_idle = self._activity.idle_s >= idle_s and not self._folder.queue.pending
            current = self._folder.snapshot.generation
            if self._is_on and is_idle and current != generation and self._folder.writer:
                generation = current
                try:
                    warm_up(self._folder, self._closed)
                except Cancelled:
                    return
                except PackhoundError as problem:
                    log.warning("no check is made ready: %s", problem)
