"""One job at a time in a thread of its own, and its result when it is done."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from packhound.core.errors import Cancelled

log = logging.getLogger("packhound")

T = TypeVar("T")


class BackgroundJob(Generic[T]):
    """Runs jobs; `on_done` is called in the job's thread at its end.

    A job gets an event and raises Cancelled soon after it is set.
    """

    def __init__(self) -> None:
        self.on_done: Callable[[], None] = lambda: None
        self._thread: threading.Thread | None = None
        self._result: T | None = None
        self._stopping = threading.Event()

    @property
    def busy(self) -> bool:
        """True while a job runs or its result was not taken yet."""
        return self._thread is not None

    @property
    def done(self) -> bool:
        """True if a job has ended whose result was not taken yet."""
        return self._thread is not None and not self._thread.is_alive()

    def start(self, job: Callable[[threading.Event], T]) -> None:
        """Run `job`; none may be running."""
        self._thread = threading.Thread(
            target=self._run, args=(job,), name="packhound-upkeep", daemon=True
        )
        self._thread.start()

    def take(self) -> T | None:
        """Wait for the end of the job and return its result; None where it failed."""
        if self._thread is not None:
            self._thread.join()
        result, self._thread, self._result = self._result, None, None
        return result

    def close(self) -> None:
        """Stop the running job and wait for its end.

        A thread inside hnswlib when the interpreter ends would abort the process.
        """
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self, job: Callable[[threading.Event], T]) -> None:
        try:
            self._result = job(self._stopping)
        except Cancelled:
            return
        except Exception:
            # Catch all: the index goes on as it is; the next job may do better.
            log.exception("maintenance of the index failed")
        self.on_done()
