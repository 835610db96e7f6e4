"""The index while it is written: files come and go, and each `publish` makes a snapshot.

One thread writes; everyone else reads the snapshots. A node whose digest did not change keeps its
node id, and with it its terms and its vector. After any sequence of changes a snapshot equals that
of an index built anew from the same files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np

from packhound.core.trace import traced
from packhound.core.types import FileStamp
from packhound.index.background_job import BackgroundJob
from packhound.index.blocks import Saved
from packhound.index.maintenance import Adopt, Health, Limits, due_job, health_of
from packhound.index.snapshot import Snapshot
from packhound.index.state import IndexState
from packhound.index.vectors.embed_queue import Encoder, VectorQueue
from packhound.index.vectors.embed_retry import RETRY_S
from packhound.parsing import AnalysedFile, concatenate_runs


class Index:
    """The mutable index. Without an `encoder` it has no vectors.

    `limits` decide when maintenance begins, `retry_s` is the first pause before texts are encoded
    again that the encoder failed at.
    """

    def __init__(
        self,
        encoder: Encoder | None = None,
        *,
        limits: Limits | None = None,
        retry_s: float = RETRY_S,
    ) -> None:
        self._limits = limits or Limits()
        self._state = IndexState(encoder.dim if encoder else 0, self._limits.merge_policy)
        self._queue = VectorQueue(encoder, retry_s) if encoder else None
        self._maintenance: BackgroundJob[Adopt] = BackgroundJob()
        self._maintenance_reason = ""
        self._changed = self._is_encoding = False
        self._snapshot = self._state.view(generation=0)

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot published last."""
        return self._snapshot

    @property
    def needs_texts(self) -> bool:
        """True if files must come with the texts of their nodes, because runs do not suffice."""
        return self._queue is not None and self._queue.needs_texts

    def complete_digests(self, path: str) -> bytes:
        """Return the joined digests of the nodes of a file that may come without their words."""
        return self._state.complete_digests(path)

    @traced("postings")
    def replace(
        self, files: Iterable[AnalysedFile], stamps: Mapping[str, FileStamp | None]
    ) -> None:
        """Put these files in place of what the index has at their paths.

        A path that `stamps` lacks, or has None for, is the text of an open editor.
        """
        diffs = self._state.diff(files)
        words = concatenate_runs([diff.file.words for diff in diffs])
        before = [self._state.files.get(diff.path) for diff in diffs]
        self._changed = self._changed or bool(diffs)
        self._state.apply(diffs, words, stamps)
        if self._queue:
            for diff, entry in zip(diffs, before, strict=True):
                if entry is not None:
                    self._queue.forget(self._state.columns, entry, diff.removed)
            self._queue.add(self._state.columns, diffs, words)

    def restamp(self, stamps: Mapping[str, FileStamp | None]) -> None:
        """Note that files have the same text under other stamps."""
        self._changed = self._changed or bool(stamps)
        self._state.restamp(stamps)

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files; unknown paths are ignored."""
        for path in paths:
            entry = self._state.files.get(path)
            if entry is not None:
                self._changed = True
                self._state.drop(entry)
                if self._queue:
                    self._queue.forget(self._state.columns, entry, entry.node_ids)

    @traced("publish")
    def publish(self) -> Snapshot:
        """Make all changes so far visible, as the next generation."""
        if self._changed:
            self._state.merge_inline()
            self._follow_with_graph()
            self._snapshot = self._state.view(self._snapshot.generation + 1)
            self._changed = self._is_encoding = False
        return self._snapshot

    def restore(self, saved: Saved) -> Snapshot:
        """Go on from a saved generation; only for an empty index.

        Files that lack vectors come back with a stamp that no file has, so that they are read
        again with their texts.
        """
        self._state.restore(saved)
        self._snapshot = self._state.view(saved.generation)
        return self._snapshot

    @classmethod
    def fork(cls, snapshot: Snapshot, encoder: Encoder | None) -> Index:
        """Return an index that goes on from a snapshot of another one, which never sees it."""
        index = cls(encoder)
        index._state.fork(snapshot)
        index._snapshot = index._state.view(snapshot.generation)
        return index

    def embed_some(self) -> bool:
        """Encode a few of the pending texts; return False when none is pending."""
        if self._queue is None:
            return False
        self._is_encoding = self._queue.n_pending > 0
        if not self._queue.encode_some(self._state.columns):
            return False
        self._changed = True
        return True

    @property
    def n_unencoded(self) -> int:
        """Number of nodes whose vectors are still to come; 0 once the last is published."""
        n_pending = self._queue.n_pending if self._queue else 0
        return n_pending or int(self._is_encoding)

    @property
    def embed_retry_s(self) -> float | None:
        """Seconds until `embed_some` tries failed texts again; None where nothing failed."""
        return self._queue.failures.retry_s if self._queue else None

    def set_graph_threshold(self, graph_from: int) -> None:
        """Search in a graph from so many vectors on, never if it is 0; `maintain` follows."""
        self._limits = replace(self._limits, graph_from=graph_from)

    def maintain(self) -> bool:
        """Adopt the result of maintenance in the background, or start what is due.

        Returns True if there is something to publish. `on_maintenance` tells when to call again.
        """
        if self._maintenance.done:
            return self.adopt(self._maintenance.take())
        if not self._maintenance.busy and not self._changed:
            job = due_job(self._state, self._snapshot, self._limits)
            if job is not None:
                self._maintenance_reason = job.reason
                self._maintenance.start(job.run)
        return False

    def adopt(self, adopt: Adopt | None) -> bool:
        """Take over the result of a maintenance job; None, of one that failed, changes nothing."""
        self._state.merge_floor = 0
        if adopt is None:
            return False
        new_node_ids = adopt(self._state)
        if new_node_ids is not None and self._queue:
            self._queue.renumber(new_node_ids)
        self._changed = True
        return True

    def merge(self) -> None:
        """Merge all segments into one; takes some 0.3 s for 40,000 nodes."""
        if not self._maintenance.busy and self._state.merge_all():
            self._changed = True

    @property
    def maintenance_running(self) -> bool:
        """True while maintenance runs in the background or has a result to adopt."""
        return self._maintenance.busy

    @property
    def maintenance_done(self) -> bool:
        """True if `maintain` has a result to adopt."""
        return self._maintenance.done

    def on_maintenance(self, call: Callable[[], None]) -> None:
        """Call `call`, in another thread, whenever `maintain` has a result to adopt."""
        self._maintenance.on_done = call

    def close(self) -> None:
        """Stop the maintenance that runs; nothing may be called after."""
        self._maintenance.close()

    @property
    def n_failed(self) -> int:
        """Number of nodes without a vector because the encoder failed."""
        return self._queue.failures.n_nodes if self._queue else 0

    @property
    def failure(self) -> str:
        """Reason why nodes have no vector; "" where the encoder failed at none."""
        return self._queue.failures.reason if self._queue and self.n_failed else ""

    def health(self) -> Health:
        """Return the health of the published snapshot."""
        health = health_of(self._snapshot, self._state.graph, self._limits)
        notes = health.notes
        if self.maintenance_running and self._maintenance_reason:
            notes += (self._maintenance_reason,)
        if self.n_failed:
            notes += (
                f"indexed {health.vectors:,} of {self._snapshot.n_nodes:,} nodes by meaning;"
                f" {self.n_failed:,} failed: {self.failure}",
            )
        return replace(health, notes=notes)

    def _follow_with_graph(self) -> None:
        """Take what died since the last publication out of the graph, and add what came.

        While a job runs, which may be extending the graph, nothing is added.
        """
        state, before = self._state, self._snapshot
        if state.graph is None:
            return
        if before.epoch == state.columns.epoch:
            died = before.live & ~state.columns.live[: before.n_node_ids]
            state.graph.delete(np.flatnonzero(died).astype(np.int32))
        vectors = state.columns.vectors(None)
        missing = state.graph.lacks(vectors.usable)
        if len(missing) <= self._limits.max_tail and not self._maintenance.busy:
            state.graph = state.graph.extend(vectors, missing)
