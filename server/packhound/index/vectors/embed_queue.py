"""Give node ids their vectors: from the undo cache, at once, or in the pauses between edits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice
from typing import Protocol

import numpy as np

from packhound.core.arrays import Floats, Mask, NodeIds
from packhound.core.caching import ByteLru
from packhound.core.errors import ModelError
from packhound.core.trace import traced
from packhound.index.blocks import PENDING
from packhound.index.diff import FileDiff
from packhound.index.file_entry import FileEntry
from packhound.index.node_columns import NodeColumns
from packhound.index.vectors.embed_retry import RETRY_S, EmbedBatch, EmbedFailures
from packhound.index.vectors.quantization import Codes, quantize
from packhound.parsing import NodeRuns

_SLOW_BATCH = 8
"""Texts a slow encoder gets at a time: some 0.3 s, then edits have their turn."""

_UNDO_NODES = 8_192
"""Dead nodes whose vectors are cached, so that an undo or a branch switched back encodes nothing:
2 MB at 256 dimensions."""


class Encoder(Protocol):
    """Interface of an embedding model."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    @property
    def fast(self) -> bool:
        """True if texts are encoded at once rather than in the pauses."""

    @property
    def reads_runs(self) -> bool:
        """True if `encode_runs` may be called."""

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return rows [n, dim] of any length. Raises ModelError."""

    def encode_runs(self, nodes: NodeRuns) -> Floats:
        """Return a row for each node. Raises ModelError."""


class VectorQueue:
    """Queue of texts to encode. Nodes that the encoder fails at stay pending and counted."""

    def __init__(self, encoder: Encoder, retry_s: float = RETRY_S) -> None:
        self._encoder = encoder
        self._undo: ByteLru[bytes, Codes] = ByteLru(
            _UNDO_NODES * encoder.dim, lambda code: code.nbytes
        )
        self._pending: dict[int, str] = {}
        self.failures = EmbedFailures(retry_s)

    @property
    def needs_texts(self) -> bool:
        """True if the encoder reads texts alone."""
        return not self._encoder.reads_runs

    def add(self, columns: NodeColumns, diffs: Sequence[FileDiff], words: NodeRuns) -> None:
        """Encode or enqueue the nodes of `diffs` that have no vector; `words` are those of all."""
        if not diffs:
            return
        missing = np.concatenate([self._attach_cached(columns, diff) for diff in diffs])
        node_ids = np.concatenate([diff.node_ids for diff in diffs])
        reads_runs = self._encoder.reads_runs
        texts = chain.from_iterable(diff.file.texts for diff in diffs)
        batch = EmbedBatch(node_ids, words if reads_runs else [*texts]).select(missing)
        self.failures.discard(batch.node_ids)
        if reads_runs or self._encoder.fast:
            self._encode(columns, batch)
        else:
            assert not isinstance(batch.texts, NodeRuns)
            self._pending.update(zip(batch.node_ids.tolist(), batch.texts, strict=True))

    def _attach_cached(self, columns: NodeColumns, diff: FileDiff) -> Mask:
        """Attach the cached vectors of a file; return the mask of its nodes that still lack one."""
        missing: Mask = columns.vector_state[diff.node_ids] == PENDING
        cached: dict[int, Codes] = {}
        for position in np.flatnonzero(missing).tolist():
            code = self._undo.get(diff.file.node_digests[position])
            if code is not None:
                cached[position] = code
        if cached:
            positions = np.array([*cached])
            columns.attach(diff.node_ids[positions], np.stack([*cached.values()]))
            missing[positions] = False
        return missing

    def encode_some(self, columns: NodeColumns) -> bool:
        """Encode a few pending texts, or retry failed ones; return False when nothing is due."""
        batch = dict(islice(self._pending.items(), _SLOW_BATCH))
        if not batch:
            return self._retry(columns)
        self._encode(columns, EmbedBatch(np.array([*batch], np.int32), [*batch.values()]))
        for node_id in batch:
            del self._pending[node_id]
        return True

    @property
    def n_pending(self) -> int:
        """Number of nodes that wait for their vector; those that failed are not among them."""
        return len(self._pending)

    def forget(self, columns: NodeColumns, entry: FileEntry, node_ids: NodeIds) -> None:
        """Drop node ids of a file that died, and cache their vectors for an undo."""
        encoded = node_ids[columns.vector_state[node_ids] != PENDING]
        codes: dict[bytes, Codes] = {}
        for node_id in encoded.tolist():
            position = int(np.flatnonzero(entry.node_ids == node_id)[0])
            codes[entry.node_digest(position)] = columns.codes.code(node_id).copy()
        self._undo.put(codes)
        for node_id in node_ids.tolist():
            self._pending.pop(node_id, None)
        self.failures.discard(node_ids)

    def renumber(self, new_node_ids: NodeIds) -> None:
        """Follow node ids that a compaction has renumbered."""
        self._pending = {
            int(new_node_ids[node_id]): text for node_id, text in self._pending.items()
        }
        self.failures.renumber(new_node_ids)

    @traced("vectors")
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
        columns.attach(batch.node_ids, quantize(rows))
        return None
