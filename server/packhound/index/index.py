"""The index while it is written: files come and go, and each `publish` makes a snapshot.

One thread writes; everyone else reads the snapshots. A node whose digest did not change keeps its
label, and with it its terms and its vector. After any sequence of changes a snapshot equals that
of an index built anew from the same files.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Protocol

import numpy as np

from packhound.analysed import AnalysedFile
from packhound.errors import ModelError
from packhound.index.arrivals import Arrival, arrive
from packhound.index.entries import FileEntry
from packhound.index.grid import Rows, unit_rows
from packhound.index.labels import PENDING, LabelColumns, restored
from packhound.index.postings import Postings
from packhound.index.rows import Saved
from packhound.index.segment import Labels, Segment, build
from packhound.index.snapshot import Snapshot
from packhound.index.tiers import QUICK, merged_run, run_to_merge
from packhound.index.vector_cache import VectorCache
from packhound.types import FileStamp

log = logging.getLogger("packhound")

_SLOW_BATCH = 8
"""Texts a slow encoder gets at a time: some 0.3 s, then edits have their turn."""


_UNREAD = FileStamp(-1, -1, -1, -1)


class Encoder(Protocol):
    """What the index needs of an embedding model."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    @property
    def fast(self) -> bool:
        """Whether texts are encoded at once rather than in the pauses."""

    def encode(self, texts: Sequence[str]) -> Rows:
        """Unit rows [n, dim]. Raises ModelError."""


