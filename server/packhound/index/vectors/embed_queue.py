"""Which node ids still need a vector, and how they get it: from memory, now, or in the pauses."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice
from typing import Protocol

import numpy as np

from packhound.core.arrays import Floats, Mask, NodeIds
from packhound.core.errors import ModelError
from packhound.index.diff import Arrival
from packhound.index.file_entry import FileEntry
from packhound.index.node_columns import NodeColumns
from packhound.index.vectors.embed_retry import RETRY_S, EmbedBatch, EmbedFailures
from packhound.index.vectors.quantization import Codes, quantized
from packhound.index.vectors.undo_cache import VectorCache
from packhound.parsing.analysed_file import NodeRuns
from packhound.storage.rows import PENDING

_SLOW_BATCH = 8
"""Texts a slow encoder gets at a time: some 0.3 s, then edits have their turn."""


class Encoder(Protocol):
    """What the index needs of an embedding model."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    @property
    def fast(self) -> bool:
        """Whether texts are encoded at once rather than in the pauses."""

    @property
    def reads_runs(self) -> bool:
        """Whether `encode_runs` may be called."""

    def encode(self, texts: Sequence[str]) -> Floats:
        """Rows [n, dim] of any length. Raises ModelError."""

    def encode_runs(self, nodes: NodeRuns) -> Floats:
        """Rows of all nodes. Raises ModelError."""


class VectorQueue:
    """Texts on their way to vectors. Nodes that the encoder fails at stay pending and counted."""

    def __init__(self, encoder: Encoder, retry_s: float = RETRY_S) -> None:
        self._encoder = encoder
        self._cache = VectorCache()
        self._waiting: dict[int, str] = {}
        self.failures = EmbedFailures(retry_s)

    @property
    def needs_texts(self) -> bool:
        """Whether the encoder reads texts alone."""
        return not self._encoder.reads_runs

    def add(self, columns: NodeColumns, arrivals: Sequence[Arrival], words: NodeRuns) -> None:
        """See to the node ids of `arrivals` that have no vector yet; `words` are those of all."""
        if not arrivals:
            return
        missing = np.concatenate([self._missing(columns, arrival) for arrival in arrivals])
        node_ids = np.concatenate([arrival.node_ids for arrival in arrivals])
        reads_runs = self._encoder.reads_runs
        every = chain.from_iterable(arrival.file.texts for arrival in arrivals)
        batch = EmbedBatch(node_ids, words if reads_runs else [*every]).select(missing)
        self.failures.discard(batch.node_ids)
        if reads_runs or self._encoder.fast:
            self._encode(columns, batch)
        else:
            assert not isinstance(batch.texts, NodeRuns)
            self._waiting.update(zip(batch.node_ids.tolist(), batch.texts, strict=True))

    def _missing(self, columns: NodeColumns, arrival: Arrival) -> Mask:
        """Which of the nodes need a vector that is not remembered; the others get theirs."""
        missing: Mask = columns.vector_state[arrival.node_ids] == PENDING
        known: dict[int, Codes] = {}
        for position in np.flatnonzero(missing).tolist():
            code = self._cache.get(arrival.file.node_digests[position])
            if code is not None:
                known[position] = code
        if known:
            found = np.array([*known])
            columns.attach(arrival.node_ids[found], np.stack([*known.values()]))
            missing[found] = False
        return missing

    def encode_some(self, columns: NodeColumns) -> bool:
        """Encode a few of the texts that wait, or retry failed ones; False when nothing is due."""
        batch = dict(islice(self._waiting.items(), _SLOW_BATCH))
        if not batch:
            return self._retry(columns)
        for node_id in batch:
            del self._waiting[node_id]
        self._encode(columns, EmbedBatch(np.array([*batch], np.int32), [*batch.values()]))
        return True

    def forget(self, columns: NodeColumns, entry: FileEntry, node_ids: NodeIds) -> None:
        """Node ids of a file have died: remember their vectors for an undo."""
        there = node_ids[columns.vector_state[node_ids] != PENDING]
        for node_id in there.tolist():
            position = int(np.flatnonzero(entry.node_ids == node_id)[0])
            self._cache.put(entry.node_digest(position), columns.codes.code(node_id))
        for node_id in node_ids.tolist():
            self._waiting.pop(node_id, None)
        self.failures.discard(node_ids)

    def renumber(self, new_node_ids: NodeIds) -> None:
        """Node ids were numbered anew."""
        self._waiting = {
            int(new_node_ids[node_id]): text for node_id, text in self._waiting.items()
        }
        self.failures.renumber(new_node_ids)

    def _encode(self, columns: NodeColumns, batch: EmbedBatch) -> None:
        error = self._attempt(columns, batch)
        if error:
            self.failures.add(batch, error)

    def _retry(self, columns: NodeColumns) -> bool:
        """Try failed batches again; True if any node got its vector."""
        before = self.failures.n_nodes
        for batch in self.failures.take_due():
            self._isolate(columns, batch)
        self.failures.settle()
        return self.failures.n_nodes < before

    def _isolate(self, columns: NodeColumns, batch: EmbedBatch) -> None:
        """Encode a batch by halves, so that one bad text does not keep others from a vector."""
        halves = batch.halves()
        errors = [self._attempt(columns, half) for half in halves]
        for half, error in zip(halves, errors, strict=True):
            if error and (len(half) == 1 or all(errors)):
                self.failures.add(half, error)  # An encoder that always fails is asked twice.
            elif error:
                self._isolate(columns, half)

    def _attempt(self, columns: NodeColumns, batch: EmbedBatch) -> ModelError | None:
        """Encode a batch and attach its vectors, or return the error."""
        if not len(batch):
            return None
        try:
            if isinstance(batch.texts, NodeRuns):
                rows = self._encoder.encode_runs(batch.texts)
            else:
                rows = self._encoder.encode(batch.texts)
        except ModelError as error:
            return error
        columns.attach(batch.node_ids, quantized(rows))
        return None
