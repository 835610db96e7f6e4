"""Nodes whose encoding failed: kept with their texts, counted, and tried again with backoff."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from packhound.core.arrays import Mask, NodeIds
from packhound.core.backoff import RetryBackoff
from packhound.core.errors import ModelError
from packhound.parsing import NodeRuns, select_nodes

log = logging.getLogger("packhound")

RETRY_S, _MAX_RETRY_S = 5.0, 600.0
"""Pause before failed texts are tried again; it doubles up to the second."""


@dataclass(frozen=True, slots=True, eq=False)
class EmbedBatch:
    """Nodes to encode, and the text of each as a string or as runs."""

    node_ids: NodeIds
    texts: Sequence[str] | NodeRuns

    def __len__(self) -> int:
        return len(self.node_ids)

    def select(self, mask: Mask) -> EmbedBatch:
        """Return the batch of the nodes where `mask` is True."""
        if isinstance(self.texts, NodeRuns):
            return EmbedBatch(self.node_ids[mask], select_nodes(self.texts, mask))
        return EmbedBatch(self.node_ids[mask], [*compress(self.texts, mask.tolist())])

    def halves(self) -> list[EmbedBatch]:
        """Return the batch in two parts, or itself where it is of one node."""
        first = np.arange(len(self)) < len(self) // 2
        return [self.select(first), self.select(~first)] if len(self) > 1 else [self]


class EmbedFailures:
    """Batches that an encoder failed at. One thread changes them, any may read the counts."""

    def __init__(self, retry_s: float = RETRY_S) -> None:
        self._batches: tuple[EmbedBatch, ...] = ()
        self._backoff = RetryBackoff(retry_s, _MAX_RETRY_S)
        self.reason = ""
        """Message of the last failure."""

    @property
    def n_nodes(self) -> int:
        """Number of nodes that have no vector because of failures."""
        return sum(map(len, self._batches))

    @property
    def retry_s(self) -> float | None:
        """Seconds to the next attempt; None where nothing failed."""
        return self._backoff.remaining_s if self._batches else None

    def add(self, batch: EmbedBatch, error: ModelError) -> None:
        """Keep a batch for the next attempt."""
        if not self._backoff.failures:
            log.warning("nodes have no vector: %s", error)
        self._batches += (batch,)
        self.reason = str(error)
        if self._backoff.due:
            self._backoff.fail()

    def take_due(self) -> Sequence[EmbedBatch]:
        """Remove and return the failed batches if it is time to try them again."""
        if not self._batches or not self._backoff.due:
            return ()
        batches, self._batches = self._batches, ()
        return batches

    def settle(self) -> None:
        """Reset the backoff if nothing failed at the last attempt."""
        if not self._batches:
            self._backoff.reset()

    def discard(self, node_ids: NodeIds) -> None:
        """Forget nodes that died or are encoded anew."""
        if self._batches:
            selected = (batch.select(~np.isin(batch.node_ids, node_ids)) for batch in self._batches)
            self._batches = tuple(batch for batch in selected if len(batch))

    def renumber(self, new_node_ids: NodeIds) -> None:
        """Follow node ids that a compaction has numbered anew."""
        self._batches = tuple(
            EmbedBatch(new_node_ids[batch.node_ids], batch.texts) for batch in self._batches
        )
