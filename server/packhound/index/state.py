"""What the index holds while it is written: columns, segments and files, always consistent.

A step that fails leaves everything as it was before, or as it is after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np

from packhound.core.arrays import NodeIds
from packhound.core.types import FileStamp
from packhound.index.compaction import Compacted, catch_up, renumbered
from packhound.index.diff import Arrival, arrive
from packhound.index.file_entry import FileEntry
from packhound.index.node_columns import NO_LABELS, NodeColumns, restored
from packhound.index.path_table import PathTable
from packhound.index.postings.merge_policy import QUICK, merged_run, run_to_merge
from packhound.index.postings.reader import Postings
from packhound.index.postings.segment import Segment, build
from packhound.index.snapshot import Snapshot
from packhound.index.vectors.hnsw import NeighbourGraph
from packhound.parsing.analysed_file import AnalysedFile, NodeRuns
from packhound.parsing.node_codec import Record
from packhound.storage.rows import PENDING, Saved

_UNREAD = FileStamp(-1, -1, -1, -1)


class IndexState:
    """Columns of the node ids, segments of their postings, and files that own them."""

    def __init__(self, dim: int) -> None:
        self.columns = NodeColumns(dim)
        self.segments: list[Segment] = []
        self.files: dict[str, FileEntry] = {}
        self.graph: NeighbourGraph | None = None
        self.paths = PathTable()
        self._file_ids: dict[str, int] = {}
        self.merge_floor = 0
        """Segments below this node id are not merged: something behind reads them to replace them."""

    def arrivals(self, files: Iterable[AnalysedFile]) -> list[Arrival]:
        """The files with node ids for their nodes; of two with one path the last counts."""
        first, found = len(self.columns), []
        for path, file in {file.path: file for file in files}.items():
            arrival = arrive(file, self.files.get(path), first)
            found.append(arrival)
            first += len(arrival.fresh)
        return found

    def known(self, path: str) -> bytes:
        """Joined digests of the nodes of a file that have all they need, vectors included."""
        entry = self.files.get(path)
        if entry is None:
            return b""
        if not self.columns.dim:
            return entry.node_digests
        digests = [entry.node_digest(i) for i in range(len(entry.node_ids))]
        waits = (self.columns.vector_state[entry.node_ids] == PENDING).tolist()
        waiting = set(compress(digests, waits))
        return b"".join([digest for digest in digests if digest not in waiting])

    def put(
        self,
        arrivals: Sequence[Arrival],
        words: NodeRuns,
        stamps: Mapping[str, FileStamp | None],
    ) -> None:
        """Add the new nodes, bury those that are gone, and let the files be what they are now.

        `words` are those of all nodes that arrive.
        """
        entries = [
            arrival.entry(self._file_id(arrival.path), stamps.get(arrival.path))
            for arrival in arrivals
        ]
        gone = np.concatenate([NO_LABELS, *(arrival.gone for arrival in arrivals)])
        self.columns.update_liveness(self._add_node_ids(arrivals, words), gone)
        self.files.update((entry.path, entry) for entry in entries)

    def drop(self, entry: FileEntry) -> None:
        """Take a file out."""
        self.columns.update_liveness(NO_LABELS, entry.node_ids)
        del self.files[entry.path]

    def restore(self, saved: Saved) -> None:
        """Become what was saved."""
        self.columns = restored(saved, self.columns.dim)
        self.segments = list(saved.segments)
        self.files = {entry.path: entry for entry in self._to_read_again(saved.files)}
        self.paths = saved.paths
        self._file_ids = {entry.path: entry.file_id for entry in saved.files}

    def merge_quickly(self) -> None:
        """Merge small neighbours as far as that takes no longer than a moment."""
        while (run := self.due_run()) is not None:
            segments = self.segments[slice(*run)]
            if sum(segment.n_postings for segment in segments) > QUICK:
                return
            self.segments[slice(*run)] = [merged_run(segments, self.columns.live)]

    def merge(self) -> bool:
        """Make one segment of all; whether there was anything to do."""
        if len(self.segments) < 2:
            return False
        self.segments = [merged_run(self.segments, self.columns.live)]
        return True

    def due_run(self) -> tuple[int, int] | None:
        """Positions of segments that should be merged."""
        first = sum(segment.base < self.merge_floor for segment in self.segments)
        run = run_to_merge(self.segments[first:])
        return run and (run[0] + first, run[1] + first)

    def replace_run(self, run: Sequence[Segment], merged: Segment) -> None:
        """Put a segment in place of the neighbours it was made of."""
        first = self.segments.index(run[0])
        self.segments[first : first + len(run)] = [merged]

    def adopt(self, compacted: Compacted) -> NodeIds:
        """Go on with the numbers of a compaction; returns what became of every node id."""
        followed = catch_up(compacted, self.view(0))
        before = compacted.before
        moved = before.n_nodes - before.n_node_ids
        tail = [s.moved(s.base + moved) for s in self.segments if s.base >= before.n_node_ids]
        self.files = {
            path: compacted.files[path]
            if before.files.get(path) is entry
            else renumbered(entry, followed)
            for path, entry in self.files.items()
        }
        self.columns, self.segments = compacted.columns, [compacted.segment, *tail]
        self.graph = self.graph and self.graph.renumbered(followed)
        return followed

    def view(self, generation: int) -> Snapshot:
        """A snapshot of this moment."""
        columns, n = self.columns, len(self.columns)
        columns.live.flags.writeable = columns.vector_state.flags.writeable = False
        return Snapshot(
            generation=generation,
            epoch=columns.epoch,
            files=dict(self.files),
            live=columns.live,
            n_nodes=columns.n_live,
            file_of=columns.file_of.view(n),
            kind_of=columns.kind_of.view(n),
            name_of=columns.name_of.view(n),
            tail_of=columns.tail_of.view(n),
            name_table=columns.names,
            bearers=columns.bearers,
            lengths=tuple(lengths.view(n) for lengths in columns.lengths),
            totals=tuple(columns.totals.tolist()),
            path_table=self.paths,
            n_file_ids=len(self.paths),
            terms=Postings(tuple(self.segments), columns.live, dead=columns.n_live < n),
            vectors=columns.vectors(self.graph),
        )

    def _add_node_ids(self, arrivals: Sequence[Arrival], words: NodeRuns) -> NodeIds:
        """Node ids for the new nodes, dead yet, and their postings."""
        base = len(self.columns)
        node_ids = np.concatenate([NO_LABELS, *(arrival.node_ids for arrival in arrivals)])
        fresh_node_ids = np.where(node_ids >= base, node_ids - base, -1)
        if not (fresh_node_ids >= 0).any():
            return NO_LABELS
        owners = [self._file_id(arrival.path) for arrival in arrivals]
        file_ids = np.repeat(owners, [len(arrival.fresh) for arrival in arrivals])
        segment, lengths = build(base, words, fresh_node_ids, len(file_ids))
        fresh = [(Record(arrival.file.record), arrival.fresh) for arrival in arrivals]
        node_ids = self.columns.add(fresh, file_ids.astype(np.int32), lengths)
        self.segments.append(segment)
        return node_ids

    def _file_id(self, path: str) -> int:
        file_id = self._file_ids.get(path)
        if file_id is None:
            file_id = self._file_ids[path] = self.paths.add(path)
        return file_id

    def _to_read_again(self, entries: Iterable[FileEntry]) -> Iterator[FileEntry]:
        """Files that lack vectors get a stamp that no file has, so that they are read again."""
        pending = self.columns.live & (self.columns.vector_state == PENDING)
        lacking = bool(self.columns.dim and pending.any())
        for entry in entries:
            again = lacking and pending[entry.node_ids].any()
            yield replace(entry, stamp=_UNREAD) if again else entry
