"""A value that a thread makes when it is first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent import futures
from typing import Generic, TypeVar

T = TypeVar("T")


class DeferredLoad(Generic[T]):
    """The value of `load`, without which those go on who cannot wait for it. Thread-safe."""

    def __init__(self, load: Callable[[], T]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._future: futures.Future[T] | None = None

    def result(self, timeout_s: float) -> T | None:
        """Return the value, None if it takes longer than `timeout_s`: then loading goes on.

        Raises what `load` raises, which is called again when the value is next asked for.
        """
        with self._lock:
            future = self._future
            if future is None:
                future = self._future = futures.Future()
                # No daemon: at the end of a process, native code of one would be cut short.
                threading.Thread(target=self._run, args=(future,), name="packhound-load").start()
        try:
            return future.result(max(timeout_s, 0))
        except futures.TimeoutError:
            return None

    def _run(self, future: futures.Future[T]) -> None:
        try:
            future.set_result(self._load())
        except BaseException as error:
            with self._lock:
                self._future = None
            future.set_exception(error)
