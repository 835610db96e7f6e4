"""Pool of parser processes: documents in, analysed files out, whatever happens.

A file that exceeds its time limit, or kills two workers, is quarantined: it is cut into windows,
and the same content is not parsed again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from packhound.core.errors import Cancelled
from packhound.core.log import log
from packhound.core.trace import traced
from packhound.core.types import Document, ParsedFile
from packhound.parsing.analyse import analyse, source_digest
from packhound.parsing.analysed_file import AnalysedFile
from packhound.parsing.extract.windows import first_lines, parse_as_windows
from packhound.parsing.extractors import NO_EXTRACTORS, Extractors
from packhound.parsing.pool.batch_run import BatchRun
from packhound.parsing.pool.framing import Plain, Task
from packhound.parsing.pool.worker import Worker, WorkerDied

_WINDOWS_TIMEOUT_S = 10.0
_BYTES_IN_TIME = 500_000
"""Of a larger file the time limit grows: 4 MB of Python take some 2 s, dense code twice that."""
_WATCH_INTERVAL_S = 0.05
_MAX_LATENESS = 9
"""Times the limit that a worker may wait for a processor after its limit has passed."""
_MAX_FAILED_STARTS = 3
_MAX_QUARANTINED = 10_000
_MAX_DEATHS_AT_START = 50
"""In a row: of a machine where no worker has ever started, and of one where some have."""

MIN_BACKOFF_S, _MAX_BACKOFF_S = 10.0, 600.0
"""Pause after too many failed starts in a row; it doubles."""

NOT_STARTED = "the parsing process does not start"
"""Why a file is in windows that may be parsed another time."""


class ParsePool:
    """Up to `workers` parsing processes, started when needed; any thread may call.

    `timeout_s` is the wall time for one file, more for a large one, `memory_mb` what parsing may
    take on top of the interpreter (enforced where the system has resource limits). `with_texts` is
    needed for an encoder that cannot read runs. `extractors` find the nodes of the files of their
    suffixes.
    """

    def __init__(
        self,
        workers: int,
        timeout_s: float = 2.0,
        memory_mb: int = 512,
        *,
        with_texts: bool = True,
        extractors: Extractors = NO_EXTRACTORS,
    ) -> None:
        self._extractors = extractors
        self._n_workers = max(workers, 1)
        self._with_texts, self._timeout_s = with_texts, timeout_s
        self._memory_mb = memory_mb
        self._free = threading.Condition()
        self._idle: list[Worker] = []
        self._alive: set[Worker] = set()
        self._failed_starts = 0
        self.n_started = 0
        """Number of processes started so far."""
        self._max_failures = _MAX_FAILED_STARTS
        self._retry_at, self._backoff_s = 0.0, MIN_BACKOFF_S
        self._closed = False
        self._quarantine: dict[bytes, str] = {}
        self._waiting = threading.Event()
        self._watchdog: threading.Thread | None = None

    @property
    def workers(self) -> tuple[Worker, ...]:
        """The processes that run now."""
        return tuple(self._alive)

    def start(self, at_most: int | None = None) -> None:
        """Start all processes, or some, so that the first documents need not wait for them."""
        n_workers = min(self._n_workers, at_most or self._n_workers)
        with self._free:
            while not self._closed and len(self._alive) < n_workers:
                if (worker := self._start()) is None:
                    return
                self._idle.append(worker)

    def parse(
        self, document: Document, indexed: bytes = b"", *, is_open: bool = True
    ) -> AnalysedFile:
        """Analyse one document now. Raises Cancelled if the pool is closed, never for the text.

        Nodes whose digests are in `indexed`, concatenated, come without their words. The next
        analysis of an open document at the same path reuses the syntax tree.
        """
        reason = self._quarantine_reason(document)
        return self._analyse([Task(document, reason, indexed, is_open=is_open)])[0]

    def parse_many(
        self, documents: Iterable[Document], cancelled: threading.Event | None = None
    ) -> Iterator[AnalysedFile]:
        """Analyse documents as they come, in order of completion.

        `documents` is read by a thread of its own; what it raises is raised here, and Cancelled
        once that is set.
        """
        for files in self.parse_batches(documents, cancelled):
            yield from files

    def parse_batches(
        self, documents: Iterable[Document], cancelled: threading.Event | None = None
    ) -> Iterator[list[AnalysedFile]]:
        """Analyse documents as `parse_many`; empty lists come while nothing else does."""
        cancelled = cancelled or threading.Event()
        run = BatchRun(iter(documents), self._n_workers, cancelled, self._analyse_batch)
        return run.start()

    def ask(self, values: Sequence[Plain]) -> list[Plain]:
        """Return what one worker answers to some values, in turn; fewer if it does not get to all.

        Raises Cancelled if the pool is closed.
        """
        worker, answers = self._borrow(), list[Plain]()
        if worker is None:
            return answers
        try:
            worker.send_values(tuple(values))
            for _ in values:
                answers.append(worker.receive_value(self._timeout_s))
        except WorkerDied:
            self._discard(worker)
            return answers
        self._return(worker)
        return answers

    def close(self) -> None:
        """End all processes. Calls in progress raise Cancelled."""
        with self._free:
            self._closed = True
            idle, self._idle = self._idle, []
            for worker in self._alive:
                worker.kill()
            self._free.notify_all()
        self._waiting.set()
        for worker in idle:
            self._discard(worker)

    def __enter__(self) -> ParsePool:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def _analyse_batch(self, documents: list[Document]) -> list[AnalysedFile]:
        reason = self._quarantine_reason
        return self._analyse([Task(doc, reason(doc), b"", is_open=False) for doc in documents])

    @traced("parse files")
    def _analyse(self, tasks: list[Task]) -> list[AnalysedFile]:
        """Return one result for each task, in their order."""
        results: list[AnalysedFile] = []
        suspect = -1
        while len(results) < len(tasks):
            task = tasks[len(results)]
            if task.document.is_large:
                results.append(self._analyse_in_process(task, first_lines(task.document)))
                continue
            worker = self._borrow()
            if worker is None:
                # Windows can be made in this process: no grammar is involved.
                for task in tasks[len(results) :]:
                    windows = parse_as_windows(task.document, NOT_STARTED)
                    results.append(self._analyse_in_process(task, windows))
                break
            if self._serve(worker, tasks, results):
                continue
            position = len(results)
            task = tasks[position]
            if not worker.started or (position != suspect and not worker.timed_out):
                suspect = position  # Killed from outside, perhaps: the file gets a second worker.
            elif task.plain_reason is None:
                reason = self._failure(worker, task.document.path)
                self._put_in_quarantine(task.document, reason)
                tasks[position] = task._replace(plain_reason=reason)
            else:
                results.append(self._analyse_in_process(task, _without_nodes(task)))
        return results

    def _quarantine_reason(self, document: Document) -> str | None:
        """Return why a content must not be parsed again, None if it may."""
        if not self._quarantine:
            return None
        return self._quarantine.get(source_digest(document.source))

    def _put_in_quarantine(self, document: Document, reason: str) -> None:
        if len(self._quarantine) >= _MAX_QUARANTINED:
            self._quarantine.clear()
        self._quarantine[source_digest(document.source)] = reason

    def _analyse_in_process(self, task: Task, parsed: ParsedFile) -> AnalysedFile:
        texts, indexed = self._with_texts, task.indexed
        return analyse(task.document, parsed, with_texts=texts, indexed=indexed)

    def _serve(self, worker: Worker, tasks: list[Task], results: list[AnalysedFile]) -> bool:
        """Have the worker do the remaining tasks; return False if it died over the next one."""
        try:
            small = [*takewhile(lambda task: not task.document.is_large, tasks[len(results) :])]
            worker.send(small)
            for task in small:
                limit_s = (
                    self._limit_s(task.document)
                    if task.plain_reason is None
                    else _WINDOWS_TIMEOUT_S
                )
                results.append(worker.receive(limit_s))
        except WorkerDied:
            self._discard(worker)
            return False
        self._return(worker)
        return True

    def _limit_s(self, document: Document) -> float:
        return self._timeout_s * max(1.0, len(document.source) / _BYTES_IN_TIME)

    def _failure(self, worker: Worker, path: str) -> str:
        extractor = self._extractors.of(path)
        actor = f"extractor {extractor.label}" if extractor else "parsing"
        if worker.timed_out:
            return f"{actor} took longer than {worker.limit_s:.2g} s"
        culprit = "" if extractor else ", or met a fault in the grammar"
        return f"{actor} needed too much memory{culprit or ', or ended the process'}"

    def _borrow(self) -> Worker | None:
        """Return a worker for this thread alone; None during the backoff after failed starts."""
        with self._free:
            while True:
                if self._closed:
                    raise Cancelled("the parse pool is closed")
                if self._idle:
                    return self._idle.pop()
                if self._failed_starts >= self._max_failures:
                    if time.monotonic() < self._retry_at:
                        return None
                    self._failed_starts = self._max_failures - 1
                if len(self._alive) < self._n_workers:
                    return self._start()
                self._free.wait()

    def _start(self) -> Worker | None:
        if self._watchdog is None:
            watchdog = threading.Thread(target=self._watch, daemon=True)
            watchdog.start()
            self._watchdog = watchdog
        try:
            worker = Worker(
                self._memory_mb,
                self._waiting,
                with_texts=self._with_texts,
                extractors=self._extractors,
            )
        except OSError:
            self._count_failed_starts(self._max_failures)
            self._free.notify_all()
            return None
        self._alive.add(worker)
        self.n_started += 1
        return worker

    def _return(self, worker: Worker) -> None:
        with self._free:
            self._failed_starts, self._backoff_s = 0, MIN_BACKOFF_S
            self._max_failures = _MAX_DEATHS_AT_START
            if not self._closed:
                self._idle.append(worker)
                self._free.notify()
                return
        self._discard(worker)

    def _discard(self, worker: Worker) -> None:
        worker.discard()
        with self._free:
            self._alive.discard(worker)
            if not worker.started:
                self._count_failed_starts(1)
            self._free.notify()

    def _count_failed_starts(self, count: int) -> None:
        """Back off after too many in a row; what is short may be there again then."""
        self._failed_starts += count
        if self._failed_starts >= self._max_failures:
            log.warning("no parser process starts; files are searched as plain text for now")
            self._retry_at = time.monotonic() + self._backoff_s
            self._backoff_s = min(2 * self._backoff_s, _MAX_BACKOFF_S)

    def _watch(self) -> None:
        """Kill workers that are past their deadline; sleep while nobody waits for an answer."""
        watched: dict[Worker, _Wait] = {}
        while not self._closed:
            self._waiting.wait()
            self._waiting.clear()
            for worker in self.workers:
                deadline = worker.deadline
                if deadline is None:
                    continue
                self._waiting.set()
                wait = watched.get(worker)
                if wait is None or wait.deadline != deadline:
                    watched[worker] = _Wait(deadline, worker.cpu_s)
                elif time.monotonic() > deadline and wait.is_over(worker):
                    worker.timed_out = True
                    worker.kill()
            watched = {worker: wait for worker, wait in watched.items() if worker in self._alive}
            time.sleep(_WATCH_INTERVAL_S)


@dataclass(frozen=True, slots=True)
class _Wait:
    """One wait for an answer: its deadline, and the processor time used when it was first seen."""

    deadline: float
    cpu_s: float | None

    def is_over(self, worker: Worker) -> bool:
        """Return True if the worker had its time, on a machine that may be busy otherwise."""
        cpu_s = worker.cpu_s
        if cpu_s is None or self.cpu_s is None:
            return True
        late_s = time.monotonic() - self.deadline
        return cpu_s - self.cpu_s > worker.limit_s / 2 or late_s > _MAX_LATENESS * worker.limit_s


def _without_nodes(task: Task) -> ParsedFile:
    """Return a file of which not even windows could be made."""
    empty = Document(task.document.path, b"", task.document.language)
    return parse_as_windows(empty, task.plain_reason or "")
