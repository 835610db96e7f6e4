"""The reading of a folder from a store, beside the parsers: whoever gets to a file first.

Nobody waits for the store. Until it has said what it has, files go to the parsers; so do those for
which it is too slow, and all once it fails. A few of its files are parsed too, and compared.
"""

from __future__ import annotations

import logging
import queue
import random
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar
from uuid import UUID

from packhound.core.backoff import RetryBackoff
from packhound.core.errors import StoreError
from packhound.core.types import Document
from packhound.parsing import AnalysedFile
from packhound.redact import visible_line
from packhound.team.row import decode_row, key_of

if TYPE_CHECKING:
    from packhound.team.store import Store

log = logging.getLogger("packhound")

Item = TypeVar("Item")

_BATCH, _BACKLOG = 64, 512
"""Files that are asked for at once, and that may wait for that; more go to the parsers."""
_PATIENCE_S = 1.0
"""Time without an answer after which the parsers get what waits for one."""
_FIRST_RETRY_S, _LAST_RETRY_S = 5.0, 300.0
_POLL_S = 0.02
_RESULT_S = 0.1


class Parsers(Protocol):
    """Part of a pool that reads many files."""

    def parse_batches(self, documents: Iterator[Document]) -> Iterator[list[AnalysedFile]]:
        """Analyse documents as they come, in order of completion. Raises Cancelled."""


class StoredFiles:
    """Files of a store that are of the repositories of one folder's remotes.

    The store has `head_start_s` to say what it has before files go to the parsers, which start
    meanwhile. `checked` is the share of its files that is parsed here too, and compared.
    """

    def __init__(self, url: str, root: Path, head_start_s: float, *, checked: float = 0.02) -> None:
        self.url, self.root, self.head_start_s, self.checked = url, root, head_start_s, checked
        # Which takes as long as a first scan.
        threading.Thread(target=_load, name="packhound-team", daemon=True).start()
        self._backoff = RetryBackoff(_FIRST_RETRY_S, _LAST_RETRY_S)
        self.problem = ""
        """Why the store is not read at present, in one sentence."""
        self.n_read = self.n_bytes = 0
        """Files read from the store so far, and their compressed size."""

    def beside(self, parsers: Parsers) -> Parsers:
        """Return parsers that leave to the store what it has, unless it failed just now."""
        return _Parsers(self, parsers) if self._backoff.due else parsers

    def succeed(self) -> None:
        """Note that the store has answered."""
        self._backoff.reset()
        self.problem = ""

    def fail(self, problem: str) -> None:
        """Note why the store is not asked again for a while."""
        self._backoff.fail()
        self.problem = f"the team's store is not read: {visible_line(problem)}"
        log.warning("%s: %s", self.root, self.problem)


def _load() -> None:
    """Import the library of the database."""
    with suppress(StoreError):
        import packhound.team.store  # noqa: F401


class _Parsers(NamedTuple):
    """Parsers of one reading that leave to the store what it has."""

    stored: StoredFiles
    parsers: Parsers

    def parse_batches(self, documents: Iterator[Document]) -> Iterator[list[AnalysedFile]]:
        """Analyse documents as `Parsers.parse_batches`."""
        return _Run(self.stored, documents).results(self.parsers)


