"""One pass of a parse pool over many documents: a reader thread, and one for each process."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from packhound.core.errors import Cancelled
from packhound.core.types import Document

_BATCH_BYTES = 256 * 1024
_BATCH_FILES = 64
"""A batch keeps a worker busy for some 0.1 s, and few workers wait long for the last ones."""

_BACKLOG = 4
"""Analysed batches that may wait for their consumer."""

_POLL_S = 0.1
"""Within this the threads notice that the consumer has stopped, and it that it is cancelled."""

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class BatchRun(Generic[Answer]):
    """One call of `parse_batches`: a thread reads documents, others have batches of them analysed.

    Nobody who has a worker waits for the disk, or for an interpreter that is busy elsewhere.
    """

    def __init__(
        self,
        documents: Iterator[Document],
        n_workers: int,
        cancelled: threading.Event,
        analyse: Callable[[list[Document]], list[Answer]],
    ) -> None:
        self._documents, self._analyse, self._n_workers = documents, analyse, n_workers
        self._batches: queue.Queue[list[Document]] = queue.Queue(n_workers)
        self._done: queue.Queue[list[Answer] | BaseException | None] = queue.Queue(_BACKLOG)
        self._cancelled = cancelled
        self._is_over = False

    @property
    def _stopped(self) -> bool:
        return self._is_over or self._cancelled.is_set()

    def start(self) -> Iterator[list[Answer]]:
        """Start the threads, and return the results, none where a while has brought none."""
        for run in (self._read, *[self._work] * self._n_workers):
            threading.Thread(target=run, daemon=True).start()
        return self._results()

    def _read(self) -> None:
        """Run the reader thread; an error goes to the consumer in the place of a result."""
        try:
            while not self._stopped and (batch := self._read_batch()):
                self._put(self._batches, batch)
        except BaseException as error:
            self._put(self._done, error)
        for _ in range(self._n_workers):
            self._put(self._batches, [])

    def _work(self) -> None:
        """Run one of the other threads, until it gets an empty batch."""
        try:
            while not self._stopped and (batch := self._next_batch()):
                self._put(self._done, self._analyse(batch))
        except BaseException as error:
            self._put(self._done, error)
        self._put(self._done, None)

    def _results(self) -> Iterator[list[Answer]]:
        """Yield the results of the threads, until all have ended. Raises Cancelled."""
        n_running = self._n_workers
        try:
            while n_running:
                try:
                    result = self._done.get(timeout=_POLL_S)
                except queue.Empty:
                    if self._cancelled.is_set():
                        raise Cancelled("the parse pool is closed") from None
                    result = []
                if isinstance(result, BaseException):
                    raise result
                if result is None:
                    n_running -= 1
                else:
                    yield result
        finally:
            self._is_over = True

    def _read_batch(self) -> list[Document]:
        batch: list[Document] = []
        size = 0
        for document in self._documents:
            batch.append(document)
            size += len(document.source)
            if size >= _BATCH_BYTES or len(batch) >= _BATCH_FILES:
                break
        return batch

    def _next_batch(self) -> list[Document]:
        while not self._stopped:
            try:
                return self._batches.get(timeout=_POLL_S)
            except queue.Empty:
                continue
        return []

    def _put(self, to: queue.Queue[Item], item: Item) -> None:
        while not self._stopped:
            try:
                return to.put(item, timeout=_POLL_S)
            except queue.Full:
                continue
