"""Mutable state of an index: columns, segments and files, always consistent.

A step that fails leaves everything as it was before, or as it is after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np

from packhound.core.arrays import NO_NODE_IDS, NodeIds
from packhound.core.types import FileStamp
from packhound.index.blocks import PENDING, Saved
from packhound.index.compaction import Compacted, catch_up, renumber_entry
from packhound.index.diff import FileDiff, diff_file
from packhound.index.file_entry import UNREAD, FileEntry
from packhound.index.node_columns import NodeColumns, fork_columns, restore_columns
from packhound.index.path_table import PathTable
from packhound.index.postings.merge_policy import MergePolicy, merge_neighbours
from packhound.index.postings.reader import Postings
from packhound.index.postings.segment import Segment, build_segment
from packhound.index.snapshot import Snapshot
from packhound.index.vectors.hnsw import NeighbourGraph
from packhound.parsing import AnalysedFile, NodeRuns, Record


class IndexState:
    """Columns of the node ids, segments of their postings, and files that own them."""

    def __init__(self, dim: int, merge_policy: MergePolicy) -> None:
        self.columns = NodeColumns(dim)
        self.segments: list[Segment] = []
        self.files: dict[str, FileEntry] = {}
        self._touched: list[str] = []
        self.graph: NeighbourGraph | None = None
        self.paths = PathTable()
        self._file_ids: dict[str, int] = {}
        self._merge_policy = merge_policy
        self.merge_floor = 0
        """Segments below this node id are being replaced in the background, and not merged."""

    def diff(self, files: Iterable[AnalysedFile]) -> list[FileDiff]:
        """Return the changes of files, with new node ids; of two with one path the last counts."""
        first, diffs = len(self.columns), []
        for path, file in {file.path: file for file in files}.items():
            diff = diff_file(file, self.files.get(path), first)
            diffs.append(diff)
            first += len(diff.added)
        return diffs

    def complete_digests(self, path: str) -> bytes:
        """Return the joined digests of the nodes of a file that lack nothing, vectors included."""
        entry = self.files.get(path)
        if entry is None:
            return b""
        if not self.columns.dim:
            return entry.node_digests
        digests = [entry.node_digest(i) for i in range(len(entry.node_ids))]
        is_pending = (self.columns.vector_state[entry.node_ids] == PENDING).tolist()
        pending = set(compress(digests, is_pending))
        return b"".join([digest for digest in digests if digest not in pending])

    def apply(
        self,
        diffs: Sequence[FileDiff],
        words: NodeRuns,
        stamps: Mapping[str, FileStamp | None],
    ) -> None:
        """Add the new nodes, drop the removed ones, and replace the entries of the files.

        `words` are those of all nodes of the diffs.
        """
        entries = [diff.entry(self._file_id(diff.path), stamps.get(diff.path)) for diff in diffs]
        removed = np.concatenate([NO_NODE_IDS, *(diff.removed for diff in diffs)])
        self.columns.update_liveness(self._add_node_ids(diffs, words), removed)
        self.files.update((entry.path, entry) for entry in entries)
        self._touched += [entry.path for entry in entries]

    def restamp(self, stamps: Mapping[str, FileStamp | None]) -> None:
        """Note that files have the same text under other stamps; unknown paths are ignored."""
        for path, stamp in stamps.items():
            if entry := self.files.get(path):
                self.files[path] = replace(entry, stamp=stamp)
                self._touched.append(path)

    def drop(self, entry: FileEntry) -> None:
        """Remove a file."""
        self.columns.update_liveness(NO_NODE_IDS, entry.node_ids)
        del self.files[entry.path]
        self._touched.append(entry.path)

    def restore(self, saved: Saved) -> None:
        """Replace the state of an empty index by a saved one."""
        self.columns = restore_columns(saved, self.columns.dim)
        self.segments = list(saved.segments)
        self.files = {entry.path: entry for entry in self._mark_unread(saved.files)}
        self.paths = saved.paths
        self._file_ids = {entry.path: entry.file_id for entry in saved.files}

    def fork(self, snapshot: Snapshot) -> None:
        """Replace the state of an empty index by a snapshot of another one, which stays as it is.

        Immutable parts are shared, those that grow are copied; vectors are scanned.
        """
        self.columns = fork_columns(snapshot)
        self.segments = list(snapshot.terms.segments)
        self.files = dict(snapshot.files)
        self.paths = snapshot.path_table.fork(snapshot.n_file_ids)
        # Of a path that was dropped and came back the last id.
        self._file_ids = {path: n for n, path in enumerate(self.paths.paths) if path}
        self._file_ids |= {entry.path: entry.file_id for entry in self.files.values()}

    def merge_inline(self) -> None:
        """Merge small neighbours as far as that takes no longer than a moment."""
        while (run := self.run_to_merge()) is not None:
            segments = self.segments[slice(*run)]
            if sum(segment.n_postings for segment in segments) > self._merge_policy.max_inline:
                return
            self.segments[slice(*run)] = [merge_neighbours(segments, self.columns.live)]

    def merge_all(self) -> bool:
        """Merge all segments into one; return False if there was nothing to do."""
        if len(self.segments) < 2:
            return False
        self.segments = [merge_neighbours(self.segments, self.columns.live)]
        return True

    def run_to_merge(self) -> tuple[int, int] | None:
        """Return the start and end of neighbours that the policy merges, None if none are."""
        first = sum(segment.base < self.merge_floor for segment in self.segments)
        run = self._merge_policy.run_to_merge(self.segments[first:])
        return run and (run[0] + first, run[1] + first)

    def replace_run(self, run: Sequence[Segment], merged: Segment) -> None:
        """Replace neighbours by the segment that they were merged into."""
        first = self.segments.index(run[0])
        self.segments[first : first + len(run)] = [merged]

    def adopt(self, compacted: Compacted) -> NodeIds:
        """Go on with the node ids of a compaction; return the new number of every node id."""
        new_node_ids = catch_up(compacted, self.view(0))
        before = compacted.before
        shift = before.n_nodes - before.n_node_ids
        tail = [s.rebase(s.base + shift) for s in self.segments if s.base >= before.n_node_ids]
        self.files = {
            path: compacted.files[path]
            if before.files.get(path) is entry
            else renumber_entry(entry, new_node_ids)
            for path, entry in self.files.items()
        }
        self.columns, self.segments = compacted.columns, [compacted.segment, *tail]
        self._touched = []
        self.graph = self.graph and self.graph.renumber(new_node_ids)
        return new_node_ids

    def view(self, generation: int) -> Snapshot:
        """Return a snapshot of this moment."""
        columns, n = self.columns, len(self.columns)
        columns.live.flags.writeable = columns.vector_state.flags.writeable = False
        return Snapshot(
            generation=generation,
            epoch=columns.epoch,
            files=dict(self.files),
            touched=self._touched,
            n_touched=len(self._touched),
            live=columns.live,
            n_nodes=columns.n_live,
            file_of=columns.file_of.view(n),
            kind_of=columns.kind_of.view(n),
            name_of=columns.name_of.view(n),
            tail_of=columns.tail_of.view(n),
            name_table=columns.names,
            name_index=columns.name_index,
            lengths=tuple(lengths.view(n) for lengths in columns.lengths),
            totals=tuple(columns.totals.tolist()),
            path_table=self.paths,
            n_file_ids=len(self.paths),
            terms=Postings(tuple(self.segments), columns.live, has_dead=columns.n_live < n),
            vectors=columns.vectors(self.graph),
        )

    def _add_node_ids(self, diffs: Sequence[FileDiff], words: NodeRuns) -> NodeIds:
        """Add node ids, dead yet, for the new nodes, and their postings."""
        base = len(self.columns)
        node_ids = np.concatenate([NO_NODE_IDS, *(diff.node_ids for diff in diffs)])
        relative_ids = np.where(node_ids >= base, node_ids - base, -1)
        if not (relative_ids >= 0).any():
            return NO_NODE_IDS
        owners = [self._file_id(diff.path) for diff in diffs]
        file_ids = np.repeat(owners, [len(diff.added) for diff in diffs])
        segment, lengths = build_segment(base, words, relative_ids, len(file_ids))
        nodes = [(Record(diff.file.record), diff.added) for diff in diffs]
        added = self.columns.add(nodes, file_ids.astype(np.int32), lengths)
        self.segments.append(segment)
        return added

    def _file_id(self, path: str) -> int:
        file_id = self._file_ids.get(path)
        if file_id is None:
            file_id = self._file_ids[path] = self.paths.add(path)
        return file_id

    def _mark_unread(self, entries: Iterable[FileEntry]) -> Iterator[FileEntry]:
        """Give files that lack vectors a stamp that no file has, so that they are read again."""
        pending = self.columns.live & (self.columns.vector_state == PENDING)
        any_pending = bool(self.columns.dim and pending.any())
        for entry in entries:
            lacks_vectors = any_pending and pending[entry.node_ids].any()
            yield replace(entry, stamp=UNREAD) if lacks_vectors else entry
