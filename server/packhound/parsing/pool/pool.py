"""Parsing in processes that can be killed: documents in, analysed files out, whatever happens.

A file that takes too long, or that takes its worker down twice, is cut into windows instead, and
the same content is not tried again.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType

from packhound.core.errors import Cancelled
from packhound.core.types import Document, ParsedFile
from packhound.parsing.analyse import analyse, source_digest
from packhound.parsing.analysed_file import AnalysedFile
from packhound.parsing.assembled import assembled
from packhound.parsing.extract.windows import windowed
from packhound.parsing.pool.batch_run import Run
from packhound.parsing.pool.framing import Task
from packhound.parsing.pool.worker import Worker, WorkerDied

log = logging.getLogger("packhound")

_PLAIN_TIMEOUT_S = 10.0
_WATCH_INTERVAL_S = 0.05
_PATIENCE = 9
"""Times the limit that a worker may wait for a processor after its limit has passed."""
_MAX_FAILED_STARTS = 3
_MAX_DEATHS_AT_START = 50
"""In a row: of a machine where no worker has ever started, and of one where some have."""

_AGAIN_S, _LONGEST_PAUSE_S = 10.0, 600.0
"""How long no process is started after none could be: the pause doubles."""

_MAX_REMEMBERED = 10_000

NOT_STARTED = "the parsing process does not start"
"""Why a file is in windows that may be parsed another time."""


class ParsePool:
    """Up to `workers` parsing processes, started when needed; any thread may call.

    `timeout_s` is the wall time for one file, `memory_mb` what parsing may take on top of the
    interpreter (enforced where the system has resource limits). `with_texts` is needed for an
    encoder that cannot read runs.
    """

    def __init__(
        self,
        workers: int,
        timeout_s: float = 2.0,
        memory_mb: int = 512,
        *,
        with_texts: bool = True,
    ) -> None:
        self._n_workers = max(workers, 1)
        self._with_texts = with_texts
        self._timeout_s = timeout_s
        self._memory_mb = memory_mb
        self._free = threading.Condition()
        self._idle: list[Worker] = []
        self._alive: set[Worker] = set()
        self._failed_starts = self._n_started = 0
        self._patience = _MAX_FAILED_STARTS
        self._again_at, self._pause_s = 0.0, _AGAIN_S
        self._closed = False
        self._remembered: dict[bytes, str] = {}
        self._waiting = threading.Event()
        self._watchdog: threading.Thread | None = None

    @property
    def n_started(self) -> int:
        """How many processes it has started so far."""
        return self._n_started

    def start(self) -> None:
        """Let all processes start, so that the first documents need not wait for them."""
        with self._free:
            while not self._closed and len(self._alive) < self._n_workers:
                worker = self._start()
                if worker is None:
                    return
                self._idle.append(worker)

    def parse(self, document: Document, known: bytes = b"") -> AnalysedFile:
        """Analyse one document now. Raises Cancelled if the pool is closed, never for the text.

        Nodes whose digests are among `known`, joined, come without their words. The next analysis
        of a document at the same path takes less time.
        """
        return self._analysed([Task(document, self._verdict(document), known, again=True)])[0]

    def parse_many(self, documents: Iterable[Document]) -> Iterator[AnalysedFile]:
        """Analyse documents as they come, in order of completion.

        `documents` is read by a thread of its own; what it raises is raised here.
        """
        run = Run(iter(documents), self._n_workers)
        threads = [threading.Thread(target=run.read, daemon=True)]
        threads += [
            threading.Thread(target=run.work, args=(self._batch,), daemon=True)
            for _ in range(self._n_workers)
        ]
        for thread in threads:
            thread.start()
        return run.results()

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _batch(self, documents: list[Document]) -> list[AnalysedFile]:
        tasks = [Task(one, self._verdict(one), b"", again=False) for one in documents]
        return self._analysed(tasks)

    def _analysed(self, tasks: list[Task]) -> list[AnalysedFile]:
        """One result for each document, in their order."""
        results: list[AnalysedFile] = []
        suspect = -1
        while len(results) < len(tasks):
            worker = self._borrow()
            if worker is None:
                left = tasks[len(results) :]
                results += [self._here(task, _unparsed(task.document)) for task in left]
                break
            if self._serve(worker, tasks, results):
                continue
            at = len(results)
            document, plain = tasks[at][:2]
            if not worker.started or (at != suspect and not worker.timed_out):
                suspect = at  # Whoever killed it may have meant the process, not the file.
            elif plain is None:
                why = self._condemn(document, worker.timed_out)
                tasks[at] = tasks[at]._replace(plain=why)
            else:
                results.append(self._here(tasks[at], _emptied(document, plain)))
        return results

    def _here(self, task: Task, parsed: ParsedFile) -> AnalysedFile:
        """Analysed in this process."""
        texts, known = self._with_texts, task.known
        return assembled(analyse(task.document, parsed, with_texts=texts, known=known))

    def _serve(self, worker: Worker, tasks: list[Task], results: list[AnalysedFile]) -> bool:
        """Have the worker do what is left of the tasks; False if it died over the next one."""
        try:
            worker.send(tasks[len(results) :])
            for task in tasks[len(results) :]:
                limit_s = self._timeout_s if task.plain is None else _PLAIN_TIMEOUT_S
                results.append(assembled(worker.receive(limit_s)))
        except WorkerDied:
            self._discard(worker)
            return False
        self._give_back(worker)
        return True

    def _verdict(self, document: Document) -> str | None:
        """Why this content must not be parsed again, if so."""
        if not self._remembered:
            return None
        return self._remembered.get(source_digest(document.source))

    def _condemn(self, document: Document, timed_out: bool) -> str:
        why = (
            f"parsing took longer than {self._timeout_s:g} s"
            if timed_out
            else "parsing needed too much memory, or met a fault in the grammar"
        )
        if len(self._remembered) >= _MAX_REMEMBERED:
            self._remembered.clear()
        self._remembered[source_digest(document.source)] = why
        return why

    def _borrow(self) -> Worker | None:
        """A worker for this thread alone; None while processes do not start on this machine."""
        with self._free:
            while True:
                if self._closed:
                    raise Cancelled("the parse pool is closed")
                if self._idle:
                    return self._idle.pop()
                if self._failed_starts >= self._patience:
                    if time.monotonic() < self._again_at:
                        return None
                    self._failed_starts = self._patience - 1
                if len(self._alive) < self._n_workers:
                    return self._start()
                self._free.wait()

    def _start(self) -> Worker | None:
        if self._watchdog is None:
            watchdog = threading.Thread(target=self._watch, daemon=True)
            watchdog.start()
            self._watchdog = watchdog
        try:
            worker = Worker(self._memory_mb, self._waiting.set, with_texts=self._with_texts)
        except OSError:
            self._start_failed(self._patience)
            self._free.notify_all()
            return None
        self._alive.add(worker)
        self._n_started += 1
        return worker

    def _give_back(self, worker: Worker) -> None:
        with self._free:
            self._failed_starts, self._pause_s = 0, _AGAIN_S
            self._patience = _MAX_DEATHS_AT_START
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
                self._start_failed(1)
            self._free.notify()

    def _start_failed(self, count: int) -> None:
        """Give up for a while after too many in a row; what is short may be there again then."""
        self._failed_starts += count
        if self._failed_starts >= self._patience:
            log.warning("no parser process starts; files are searched as plain text for now")
            self._again_at = time.monotonic() + self._pause_s
            self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)

    def _watch(self) -> None:
        """Kill workers that are past their deadline; sleep while nobody waits for an answer."""
        watched: dict[Worker, _Watched] = {}
        while not self._closed:
            self._waiting.wait()
            self._waiting.clear()
            for worker in tuple(self._alive):
                deadline = worker.deadline
                if deadline is None:
                    continue
                self._waiting.set()
                before = watched.get(worker)
                if before is None or before.deadline != deadline:
                    watched[worker] = _Watched(deadline, worker.cpu_s)
                elif time.monotonic() > deadline and before.is_over(worker):
                    worker.timed_out = True
                    worker.kill()
            watched = {worker: seen for worker, seen in watched.items() if worker in self._alive}
            time.sleep(_WATCH_INTERVAL_S)


@dataclass(frozen=True, slots=True)
class _Watched:
    """One wait for an answer: when it should end, and the processor time used when it was seen."""

    deadline: float
    cpu_s: float | None

    def is_over(self, worker: Worker) -> bool:
        """Whether the worker had its time, on a machine that may be busy with other things."""
        cpu_s = worker.cpu_s
        if cpu_s is None or self.cpu_s is None:
            return True
        late_s = time.monotonic() - self.deadline
        return cpu_s - self.cpu_s > worker.limit_s / 2 or late_s > _PATIENCE * worker.limit_s


def _unparsed(document: Document) -> ParsedFile:
    """Windows made in this process, which is safe: no grammar is involved."""
    return windowed(document, NOT_STARTED)


def _emptied(document: Document, why: str) -> ParsedFile:
    language = windowed(Document(document.path, b"", document.language), why).language
    return ParsedFile(document.path, language, (), degraded=why)
