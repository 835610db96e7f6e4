"""One pass over files that differ from the index: read, parse in other processes, put in."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Collection, Container, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from packhound.core.status import LOCK_FILE, why_in_part
from packhound.core.trace import traced
from packhound.core.types import Document, FileStamp
from packhound.files import is_lock_file, read, why_unread
from packhound.index import FileEntry, Index
from packhound.indexing.folder_scan import Differences
from packhound.indexing.reading_order import ReadingOrder
from packhound.indexing.timing import Timing
from packhound.parsing import AnalysedFile, SharedPool, source_digest

if TYPE_CHECKING:
    from packhound.team import Parsers

_BATCH_NODES = 2_048
"""Nodes that are put into the index at once: some 0.1 s, in which the parsers go on, and few
enough that what waits takes little memory."""

_CHECKED_AT_ONCE = 32
"""Files that are read and hashed between two edits: a few milliseconds."""

_SEEK_POLL_S = 0.01

_MANY_FILES = 64
"""Files that are worth reading in the order in which they are asked for."""


class IndexingPass:
    """Pass over a list of differences; `parse_next` until it returns False."""

    def __init__(
        self,
        root: Path,
        differences: Differences,
        pool: Parsers,
        first_pool: SharedPool,
        max_bytes: int,
        cancelled: threading.Event,
        timing: Timing,
        files: Mapping[str, FileEntry],
        near: Collection[str] = (),
    ) -> None:
        """`files` are those of the index: one whose text is the same is not parsed again.

        Reading begins around the files `near`; `first_pool` parses what is asked for meanwhile.
        """
        self._root = root
        self._files = files
        self._pool, self._first_pool = pool, first_pool
        self._max_bytes = max_bytes
        self._stamps: dict[str, FileStamp | None] = {}
        self.unread: dict[str, str] = {}
        """Files that are not indexed, and why: "" for those that were read, or have gone."""
        self._removed = deque(path for path, exists in differences.items() if not exists)
        self._batch: list[AnalysedFile] = []
        self._batch_nodes = 0
        self._started = time.monotonic()
        self._first_publish_s = timing.first_publish_s
        self._longest_publish_s = timing.save_while_reading_s
        self._publish_at = self._started + timing.first_publish_s
        paths = [path for path, exists in differences.items() if exists]
        self.n_files = len(paths)
        """Number of files to read."""
        self._cancelled = cancelled
        self._unchecked = [path for path in paths if path in files]
        self._has_many = len(paths) - len(self._unchecked) >= _MANY_FILES
        self._order = ReadingOrder(root, [path for path in paths if path not in files], near)
        self._batches: Iterator[list[AnalysedFile]] | None = None
        self._analysed = deque[AnalysedFile]()
        self._same: dict[str, FileStamp | None] = {}
        self.n_parsed = self.n_published = self._n_same = 0

    @property
    def n_pending(self) -> int:
        """Number of files not yet parsed, 1 until the last ones are published."""
        return 1 if self._cancelled.is_set() else max(1, self.n_files - self._n_read)

    @property
    def _n_read(self) -> int:
        return self.n_parsed + self._n_same

    def parse_next(self) -> bool:
        """Take the next parsed file if there is one; return False after the last, or if cancelled.

        Edits are not kept waiting by a large file: a tenth of a second is the most.
        """
        if self._cancelled.is_set():
            return False
        if self._unchecked:
            self._check_some()
            return True
        if self._batches is None:
            is_all_same = self._n_same == self.n_files
            self._batches = iter(()) if is_all_same else self._pool.parse_batches(self._documents())
        if not self.n_parsed and self._order.is_seeking and not self._order.has_first:
            time.sleep(_SEEK_POLL_S)  # The other parsers start meanwhile; nothing waits for them.
            return True
        if self._take(self._parse_asked()):
            return True
        if not self._analysed:
            batch = next(self._batches, None)
            if batch is None:
                # What is asked for while the last files are parsed is left to this thread.
                return self._take(self._parse_asked())
            self._analysed.extend(batch)
        if self._analysed:
            self._take(self._analysed.popleft())
        return True

    def _take(self, analysed: AnalysedFile | None) -> bool:
        """Add a file to the batch; return False if there is none."""
        if analysed is None:
            return False
        if (why := why_in_part(analysed.degraded)) and not self.unread.get(analysed.path):
            self.unread[analysed.path] = why  # Of a lock file even grep reads only a part.
        self._batch.append(analysed)
        self._batch_nodes += len(analysed.node_digests)
        self.n_parsed += 1
        self._mark_parsed(analysed.path)
        return True

    def read_first(self, text: str, near: Collection[str]) -> None:
        """Read first what a text names, and what is around files; returns at once."""
        if self._has_many:
            self._order.ask(text, near)
            if self._order.is_seeking:
                name = "packhound-reading-order"
                threading.Thread(target=self._order.seek, name=name, daemon=True).start()

    @property
    def is_seeking(self) -> bool:
        """Return True until the files that may define what was asked for are published."""
        return not self._cancelled.is_set() and self._order.is_awaited

    @property
    def batch_full(self) -> bool:
        """Return True if enough was parsed to be put into the index."""
        return self._batch_nodes >= _BATCH_NODES

    @property
    def publish_due(self) -> bool:
        """Return True if what was read should become visible before the pass is over."""
        return self._n_read > self.n_published and time.monotonic() >= self._publish_at

    def mark_published(self) -> None:
        """Set the time of the next publication."""
        now = time.monotonic()
        self.n_published = self._n_read
        self._order.mark_published()
        elapsed_s = min(now - self._started, self._longest_publish_s)
        self._publish_at = now + max(self._first_publish_s, elapsed_s)

    def flush(self, index: Index, open_paths: Container[str]) -> None:
        """Put the batch into the index, except documents that an editor has opened meanwhile."""
        batch = [file for file in self._batch if file.path not in open_paths]
        # Not put aside as a whole: the thread that reads may be adding to it.
        gone = [self._removed.popleft() for _ in range(len(self._removed))]
        removed = [path for path in gone if path not in open_paths]
        self._batch, self._batch_nodes = [], 0
        index.replace(batch, {file.path: self._stamps[file.path] for file in batch})
        index.remove(removed)
        index.restamp({path: stamp for path, stamp in self._same.items() if path not in open_paths})
        self._same = {}

    def _check_some(self) -> None:
        """Find those of the next files whose text the index has: only their stamps are new."""
        for path in self._unchecked[:_CHECKED_AT_ONCE]:
            document = read(self._root, path, self._max_bytes)
            if document and self._files[path].is_of(source_digest(document.source)):
                self._same[path] = document.stamp
                self._n_same += 1
            else:
                self._order.add(path)
        del self._unchecked[:_CHECKED_AT_ONCE]

    def _parse_asked(self) -> AnalysedFile | None:
        """Parse a file that was asked for, if there is one."""
        while (path := self._order.take_asked()) is not None:
            if document := self._read(path):
                return self._first_pool.parse(document, is_open=False)
        return None

    def _mark_parsed(self, path: str) -> None:
        """Have what was read become visible once nothing is left that somebody waits for."""
        if self._order.mark_parsed(path):
            self._publish_at = time.monotonic()

    def _documents(self) -> Iterator[Document]:
        for path in self._order:
            if document := self._read(path):
                yield document

    @traced("read")
    def _read(self, path: str) -> Document | None:
        document = read(self._root, path, self._max_bytes)
        if document:
            self.unread[path] = LOCK_FILE if is_lock_file(path) else ""
        else:
            self.unread[path] = why_unread(self._root, path, self._max_bytes)
        if document is None:
            self._removed.append(path)
            self._mark_parsed(path)
        else:
            self._stamps[path] = document.stamp
        return document
