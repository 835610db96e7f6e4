"""Which node ids still need a vector, and how they get it: from memory, now, or in the pauses."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from itertools import chain, compress, islice
from typing import Protocol

import numpy as np

from packhound.core.arrays import Floats, Mask, NodeIds
from packhound.core.errors import ModelError
from packhound.index.diff import Arrival
from packhound.index.file_entry import FileEntry
from packhound.index.node_columns import NodeColumns
from packhound.index.node_runs import only
from packhound.index.vectors.quantization import Codes, quantized
from packhound.index.vectors.undo_cache import VectorCache
from packhound.parsing.analysed_file import NodeRuns
from packhound.storage.rows import PENDING

log = logging.getLogger("packhound")

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
    """Texts on their way to vectors."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._cache = VectorCache()
        self._waiting: dict[int, str] = {}

    @property
    def needs_texts(self) -> bool:
        """Whether the encoder reads texts alone."""
        return not self._encoder.reads_runs

    def add(self, columns: NodeColumns, arrivals: Sequence[Arrival], words: NodeRuns) -> None:
        """See to the node ids of `arrivals` that have no vector yet; `words` are those of all."""
        if not arrivals:
            return
        missing = np.concatenate([self._missing(columns, arrival) for arrival in arrivals])
        node_ids = np.concatenate([arrival.node_ids for arrival in arrivals])[missing].tolist()
        if self._encoder.reads_runs:
            self._attach(columns, node_ids, lambda: self._encoder.encode_runs(only(words, missing)))
            return
        every = chain.from_iterable(arrival.file.texts for arrival in arrivals)
        texts = [*compress(every, missing.tolist())]
        if self._encoder.fast:
            self._attach(columns, node_ids, lambda: self._encoder.encode(texts))
        else:
            self._waiting.update(zip(node_ids, texts, strict=True))

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
        """Encode a few of the texts that wait; False when none does."""
        batch = dict(islice(self._waiting.items(), _SLOW_BATCH))
        self._attach(columns, [*batch], lambda: self._encoder.encode([*batch.values()]))
        for node_id in batch:
            del self._waiting[node_id]
        return bool(batch)

    def forget(self, columns: NodeColumns, entry: FileEntry, node_ids: NodeIds) -> None:
        """Node ids of a file have died: remember their vectors for an undo."""
        there = node_ids[columns.vector_state[node_ids] != PENDING]
        for node_id in there.tolist():
            position = int(np.flatnonzero(entry.node_ids == node_id)[0])
            self._cache.put(entry.node_digest(position), columns.codes.code(node_id))
        for node_id in node_ids.tolist():
            self._waiting.pop(node_id, None)

    def renumber(self, new_node_ids: NodeIds) -> None:
        """Node ids were numbered anew."""
        self._waiting = {
            int(new_node_ids[node_id]): text for node_id, text in self._waiting.items()
        }

    def _attach(
        self, columns: NodeColumns, node_ids: list[int], encode: Callable[[], Floats]
    ) -> None:
        if not node_ids:
            return
        try:
            rows = encode()
        except ModelError as error:
            log.warning("texts go without a vector: %s", error)
            rows = np.zeros((len(node_ids), columns.dim), np.float32)
        columns.attach(np.array(node_ids, np.int32), quantized(rows))
