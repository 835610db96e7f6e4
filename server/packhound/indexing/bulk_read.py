"""One pass over files that differ from the index: read, parse in other processes, put in."""

from __future__ import annotations

import time
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from threading import Event

from packhound.core.types import Document, FileStamp
from packhound.files import read
from packhound.index import FileEntry, Index
from packhound.indexing.folder_scan import Differences
from packhound.parsing import AnalysedFile, ParsePool, source_digest

_BATCH_NODES = 2_048
"""Nodes that are put into the index at once: some 0.1 s, in which the parsers go on, and few
enough that what waits takes little memory."""

_CHECKED_AT_ONCE = 32
"""Files that are read and hashed between two edits: a few milliseconds."""


class IndexingPass:
    """Pass over a list of differences; `parse_next` until it returns False."""

    def __init__(
        self,
        root: Path,
        differences: Differences,
        pool: ParsePool,
        max_bytes: int,
        cancelled: Event,
        first_publish_s: float,
        files: Mapping[str, FileEntry],
    ) -> None:
        """`files` are those of the index: one whose text is the same is not parsed again."""
        self._root = root
        self._files = files
        self._pool = pool
        self._max_bytes = max_bytes
        self._stamps: dict[str, FileStamp | None] = {}
        self._removed = [path for path, exists in differences.items() if not exists]
        self._batch: list[AnalysedFile] = []
        self._batch_nodes = 0
        self._started = time.monotonic()
        self._first_publish_s = first_publish_s
        self._publish_at = self._started + first_publish_s
        # Neighbours share a grammar, so that not every process must load each of them.
        paths = sorted(
            (path for path, exists in differences.items() if exists),
            key=lambda path: path.rpartition(".")[2],
        )
        self._n_paths = len(paths)
        self._cancelled = cancelled
        self._unchecked = [path for path in paths if path in files]
        self._to_parse = [path for path in paths if path not in files]
        self._analysed: Iterator[AnalysedFile] | None = None
        self._same: dict[str, FileStamp | None] = {}
        self.n_parsed = self.n_published = self._n_same = 0

    @property
    def n_files(self) -> int:
        """Number of files to read."""
        return self._n_paths

    @property
    def n_pending(self) -> int:
        """Number of files not yet parsed, 1 until the last ones are published."""
        return 1 if self._cancelled.is_set() else max(1, self._n_paths - self._n_read)

    @property
    def _n_read(self) -> int:
        return self.n_parsed + self._n_same

    def parse_next(self) -> bool:
        """Take the next parsed file; return False when there is none left, or if cancelled."""
        if self._cancelled.is_set():
            return False
        if self._unchecked:
            self._check_some()
            return True
        if self._analysed is None:
            paths = self._to_parse
            self._analysed = self._pool.parse_many(self._documents(paths)) if paths else iter(())
        analysed = next(self._analysed, None)
        if analysed is None:
            return False
        self._batch.append(analysed)
        self._batch_nodes += len(analysed.node_digests)
        self.n_parsed += 1
        return True

    @property
    def batch_full(self) -> bool:
        """Return True if enough was parsed to be put into the index."""
        return self._batch_nodes >= _BATCH_NODES

    @property
    def publish_due(self) -> bool:
        """Return True if what was read should become visible before the pass is over."""
        return time.monotonic() >= self._publish_at

    def mark_published(self) -> None:
        """Set the time of the next publication."""
        now = time.monotonic()
        self.n_published = self._n_read
        self._publish_at = now + max(self._first_publish_s, now - self._started)

    def flush(self, index: Index, open_paths: Container[str]) -> None:
        """Put the batch into the index, except documents that an editor has opened meanwhile."""
        batch = [file for file in self._batch if file.path not in open_paths]
        removed = [path for path in self._removed if path not in open_paths]
        self._batch, self._removed, self._batch_nodes = [], [], 0
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
                self._to_parse.append(path)
        del self._unchecked[:_CHECKED_AT_ONCE]

    def _documents(self, paths: list[str]) -> Iterator[Document]:
        for path in paths:
            document = read(self._root, path, self._max_bytes)
            if document is None:
                self._removed.append(path)
            else:
                self._stamps[path] = document.stamp
                yield document
