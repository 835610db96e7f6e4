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
    """Fixed number of daemon threads over one first-in, first-out queue."""

    def __init__(self, name: str, count: int) -> None:
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._count = count
        for n in range(count):
            threading.Thread(target=self._run, name=f"{name}-{n}", daemon=True).start()

    def submit(self, task: Callable[[], None]) -> None:
        """Queue a task, which must not raise."""
        self._tasks.put(task)

    def close(self) -> None:
        """Let the threads end once the queue is empty; returns at once."""
        for _ in range(self._count):
            self._tasks.put(None)

    def _run(self) -> None:
        while task := self._tasks.get():
            task()


class SerialExecutor:
    """One daemon thread whose queue can be waited for; a task that raises is logged."""

    def __init__(self, name: str) -> None:
        self._pool = ThreadPool(name, 1)
        self._lock = threading.Lock()
        self._n_pending = 0
        self._idle = threading.Event()
        self._idle.set()

    def submit(self, task: Callable[[], None]) -> None:
        """Queue a task behind those that were submitted before."""
        with self._lock:
            self._n_pending += 1
            self._idle.clear()
        self._pool.submit(lambda: self._run(task))

    def wait(self, timeout_s: float) -> bool:
        """Wait until no task is pending; False if that took longer than `timeout_s`."""
        return self._idle.wait(timeout_s)

    def close(self) -> None:
        """Let the thread end once the queue is empty; returns at once."""
        self._pool.close()

    def _run(self, task: Callable[[], None]) -> None:
        try:
            task()
        except Exception:
            log.exception("a background task failed")
        with self._lock:
            self._n_pending -= 1
            if not self._n_pending:
                self._idle.set()
