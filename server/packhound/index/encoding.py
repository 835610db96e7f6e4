"""Which labels still need a vector, and how they get it: from memory, now, or in the pauses."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import islice
from typing import Protocol

import numpy as np

from packhound.errors import ModelError
from packhound.index.arrivals import Arrival
from packhound.index.entries import FileEntry, Labels
from packhound.index.labels import LabelColumns
from packhound.index.quantized import Codes, Rows, quantized
from packhound.index.rows import PENDING
from packhound.index.vector_cache import VectorCache

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

    def encode(self, texts: Sequence[str]) -> Rows:
        """Rows [n, dim] of any length. Raises ModelError."""


class VectorQueue:
    """Texts on their way to vectors."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._cache = VectorCache()
        self._waiting: dict[int, str] = {}

    def add(self, columns: LabelColumns, arrivals: Sequence[Arrival]) -> None:
        """See to the labels of `arrivals` that have no vector yet."""
        labels, texts = [], []
        known: list[tuple[int, Codes]] = []
        for arrival in arrivals:
            pending = columns.vector_state[arrival.labels] == PENDING
            for position in np.flatnonzero(pending).tolist():
                label = int(arrival.labels[position])
                code = self._cache.get(arrival.file.node_digests[position])
                if code is not None:
                    known.append((label, code))
                else:
                    labels.append(label)
                    texts.append(arrival.file.texts[position])
        if known:
            found = np.array([label for label, _ in known], np.int32)
            columns.attach(found, np.stack([code for _, code in known]))
        if self._encoder.fast:
            self._attach(columns, labels, texts)
        else:
            self._waiting.update(zip(labels, texts, strict=True))

    def encode_some(self, columns: LabelColumns) -> bool:
        """Encode a few of the texts that wait; False when none does."""
        batch = dict(islice(self._waiting.items(), _SLOW_BATCH))
        self._attach(columns, list(batch), list(batch.values()))
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

    def _attach(self, columns: LabelColumns, labels: list[int], texts: list[str]) -> None:
        if not labels:
            return
        try:
            rows = self._encoder.encode(texts)
        except ModelError as error:
            log.warning("texts go without a vector: %s", error)
            rows = np.zeros((len(texts), columns.dim), np.float32)
        columns.attach(np.array(labels, np.int32), quantized(rows))
