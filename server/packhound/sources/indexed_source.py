"""A source with the index of its records, brought up to date before each answer."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator

import numpy as np

from packhound.core.arrays import HalfFloats
from packhound.core.backoff import RetryBackoff
from packhound.core.errors import ModelError, StoreError
from packhound.core.log import log
from packhound.core.records import Record
from packhound.core.status import Rebuilt, SourceRow
from packhound.sources.protocol import Rescorer, Source, SourceFolder, TextEncoder
from packhound.sources.record_hits import with_state
from packhound.sources.record_index import RecordIndex
from packhound.sources.record_snapshot import RecordQuery, ScoredRecord

_EMBEDDED_AT_ONCE = 256
"""Records that the bundled encoder reads while a search waits: some 10 ms."""
_SHOWN_PROBLEMS = 2
"""Of what a source could not read, in the notes of an answer; the status has all."""
_SHORT = re.compile(r"commit:[0-9a-f]{7,39}")
_SLICE, _FAST_SLICE = 64, 2_000
"""Records that an encoder reads between two publications, a slow one and the bundled one."""
_RETRY_S, _MAX_RETRY_S = 5.0, 600.0
"""Pause before records are encoded again that an encoder failed at; it doubles."""


class IndexedSource:
    """Keeps the index of a source as new as the source. Any thread may call."""

    def __init__(self, source: Source, folder: SourceFolder) -> None:
        self.source, self._folder = source, folder
        self._vectors = folder.vectors
        self._index = RecordIndex()
        self._version: object = None
        self._snapshot = self._index.snapshot
        self._reused: object = None
        self._embedded: object = None
        self._problem = self._unencoded = ""
        self._retry = RetryBackoff(_RETRY_S, _MAX_RETRY_S)
        self._lock = threading.Lock()
        self._embedding: threading.Thread | None = None

    def search(
        self, query: RecordQuery, limit: int, rescore: Rescorer | None = None
    ) -> tuple[list[ScoredRecord], int, list[str]]:
        """Return the best records, the number of candidates, and notes on what is missing."""
        self.refresh()
        snapshot = self._snapshot
        depth = max(limit, rescore.depth) if rescore else limit
        query = query._replace(every=rescore is not None)
        scored, n_candidates = snapshot.search(query, depth, self.source.state)
        scored = rescore(scored, self.source)[:limit] if rescore else scored
        records = self.source.annotate([entry.record for entry in scored])
        scored = [
            entry._replace(record=record) for entry, record in zip(scored, records, strict=True)
        ]
        return scored, n_candidates, self._notes(snapshot.n_vectors, len(snapshot.rows))

    def record(self, reference: str) -> Record | None:
        """Return the record of a reference with its state, None if there is none.

        Of a commit the reference may be shorter, as git prints it.
        """
        self.refresh()
        records = [row.record for row in self._snapshot.rows]
        matches = [record for record in records if record.reference == reference]
        if not matches and _SHORT.fullmatch(reference):
            matches = [record for record in records if record.reference.startswith(reference)]
            matches = matches if len(matches) == 1 else []
        if not matches:
            return None
        [record] = self.source.annotate(matches[:1])
        return with_state(record, self.source.state(record))

    def refresh(self) -> None:
        """Read the source again if it changed, and encode what is new: later if that is slow."""
        with self._lock:
            try:
                version = self.source.version()
                if version != self._version:
                    self._index.update(self.source.records())
                    self._version = version
                self._problem = ""
            except (StoreError, OSError) as error:
                self._problem = f"{self.source.name}: {error}"
                log.warning("%s", self._problem)
            self._embed()
            self._snapshot = self._index.snapshot

    def rebuild(self, *, regenerate: bool) -> Rebuilt:
        """Index all records anew; their vectors are reused unless they are to be regenerated."""
        encoder = self._folder.embedder
        with self._lock:
            index, version = RecordIndex(), self.source.version()
            index.update(self.source.records())
            if encoder and not regenerate:
                self._reuse(index, encoder, self._index.vectors(encoder.fingerprint))
            n_regenerated = self._encode(index, encoder, sys.maxsize) if encoder else 0
            self._index, self._version, self._embedded = index, version, None
            self._snapshot = snapshot = index.snapshot
            n_reused = snapshot.n_vectors - n_regenerated
            return Rebuilt(self.source.name, len(snapshot.rows), n_reused, n_regenerated)

    def status(self) -> SourceRow:
        """Return the figures of the index as it is now."""
        snapshot = self._snapshot
        problems = (*self._problems, *self.source.problems())
        newest = float(snapshot.dates.max()) if len(snapshot.rows) else 0.0
        return SourceRow(self.source.name, len(snapshot.rows), snapshot.n_vectors, newest, problems)

    @property
    def _problems(self) -> Iterator[str]:
        """Reasons why the index is older than the source, and why records have no vector."""
        return filter(None, (self._problem, self._unencoded))

    def _notes(self, n_vectors: int, n_rows: int) -> list[str]:
        name, problems = self.source.name, self.source.problems()
        notes = [*self._problems]
        notes += [f"{name}: {problem}" for problem in problems[:_SHOWN_PROBLEMS]]
        if n_vectors < n_rows and self._folder.embedder is None:
            notes.append("semantic search unavailable: exact key or words only")
        elif n_vectors < n_rows:
            notes.append(f"{name}: {n_rows - n_vectors:,} are found by words alone yet")
        return notes

    def _embed(self) -> None:
        encoder, index = self._folder.embedder, self._index
        state = self._version, encoder and encoder.fingerprint
        if encoder is None or self._embedded == state or not self._retry.due:
            return
        if self._reused != state:
            self._reuse(index, encoder, {})
            self._reused = state
        if encoder.fast:
            self._try_encode(encoder, _EMBEDDED_AT_ONCE)
        if not index.pending(encoder.fingerprint):
            self._embedded = state
        elif self._embedding is None and self._retry.due:
            self._embedding = threading.Thread(
                target=self._embed_rest, args=(encoder,), name="packhound-records", daemon=True
            )
            self._embedding.start()

    def _embed_rest(self, encoder: TextEncoder) -> None:
        """Encode until every record has a vector; runs in a thread that ends then."""
        while True:
            with self._lock:
                n_encoded = self._try_encode(encoder, _FAST_SLICE if encoder.fast else _SLICE)
                self._snapshot = self._index.snapshot
                if not n_encoded:
                    self._embedding = None
                    return

    def _try_encode(self, encoder: TextEncoder, limit: int) -> int:
        """Encode records; after a failure, whatever it is, the next attempt waits."""
        try:
            n_encoded = self._encode(self._index, encoder, limit)
        except Exception as error:
            self._retry.fail()
            self._unencoded = f"{self.source.name}: {error}"
            log.warning("%s", self._unencoded, exc_info=not isinstance(error, ModelError))
            return 0
        self._retry.reset()
        self._unencoded = ""
        return n_encoded

    def _encode(self, index: RecordIndex, encoder: TextEncoder, limit: int) -> int:
        """Encode records that lack a vector; return how many. Raises ModelError."""
        rows = index.embed(encoder, limit)
        if self._vectors:
            on_disk = (row for row in rows if self.source.is_on_disk(row.record))
            vectors = {r.digest: r.vector.tobytes() for r in on_disk if r.vector is not None}
            self._vectors.put(encoder.fingerprint, vectors)
        return len(rows)

    def _reuse(
        self, index: RecordIndex, encoder: TextEncoder, vectors: dict[bytes, HalfFloats]
    ) -> None:
        """Give an index some vectors, and those that earlier processes made."""
        model = encoder.fingerprint
        if self._vectors:
            missing = {row.digest for row in index.pending(model)} - vectors.keys()
            saved = self._vectors.get(model, missing)
            vectors = vectors | {d: np.frombuffer(row, np.float16) for d, row in saved.items()}
        index.reuse(model, vectors)
