"""Threads of our own: they never keep the process from ending, and nobody else waits in them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from queue import SimpleQueue

log = logging.getLogger("packhound.lsp")


class Workers:
    """Threads that run tasks in order of arrival and never keep the process from ending."""

    def __init__(self, name: str, count: int) -> None:
        self._tasks: SimpleQueue[Callable[[], None]] = SimpleQueue()
        for n in range(count):
            threading.Thread(target=self._run, name=f"{name}-{n}", daemon=True).start()

    def submit(self, task: Callable[[], None]) -> None:
        """Run a task as soon as a thread is free; the task must not raise."""
        self._tasks.put(task)

    def _run(self) -> None:
        while True:
            self._tasks.get()()


class Chores:
    """One thread that does what others may have to wait for, in order of arrival."""

    def __init__(self, name: str) -> None:
        self._worker = Workers(name, 1)
        self._lock = threading.Lock()
        self._n_waiting = 0
        self._idle = threading.Event()
        self._idle.set()

    def submit(self, task: Callable[[], None]) -> None:
        """Do a task after those before it."""
        with self._lock:
            self._n_waiting += 1
            self._idle.clear()
        self._worker.submit(lambda: self._do(task))

    def wait(self, timeout_s: float) -> bool:
        """Return when nothing is left to do; False if that took longer than `timeout_s`."""
        return self._idle.wait(timeout_s)

    def _do(self, task: Callable[[], None]) -> None:
        try:
            task()
        except Exception:
            log.exception("a chore failed")
        with self._lock:
            self._n_waiting -= 1
            if not self._n_waiting:
                self._idle.set()
