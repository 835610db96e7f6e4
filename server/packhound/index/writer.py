"""The index while it is written: files come and go, and each `publish` makes a snapshot.

One thread writes; everyone else reads the snapshots. A node whose digest did not change keeps its
node id, and with it its terms and its vector. After any sequence of changes a snapshot equals that
of an index built anew from the same files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np

from packhound.core.types import FileStamp
from packhound.index.background_job import Background
from packhound.index.maintenance import Adopt, Health, due_job, health_of
from packhound.index.node_runs import joined
from packhound.index.snapshot import Snapshot
from packhound.index.state import IndexState
from packhound.index.vectors.embed_queue import Encoder, VectorQueue
from packhound.index.vectors.embed_retry import RETRY_S
from packhound.index.vectors.hnsw import GRAPH_FROM
from packhound.parsing.analysed_file import AnalysedFile
from packhound.storage.rows import Saved


class Index:
    """The one mutable thing. `encoder` None means search by words alone.

    `graph_from` is the number of vectors from which on neighbours are searched in a graph,
    `retry_s` the first pause before texts are encoded again that the encoder failed at.
    """

    def __init__(
        self,
        encoder: Encoder | None = None,
        *,
        graph_from: int = GRAPH_FROM,
        retry_s: float = RETRY_S,
    ) -> None:
        self._state = IndexState(encoder.dim if encoder else 0)
        self._queue = VectorQueue(encoder, retry_s) if encoder else None
        self._graph_from = graph_from
        self._upkeep: Background[Adopt] = Background()
        self._changed = False
        self._snapshot = self._state.view(generation=0)

    @property
    def snapshot(self) -> Snapshot:
        """The last one published."""
        return self._snapshot

    @property
    def needs_texts(self) -> bool:
        """Whether files must come with the texts of their nodes, because runs do not suffice."""
        return self._queue is not None and self._queue.needs_texts

    def known(self, path: str) -> bytes:
        """Joined digests of the nodes of a file whose words will not be looked at again."""
        return self._state.known(path)

    def replace(
        self, files: Iterable[AnalysedFile], stamps: Mapping[str, FileStamp | None]
    ) -> None:
        """Put these files in place of what the index has at their paths.

        A path that `stamps` lacks, or has None for, is the text of an open editor.
        """
        arrivals = self._state.arrivals(files)
        words = joined([arrival.file.words for arrival in arrivals])
        before = [self._state.files.get(arrival.path) for arrival in arrivals]
        self._changed = self._changed or bool(arrivals)
        self._state.put(arrivals, words, stamps)
        if self._queue:
            for arrival, entry in zip(arrivals, before, strict=True):
                if entry is not None:
                    self._queue.forget(self._state.columns, entry, arrival.gone)
            self._queue.add(self._state.columns, arrivals, words)

    def remove(self, paths: Iterable[str]) -> None:
        """Take files out; unknown paths are ignored."""
        for path in paths:
            entry = self._state.files.get(path)
            if entry is not None:
                self._changed = True
                self._state.drop(entry)
                if self._queue:
                    self._queue.forget(self._state.columns, entry, entry.node_ids)

    def publish(self) -> Snapshot:
        """Make all changes so far visible, as the next generation."""
        if self._changed:
            self._state.merge_quickly()
            self._bury_in_graph()
            self._snapshot = self._state.view(self._snapshot.generation + 1)
            self._changed = False
        return self._snapshot

    def restore(self, saved: Saved) -> Snapshot:
        """Go on from a saved generation; only for an index that nothing was put into yet.

        Files that still waited for vectors come back with a stamp that no file has, so that
        they are read again and their texts are at hand.
        """
        self._state.restore(saved)
        self._snapshot = self._state.view(saved.generation)
        return self._snapshot

    def embed_some(self) -> bool:
        """Encode a few of the texts that wait for a vector; False when none does."""
        if self._queue is None or not self._queue.encode_some(self._state.columns):
            return False
        self._changed = True
        return True

    @property
    def embed_retry_s(self) -> float | None:
        """Seconds until `embed_some` tries failed texts again; None where nothing failed."""
        return self._queue.failures.retry_s if self._queue else None

    def maintain(self) -> bool:
        """Take over what upkeep has done in the background, or begin what is due.

        Returns whether there is something to publish. `on_upkeep` says when to call again.
        """
        if self._upkeep.done:
            return self._adopt(self._upkeep.take())
        if not self._upkeep.busy and not self._changed:
            job = due_job(self._state, self._snapshot, self._graph_from)
            if job is not None:
                self._upkeep.start(job)
        return False

    def merge(self) -> None:
        """Make one segment of all; takes some 0.3 s for 40,000 nodes."""
        if not self._upkeep.busy and self._state.merge():
            self._changed = True

    @property
    def upkeep_done(self) -> bool:
        """Whether `maintain` has a result to take over."""
        return self._upkeep.done

    def on_upkeep(self, call: Callable[[], None]) -> None:
        """Have `call` called, in another thread, whenever `maintain` has a result to take over."""
        self._upkeep.on_done = call

    def close(self) -> None:
        """End what runs in the background; nothing may be called after."""
        self._upkeep.close()

    def health(self) -> Health:
        """How well the published snapshot is kept."""
        health = health_of(self._snapshot, self._state.graph, self._graph_from)
        n_failed = self._queue.failures.n_nodes if self._queue else 0
        if not n_failed or not self._queue:
            return health
        note = (
            f"indexed {health.vectors:,} of {self._snapshot.n_nodes:,} nodes by meaning;"
            f" {n_failed:,} failed: {self._queue.failures.reason}"
        )
        return replace(health, notes=(*health.notes, note))

    def _adopt(self, adopt: Adopt | None) -> bool:
        self._state.merge_floor = 0
        if adopt is None:
            return False
        followed = adopt(self._state)
        if followed is not None and self._queue:
            self._queue.renumber(followed)
        self._changed = True
        return True

    def _bury_in_graph(self) -> None:
        """Node ids that died since the last publication leave the graph's answers."""
        graph, before = self._state.graph, self._snapshot
        if graph is None or before.epoch != self._state.columns.epoch:
            return
        died = before.live & ~self._state.columns.live[: before.n_node_ids]
        if died.any():
            graph.bury(np.flatnonzero(died).astype(np.int32))
