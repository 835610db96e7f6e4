"""Work of the indexing thread as typed tasks, in order of urgency; thread-safe.

Newest text per path wins: a document that an editor has open stands above its file until it is
released. Whatever is waited for (`settled`, `caught_up`, `flush`) is decided here, under one lock.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TypeAlias

from packhound.core.status import Reading
from packhound.core.types import Document
from packhound.files import decode
from packhound.indexing.bulk_read import IndexingPass
from packhound.indexing.folder_scan import Differences, FolderScan

_MOST_PATHS = 250
"""Changed files that are looked at one by one, in some 50 ms in which no edit is taken; of more the
whole folder is walked, in slices."""
_MAX_ASKED_FOR = 16
"""Texts of the last questions that are remembered until the folder was walked over."""


@dataclass(frozen=True, slots=True)
class Edits:
    """Newest texts of open documents by path; None where the file on disk counts again."""

    documents: Mapping[str, Document | None]
    sequence: int
    """Number of submissions that are in the index once these edits are."""


@dataclass(frozen=True, slots=True)
class Rescan:
    """Request to compare the whole folder with the index."""

    cancelled: Event


@dataclass(frozen=True, slots=True)
class NamedPaths:
    """Files or folders that may have changed on disk."""

    paths: tuple[str, ...]
    cancelled: Event


@dataclass(frozen=True, slots=True)
class DifferenceList:
    """Files to read or to drop."""

    differences: Differences
    cancelled: Event


@dataclass(frozen=True, slots=True, eq=False)
class Flush:
    """Request to save the index now; `done` is set when that was tried."""

    done: Event = field(default_factory=Event)


Task: TypeAlias = "Edits | Rescan | FolderScan | IndexingPass | NamedPaths | DifferenceList | Flush"


class WorkQueue:
    """Tasks for one consumer, from any number of producers.

    A scan and a pass are done in slices: `take` returns them again until `finish`, so that edits
    come between two slices.
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._open: dict[str, Document] = {}
        self._edits: dict[str, Document | None] = {}
        self._paths: dict[str, bool] = {}
        """Paths to look at, and whether their texts on disk may be others than in the index."""
        self._differences: Differences = {}
        self._flushes: list[Flush] = []
        self._rescan = True
        self._n_listed = self._n_in_flight = self._n_looked_at = 0
        self._is_listed = False
        self._seen_at = 0.0
        self._scan: FolderScan | None = None
        self._pass: IndexingPass | None = None
        self._asked_for: deque[tuple[str, Collection[str]]] = deque(maxlen=_MAX_ASKED_FOR)
        self._cancelled = Event()
        self._submitted = self._applied = 0
        self._in_flight = False
        self.closed = False

    # For producers.

    def update(self, document: Document) -> None:
        """Submit the text of an open document; it is decoded as that of a file is."""
        document = replace(document, source=decode(document.path, document.source))
        with self._condition:
            self._open[document.path] = document
            self._submit(document.path, document)

    def release(self, path: str) -> None:
        """Submit that the editor has closed a document: its file counts again."""
        with self._condition:
            self._open.pop(path, None)
            self._paths.setdefault(path, False)  # Its stamp is read later, with those of others.
            self._submit(path, None)

    def refresh(self, paths: Iterable[str] | None = None) -> None:
        """Compare files or folders, None for everything, with the disk again."""
        with self._condition:
            if paths is None:
                self._rescan = True
            else:
                self._paths.update(dict.fromkeys(paths, True))
            if len(self._paths) > _MOST_PATHS:
                self._rescan, self._is_listed = True, False
                self._paths.clear()
            self._condition.notify_all()

    def read_first(self, text: str, near: Collection[str] = ()) -> None:
        """Have files read first that a text names or that are around `near`; returns at once."""
        with self._condition:
            is_listing = self._rescan or self._scan or (self._in_flight and not self._is_listed)
            if self._pass:
                self._pass.read_first(text, near)
            elif is_listing or self._differences or self._n_in_flight:
                self._asked_for.append((text, near))

    def cancel(self) -> None:
        """Give up everything about the disk until the next `refresh`; what was read stays."""
        with self._condition:
            self._cancelled.set()
            self._cancelled = Event()
            self._paths.clear()
            self._differences.clear()
            self._rescan, self._scan = False, None
            self._is_listed = False
            self._asked_for.clear()
            self._condition.notify_all()

    def flush(self, timeout_s: float | None = None) -> bool:
        """Wait until the index was saved, or could not be; False after `timeout_s`."""
        flush = Flush()
        with self._condition:
            if self.closed:
                return True
            self._flushes.append(flush)
            self._condition.notify_all()
        return flush.done.wait(timeout_s)

    def close(self) -> None:
        """Let all who wait go on, and the consumer end."""
        with self._condition:
            self.closed = True
            for flush in self._flushes:
                flush.done.set()
            self._condition.notify_all()

    def open_document(self, path: str) -> Document | None:
        """Return the document that an editor has open at `path`."""
        return self._open.get(path)

    @property
    def open_paths(self) -> Collection[str]:
        """Paths of the documents that an editor has open."""
        return self._open.keys()

    @property
    def open_documents(self) -> tuple[Document, ...]:
        """All documents that an editor has open."""
        with self._condition:
            return tuple(self._open.values())

    @property
    def pending(self) -> int:
        """Number of documents not yet in the published snapshot, as far as they are known."""
        with self._condition:
            queued = len(self._edits) + len(self._paths) + len(self._differences)
            scanning = int(self._rescan or self._scan is not None)
            unread = self._pass.n_pending if self._pass else 0
            return int(self._in_flight) + queued + scanning + unread

    @property
    def reading(self) -> Reading:
        """Files that can be found as they are on disk, of those that the last scan has listed."""
        with self._condition:
            n_listed = self._scan.n_seen if self._scan and not self._is_listed else self._n_listed
            n_unread = sum(self._differences.values()) + self._n_in_flight
            n_unread += _n_closed(self._paths, self._open) + self._n_looked_at
            if self._pass:
                n_unread += self._pass.n_files - self._pass.n_published
            n_files = max(n_listed, n_unread)
            return Reading(n_files - n_unread, n_files, self._is_listed)

    @property
    def unseen_s(self) -> float:
        """Seconds since the last whole look at the disk began; 0 before there was one."""
        return time.monotonic() - self._seen_at if self._seen_at else 0.0

    def settled(self, timeout_s: float | None = None) -> bool:
        """Wait until nothing is pending; False if that took longer than `timeout_s`."""
        with self._condition:
            return self._condition.wait_for(lambda: self.closed or not self.pending, timeout_s)

    def caught_up(self, timeout_s: float) -> bool:
        """Wait until all that was submitted before this call is published."""
        with self._condition:
            goal = self._submitted
            return self._condition.wait_for(lambda: self.closed or self._applied >= goal, timeout_s)

    def named_is_read(self, timeout_s: float) -> bool:
        """Wait until files that may define what was asked to be read first can be found.

        False after `timeout_s`, and at times later than what it waits for.
        """
        with self._condition:
            return self._condition.wait_for(
                lambda: (
                    self.closed or not (self._asked_for or (self._pass and self._pass.is_seeking))
                ),
                timeout_s,
            )

    # For the consumer.

    def take(self) -> Task | None:
        """Return the most urgent task, in flight until `task_done`; None where there is none."""
        with self._condition:
            task = self._next_task()
            self._in_flight = task is not None
            return task

    def task_done(self) -> None:
        """Note that the task in flight is over."""
        with self._condition:
            self._in_flight, self._n_in_flight, self._n_looked_at = False, 0, 0
            if not self.pending:
                self._asked_for.clear()
                self._condition.notify_all()

    def mark_applied(self, edits: Edits) -> None:
        """Note that edits are published."""
        with self._condition:
            self._applied = edits.sequence
            self._condition.notify_all()

    def start(self, task: FolderScan | IndexingPass, cancelled: Event) -> None:
        """Begin a task of several slices, unless it was cancelled meanwhile."""
        with self._condition:
            if isinstance(task, IndexingPass):
                self._pass, self._n_in_flight = task, 0
                for text, near in self._asked_for:
                    task.read_first(text, near)
                self._asked_for.clear()
            elif not cancelled.is_set():
                self._scan = task

    def finish(self, task: FolderScan | IndexingPass) -> None:
        """End a task of several slices."""
        with self._condition:
            if task is self._scan:
                self._scan = None
                self._n_listed, self._is_listed = task.n_seen, task.is_there
                self._seen_at = task.started
                if not self._differences:
                    self._asked_for.clear()
            elif task is self._pass:
                self._pass = None

    def add_differences(self, differences: Differences, cancelled: Event) -> int:
        """Add files to read or to drop, unless cancelled; return how many there are now."""
        with self._condition:
            if not cancelled.is_set():
                self._differences.update(differences)
            return len(self._differences)

    def resubmit_open(self) -> None:
        """Submit all open documents again, as what may be indexed can have changed."""
        with self._condition:
            self._edits = {**self._open, **self._edits}

    def reset(self, *, rescan: bool) -> None:
        """Forget the tasks in progress after a failure, and begin again with a scan if asked."""
        with self._condition:
            self._scan = self._pass = None
            self._in_flight, self._n_in_flight, self._n_looked_at = False, 0, 0
            self._rescan = rescan
            self._is_listed = False
            self._asked_for.clear()
            self._condition.notify_all()

    def wake(self) -> None:
        """Let the consumer look for work again."""
        with self._condition:
            self._condition.notify_all()

    def wait_for_work(self, until: Callable[[], bool], timeout_s: float | None) -> bool:
        """Sleep until there is a task, or `until()`; False after `timeout_s`."""
        with self._condition:
            return self._condition.wait_for(
                lambda: (
                    self.closed
                    or bool(self._edits or self._paths or self._rescan or self._flushes)
                    or until()
                ),
                timeout_s,
            )

    def wait_closed(self, timeout_s: float) -> bool:
        """Sleep until the queue is closed; False after `timeout_s`."""
        with self._condition:
            return self._condition.wait_for(lambda: self.closed, timeout_s)

    def _submit(self, path: str, document: Document | None) -> None:
        self._edits[path] = document
        self._submitted += 1
        self._condition.notify_all()

    def _next_task(self) -> Task | None:
        if self._edits:
            edits, self._edits = self._edits, {}
            return Edits(edits, self._submitted)
        if self._rescan:
            self._rescan = False
            return Rescan(self._cancelled)
        if self._scan or self._pass:
            return self._scan or self._pass
        if self._paths:
            paths, self._paths = self._paths, {}
            self._n_looked_at = _n_closed(paths, self._open)
            return NamedPaths(tuple(paths), self._cancelled)
        if self._differences:
            differences, self._differences = self._differences, {}
            self._n_in_flight = sum(differences.values())
            return DifferenceList(differences, self._cancelled)
        return self._flushes.pop(0) if self._flushes else None


def _n_closed(paths: Mapping[str, bool], open_paths: Container[str]) -> int:
    """Return how many texts may have changed on disk, but for those that an editor has open."""
    return sum(is_changed for path, is_changed in paths.items() if path not in open_paths)
