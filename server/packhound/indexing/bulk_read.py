"""One pass over files that differ from the index: read, parse in other processes, collect."""

from __future__ import annotations

import time
from collections.abc import Container, Iterator, Sequence
from pathlib import Path

from packhound.core.types import Document, FileStamp
from packhound.files.reader import read
from packhound.index.writer import Index
from packhound.parsing.analysed_file import AnalysedFile
from packhound.parsing.pool.pool import ParsePool

_FIRST_PUBLISH_S = 1.0
"""How long a pass may run before what it has so far is published; the wait doubles each time."""

_BATCH_NODES = 2_048
"""Nodes that are put into the index at once: some 0.1 s, in which the parsers go on, and few
enough that what waits takes little memory."""


class Reading:
    """The pass; `step` until it says that it is over."""

    def __init__(
        self,
        root: Path,
        paths: Sequence[str],
        gone: Sequence[str],
        pool: ParsePool,
        max_bytes: int,
    ) -> None:
        self._root = root
        self._max_bytes = max_bytes
        self._stamps: dict[str, FileStamp | None] = {}
        self._gone = list(gone)
        self._batch: list[AnalysedFile] = []
        self._n_nodes = 0
        self._publish_at = time.monotonic() + _FIRST_PUBLISH_S
        self._started = time.monotonic()
        self._analysed = pool.parse_many(self._documents(paths))
        self.paths = frozenset(paths)
        self.collected = 0

    def step(self) -> bool:
        """Take the next parsed file; False when there is none left."""
        analysed = next(self._analysed, None)
        if analysed is None:
            return False
        self._batch.append(analysed)
        self._n_nodes += len(analysed.node_digests)
        self.collected += 1
        return True

    @property
    def full(self) -> bool:
        """Whether enough was collected to be put into the index."""
        return self._n_nodes >= _BATCH_NODES

    @property
    def due(self) -> bool:
        """Whether what was read should become visible before the pass is over."""
        return time.monotonic() >= self._publish_at

    def published(self) -> None:
        """What was read so far has become visible."""
        now = time.monotonic()
        self._publish_at = now + max(_FIRST_PUBLISH_S, now - self._started)

    def flush(self, index: Index, open_paths: Container[str]) -> None:
        """Put what was collected into the index, but nothing that an editor has open by now."""
        batch = [file for file in self._batch if file.path not in open_paths]
        gone = [path for path in self._gone if path not in open_paths]
        self._batch, self._gone, self._n_nodes = [], [], 0
        index.replace(batch, {file.path: self._stamps[file.path] for file in batch})
        index.remove(gone)

    def _documents(self, paths: Sequence[str]) -> Iterator[Document]:
        for path in paths:
            document = read(self._root, path, self._max_bytes)
            if document is None:
                self._gone.append(path)
            else:
                self._stamps[path] = document.stamp
                yield document
