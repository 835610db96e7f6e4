"""One pass of a parse pool over many documents, by as many threads as the pool has processes."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator

from packhound.analysed import AnalysedFile
from packhound.types import Document

_BATCH_BYTES = 256 * 1024
_BATCH_FILES = 64
"""A batch keeps a worker busy for some 0.1 s, and few workers wait long for the last ones."""

_BACKLOG_FILES = 256
"""Analysed files that may wait for their consumer."""


class Run:
    """One call of `parse_many`: threads take batches from the documents and leave results."""

    def __init__(self, documents: Iterator[Document]) -> None:
        self._documents = documents
        self._reading = threading.Lock()
        self._done: queue.Queue[AnalysedFile | BaseException | None] = queue.Queue(_BACKLOG_FILES)
        self._stopped = False

    def work(self, analysed: Callable[[list[Document]], list[AnalysedFile]]) -> None:
        """What each thread does; an error goes to the consumer in the place of a result."""
        try:
            while not self._stopped and (batch := self._batch()):
                for result in analysed(batch):
                    self._put(result)
        except BaseException as error:
            self._put(error)
        self._put(None)

    def results(self, n_threads: int) -> Iterator[AnalysedFile]:
        """What the threads leave, until all have ended."""
        try:
            while n_threads:
                result = self._done.get()
                if isinstance(result, BaseException):
                    raise result
                if result is None:
                    n_threads -= 1
                else:
                    yield result
        finally:
            self._stopped = True

    def _batch(self) -> list[Document]:
        batch: list[Document] = []
        size = 0
        with self._reading:
            for document in self._documents:
                batch.append(document)
                size += len(document.source)
                if size >= _BATCH_BYTES or len(batch) >= _BATCH_FILES:
                    break
        return batch

    def _put(self, result: AnalysedFile | BaseException | None) -> None:
        while not self._stopped:
            try:
                return self._done.put(result, timeout=0.1)
            except queue.Full:
                continue