class _Run:
    """One reading: a thread takes results from the parsers, another one from the store."""

    def __init__(self, stored: StoredFiles, documents: Iterator[Document]) -> None:
        self._stored, self._documents = stored, documents
        self._known: Mapping[bytes, UUID] = {}
        self._asked: queue.Queue[tuple[Document, UUID]] = queue.Queue(_BACKLOG)
        self._results: queue.Queue[AnalysedFile | BaseException | None] = queue.Queue(_BACKLOG)
        self._lock = threading.Lock()
        self._in_flight: list[tuple[Document, UUID]] = []
        self._is_giving = False
        self._returned: queue.Queue[Document] = queue.Queue()
        self._doubted: dict[str, AnalysedFile] = {}
        self._has_answered, self._over = threading.Event(), threading.Event()

    def results(self, parsers: Parsers) -> Iterator[list[AnalysedFile]]:
        """Yield the files of both, in order of completion; none where a while has brought none."""
        for work in (self._read_store, lambda: self._parse(parsers)):
            threading.Thread(target=work, name="packhound-team", daemon=True).start()
        try:
            while (result := self._next_result()) is not None:
                if isinstance(result, BaseException):
                    raise result
                yield result
        finally:
            self._over.set()

    def _next_result(self) -> list[AnalysedFile] | BaseException | None:
        try:
            result = self._results.get(timeout=_RESULT_S)
        except queue.Empty:
            return []
        return [result] if isinstance(result, AnalysedFile) else result

    def _parse(self, parsers: Parsers) -> None:
        try:
            for file in chain.from_iterable(parsers.parse_batches(self._left_to_parsers())):
                self._compare(file)
                if not self._put(self._results, file):
                    return
        except BaseException as error:
            self._put(self._results, error)
        self._put(self._results, None)

    def _left_to_parsers(self) -> Iterator[Document]:
        """Yield what the store does not have, then what it does not give."""
        self._has_answered.wait(self._stored.head_start_s)
        for document in self._documents:
            if not self._leave_to_store(document):
                yield document
            while not self._returned.empty():
                yield self._returned.get()
        since, n_before = time.monotonic(), -1
        while not self._over.is_set():
            with self._lock:
                is_done = not (self._is_giving or self._in_flight) and self._asked.empty()
            if self._is_giving or self._stored.n_read != n_before:
                since, n_before = time.monotonic(), self._stored.n_read
            elif time.monotonic() - since > _PATIENCE_S:
                self._take_back()
            while not self._returned.empty():
                is_done = False
                yield self._returned.get()
            if is_done:
                return
            time.sleep(_POLL_S)

    def _leave_to_store(self, document: Document) -> bool:
        if not self._known or document.is_large:
            return False
        file = self._known.get(key_of(document.path, document.source))
        if file is None:
            return False
        try:
            self._asked.put((document, file), timeout=_PATIENCE_S)
        except queue.Full:
            return False
        return True

    def _take_back(self) -> None:
        """Return to the parsers all that the store was asked for and has not given."""
        with self._lock:
            waiting, self._in_flight, self._known = self._in_flight, [], {}
            while not self._asked.empty():
                waiting.append(self._asked.get())
        for document, _ in waiting:
            self._returned.put(document)

    def _read_store(self) -> None:
        try:
            # Raise where psycopg is not installed.
            from packhound.team.remote import repositories_of
            from packhound.team.store import Store

            if names := repositories_of(self._stored.root):
                with Store.open(self._stored.url) as store:
                    self._known = store.known_keys(names)
                    self._stored.succeed()
                    self._has_answered.set()
                    while self._known and not self._over.is_set():
                        self._read_batch(store)
        except StoreError as problem:
            self._stored.fail(str(problem))
        finally:
            self._has_answered.set()
            self._take_back()

    def _read_batch(self, store: Store) -> None:
        with self._lock:
            while len(self._in_flight) < _BATCH and not self._asked.empty():
                self._in_flight.append(self._asked.get())
            batch = self._in_flight
        if not batch:
            time.sleep(_POLL_S)
            return
        rows = store.analyses([file for _, file in batch])
        files = {doc.path: decode_row(rows.get(file, b""), doc) for doc, file in batch}
        with self._lock:
            if self._in_flight is not batch:
                raise StoreError(f"it took longer than {_PATIENCE_S:g} s")
            self._is_giving, self._in_flight = True, []
        self._stored.n_read += len(batch)
        self._stored.n_bytes += sum(map(len, rows.values()))
        for document, _ in batch:
            file = files[document.path]
            if file is not None and random.random() >= self._stored.checked:
                self._put(self._results, file)
                continue
            if file is not None:
                self._doubted[document.path] = file
            self._returned.put(document)
        with self._lock:
            self._is_giving = False

    def _compare(self, file: AnalysedFile) -> None:
        """Leave a store that has another reading of a file than the parsers."""
        stored = self._doubted.pop(file.path, None)
        if stored is not None and not file.degraded and stored != replace(file, texts=()):
            self._stored.fail(f"its reading of '{file.path}' is not what parsing gives")
            self._take_back()

    def _put(self, to: queue.Queue[Item], item: Item) -> bool:
        """Put an item for the consumer; return False once it has stopped."""
        while not self._over.is_set():
            try:
                to.put(item, timeout=0.1)
            except queue.Full:
                continue
            return True
        return False
