"""Which labels still need a vector, and how they get it: from memory, now, or in the pauses."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from itertools import chain, compress, islice
from typing import Protocol

import numpy as np

from packhound.core.errors import ModelError
from packhound.index.diff import Arrival
from packhound.index.file_entry import FileEntry, Labels
from packhound.index.node_columns import LabelColumns
from packhound.index.node_runs import only
from packhound.index.vectors.exact import Mask
from packhound.index.vectors.quantization import Codes, Rows, quantized
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

    def encode(self, texts: Sequence[str]) -> Rows:
        """Rows [n, dim] of any length. Raises ModelError."""

    def encode_runs(self, nodes: NodeRuns) -> Rows:
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

    def add(self, columns: LabelColumns, arrivals: Sequence[Arrival], words: NodeRuns) -> None:
        """See to the labels of `arrivals` that have no vector yet; `words` are those of all."""
        if not arrivals:
            return
        missing = np.concatenate([self._missing(columns, arrival) for arrival in arrivals])
        labels = np.concatenate([arrival.labels for arrival in arrivals])[missing].tolist()
        if self._encoder.reads_runs:
            self._attach(columns, labels, lambda: self._encoder.encode_runs(only(words, missing)))
            return
        every = chain.from_iterable(arrival.file.texts for arrival in arrivals)
        texts = [*compress(every, missing.tolist())]
        if self._encoder.fast:
            self._attach(columns, labels, lambda: self._encoder.encode(texts))
        else:
            self._waiting.update(zip(labels, texts, strict=True))

    def _missing(self, columns: LabelColumns, arrival: Arrival) -> Mask:
        """Which of the nodes need a vector that is not remembered; the others get theirs."""
        missing: Mask = columns.vector_state[arrival.labels] == PENDING
        known: dict[int, Codes] = {}
        for position in np.flatnonzero(missing).tolist():
            code = self._cache.get(arrival.file.node_digests[position])
            if code is not None:
                known[position] = code
        if known:
            found = np.array([*known])
            columns.attach(arrival.labels[found], np.stack([*known.values()]))
            missing[found] = False
        return missing

    def encode_some(self, columns: LabelColumns) -> bool:
        """Encode a few of the texts that wait; False when none does."""
        batch = dict(islice(self._waiting.items(), _SLOW_BATCH))
        self._attach(columns, [*batch], lambda: self._encoder.encode([*batch.values()]))
        for label in batch:
            del self._waiting[label]
        return bool(batch)

    def forget(self, columns: LabelColumns, entry: FileEntry, labels: Labels) -> None:
        """Labels of a file have died: remember their vectors for an undo."""
        there = labels[columns.vector_state[labels] != PENDING]
        for label in there.tolist():
            position = int(np.flatnonzero(entry.labels == label)[0])
            self._cache.put(entry.node_digest(position), columns.codes.code(label))
        for label in labels.tolist():
            self._waiting.pop(label, None)

    def renumber(self, new_labels: Labels) -> None:
        """Labels were numbered anew."""
        self._waiting = {int(new_labels[label]): text for label, text in self._waiting.items()}

    def _attach(self, columns: LabelColumns, labels: list[int], encode: Callable[[], Rows]) -> None:
        if not labels:
            return
        try:
            rows = encode()
        except ModelError as error:
            log.warning("texts go without a vector: %s", error)
            rows = np.zeros((len(labels), columns.dim), np.float32)
        columns.attach(np.array(labels, np.int32), quantized(rows))