class Index:
    """The one mutable thing. `encoder` None means search by words alone."""

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = encoder
        self._columns = LabelColumns(encoder.dim if encoder else 0)
        self._segments: list[Segment] = []
        self._files: dict[str, FileEntry] = {}
        self._paths: list[str] = []
        self._file_ids: dict[str, int] = {}
        self._cache = VectorCache()
        self._waiting: dict[int, str] = {}
        self._changed = False
        self._snapshot = self._view(generation=0)

    @property
    def snapshot(self) -> Snapshot:
        """The last one published."""
        return self._snapshot

    def replace(
        self, files: Iterable[AnalysedFile], stamps: Mapping[str, FileStamp | None]
    ) -> None:
        """Put these files in place of what the index has at their paths.

        A path that `stamps` lacks, or has None for, is the text of an open editor.
        """
        newest = {file.parsed.path: file for file in files}
        first = len(self._columns)
        arrivals: list[Arrival] = []
        for path, file in newest.items():
            arrival = arrive(file, self._files.get(path), first)
            arrivals.append(arrival)
            first += len(arrival.fresh)
        self._add_labels(arrivals)
        for arrival in arrivals:
            self._settle(arrival, stamps.get(arrival.file.parsed.path))
        self._embed(arrivals)
        self._changed = self._changed or bool(arrivals)

    def remove(self, paths: Iterable[str]) -> None:
        """Take files out; unknown paths are ignored."""
        for path in paths:
            entry = self._files.pop(path, None)
            if entry is not None:
                self._bury(entry.labels, entry)
                self._changed = True

    def publish(self) -> Snapshot:
        """Make all changes so far visible, as the next generation."""
        if self._changed:
            self._snapshot = self._view(self._snapshot.generation + 1)
            self._changed = False
        return self._snapshot

    def restore(self, saved: Saved) -> Snapshot:
        """Go on from a saved generation; only for an index that nothing was put into yet.

        Files that still waited for vectors come back with a stamp that no file has, so that
        they are read again and their texts are at hand.
        """
        self._columns = restored(saved, self._columns.dim)
        self._segments = list(saved.segments)
        self._files = {entry.path: self._as_saved(entry) for entry in saved.files}
        self._paths[:] = [""] * saved.n_file_ids
        for entry in saved.files:
            self._paths[entry.file_id] = entry.path
            self._file_ids[entry.path] = entry.file_id
        self._snapshot = self._view(saved.generation)
        return self._snapshot

    def embed_some(self) -> bool:
        """Encode a few of the texts that wait for a vector; False when none does."""
        batch = dict(islice(self._waiting.items(), _SLOW_BATCH))
        if not batch:
            return False
        self._attach(list(batch), list(batch.values()))
        for label in batch:
            del self._waiting[label]
        return True

    def _add_labels(self, arrivals: Sequence[Arrival]) -> None:
        base, parts = len(self._columns), []
        for arrival in arrivals:
            if len(arrival.fresh):
                local = np.where(arrival.labels >= base, arrival.labels - base, -1)
                parts.append((arrival.file.terms, local.astype(np.int32)))
        nodes = [arrival.file.parsed.nodes[i] for arrival in arrivals for i in arrival.fresh]
        if not nodes:
            return
        owners = [self._file_id(arrival.file.parsed.path) for arrival in arrivals]
        file_ids = np.repeat(owners, [len(arrival.fresh) for arrival in arrivals])
        segment, lengths = build(base, parts, len(nodes))
        self._segments.append(segment)
        self._columns.add(nodes, file_ids.astype(np.int32), lengths)

    def _file_id(self, path: str) -> int:
        file_id = self._file_ids.get(path)
        if file_id is None:
            file_id = self._file_ids[path] = len(self._paths)
            self._paths.append(path)
        return file_id

    def _settle(self, arrival: Arrival, stamp: FileStamp | None) -> None:
        path = arrival.file.parsed.path
        before = self._files.get(path)
        if before is not None:
            self._bury(arrival.gone, before)
        self._files[path] = arrival.entry(self._file_id(path), stamp)

    def _bury(self, labels: Labels, entry: FileEntry) -> None:
        """Let labels of a file die, but keep their vectors for an undo."""
        state = self._columns.vector_state
        for label in labels[state[labels] != PENDING].tolist():
            position = int(np.flatnonzero(entry.labels == label)[0])
            self._cache.put(entry.node_digest(position), self._columns.rows.row(label))
        for label in labels.tolist():
            self._waiting.pop(label, None)
        self._columns.kill(labels)

    def _embed(self, arrivals: Sequence[Arrival]) -> None:
        """Vectors for all labels without one: remembered, made now, or made in the pauses."""
        if self._encoder is None:
            return
        labels, texts = [], []
        known: list[int] = []
        rows: list[Rows] = []
        state = self._columns.vector_state
        for arrival in arrivals:
            for position in np.flatnonzero(state[arrival.labels] == PENDING).tolist():
                label = int(arrival.labels[position])
                row = self._cache.get(arrival.file.node_digests[position])
                if row is not None:
                    known.append(label)
                    rows.append(row)
                else:
                    labels.append(label)
                    texts.append(arrival.file.texts[position])
        if known:
            self._columns.attach(np.array(known, np.int32), np.stack(rows))
        if self._encoder.fast:
            self._attach(labels, texts)
        else:
            self._waiting.update(zip(labels, texts, strict=True))

    def _attach(self, labels: list[int], texts: list[str]) -> None:
        if not labels or self._encoder is None:
            return
        try:
            rows = self._encoder.encode(texts)
        except ModelError as error:
            log.warning("texts go without a vector: %s", error)
            rows = np.zeros((len(texts), self._columns.dim), np.float32)
        self._columns.attach(np.array(labels, np.int32), unit_rows(rows))
        self._changed = True

    def _view(self, generation: int) -> Snapshot:
        self._merge_quickly()
        columns = self._columns
        columns.live.flags.writeable = False
        lengths = columns.lengths.view()
        return Snapshot(
            generation=generation,
            epoch=columns.epoch,
            files=dict(self._files),
            live=columns.live,
            n_nodes=columns.n_live,
            file_of=columns.file_of.view(),
            kind_of=columns.kind_of.view(),
            name_of=columns.name_of.view(),
            tail_of=columns.tail_of.view(),
            name_table=columns.names,
            lengths=tuple(lengths[:, i] for i in range(lengths.shape[1])),
            totals=tuple(columns.totals.tolist()),
            paths=self._paths,
            n_file_ids=len(self._paths),
            terms=Postings(tuple(self._segments), columns.live),
            vectors=columns.vectors(None),
        )

    def _as_saved(self, entry: FileEntry) -> FileEntry:
        pending = self._columns.vector_state[entry.labels] == PENDING
        if self._encoder is None or not pending.any():
            return entry
        return replace(entry, stamp=_UNREAD)

    def _merge_quickly(self) -> None:
        while (run := run_to_merge(self._segments)) is not None:
            here = slice(*run)
            if sum(segment.n_postings for segment in self._segments[here]) > QUICK:
                return
            self._segments[here] = [merged_run(self._segments[here], self._columns.live)]
