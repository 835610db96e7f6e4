"""Daemon threads that run tasks in order of arrival.

`concurrent.futures` joins its threads at exit, which would keep the process of a closed editor.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from queue import SimpleQueue

log = logging.getLogger("packhound.lsp")


class ThreadPool:
    """Up to `count` daemon threads over one first-in, first-out queue, started when needed.

    A task that raises is logged.
    """

    def __init__(self, name: str, count: int) -> None:
        self._tasks: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._name, self._count = name, count
        self._changed = threading.Condition()
        self._n_started = self._n_unfinished = 0

    def submit(self, task: Callable[[], object]) -> None:
        """Queue a task behind those that were submitted before."""
        with self._changed:
            self._n_unfinished += 1
            is_short = self._n_started < min(self._count, self._n_unfinished)
            self._n_started += is_short
            number = self._n_started
        self._tasks.put(task)
        if is_short:
            name = f"{self._name}-{number}"
            threading.Thread(target=self._run, name=name, daemon=True).start()

    def wait(self, timeout_s: float) -> bool:
        """Wait until no task is pending; False if that took longer than `timeout_s`."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._n_unfinished, timeout_s)

    def close(self) -> None:
        """Let the threads end once the queue is empty; returns at once."""
        for _ in range(self._count):
            self._tasks.put(None)

    def _run(self) -> None:
        while task := self._tasks.get():
            try:
                task()
            except Exception:
                log.exception("a background task failed")
            with self._changed:
                self._n_unfinished -= 1
                self._changed.notify_all()
