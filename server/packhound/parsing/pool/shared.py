"""Parser processes that all folders of this process share, so that their number does not grow."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from packhound.core.errors import Cancelled
from packhound.core.types import Document
from packhound.parsing.analysed_file import AnalysedFile
from packhound.parsing.extractors import NO_EXTRACTORS, Extractors
from packhound.parsing.pool.pool import ParsePool


@dataclass(frozen=True, slots=True)
class _Kind:
    """Pools of one kind are one: an edit must not wait for the files of another folder."""

    is_for_edits: bool
    n_workers: int
    with_texts: bool
    extractors: Extractors


class SharedPool:
    """One folder's part in a pool, whose processes end when the last part is closed."""

    def __init__(
        self,
        n_workers: int,
        *,
        is_for_edits: bool = False,
        with_texts: bool = True,
        extractors: Extractors = NO_EXTRACTORS,
    ) -> None:
        """`is_for_edits` is a pool of the documents that editors show; see `ParsePool`."""
        self._kind = _Kind(is_for_edits, n_workers, with_texts, extractors)
        self._closed = threading.Event()
        with _LOCK:
            if self._kind not in _POOLS:
                pool = ParsePool(n_workers, with_texts=with_texts, extractors=extractors)
                _POOLS[self._kind] = pool, []
            self._pool, parts = _POOLS[self._kind]
            parts.append(self)

    @property
    def n_started(self) -> int:
        """Number of processes started so far."""
        return self._pool.n_started

    def start(self, at_most: int | None = None) -> None:
        """Start all processes, or some, so that the first documents need not wait for them."""
        self._pool.start(at_most)

    def parse(
        self, document: Document, indexed: bytes = b"", *, is_open: bool = True
    ) -> AnalysedFile:
        """Analyse one document now, as `ParsePool.parse`. Raises Cancelled if this is closed."""
        if self._closed.is_set():
            raise Cancelled("the parse pool is closed")
        return self._pool.parse(document, indexed, is_open=is_open)

    def parse_many(self, documents: Iterable[Document]) -> Iterator[AnalysedFile]:
        """Analyse documents as they come, as `ParsePool.parse_many`.

        Raises Cancelled once this is closed.
        """
        return self._pool.parse_many(documents, self._closed)

    def parse_batches(self, documents: Iterable[Document]) -> Iterator[list[AnalysedFile]]:
        """Analyse documents as `ParsePool.parse_batches`; Cancelled as of `parse_many`."""
        return self._pool.parse_batches(documents, self._closed)

    def close(self) -> None:
        """Leave the pool; what this folder has parsed in it now is cancelled, or soon done."""
        self._closed.set()
        with _LOCK:
            _, parts = _POOLS.get(self._kind, (None, []))
            if self not in parts:
                return
            parts.remove(self)
            if parts:
                return
            del _POOLS[self._kind]
        self._pool.close()


_LOCK = threading.Lock()
_POOLS: dict[_Kind, tuple[ParsePool, list[SharedPool]]] = {}
