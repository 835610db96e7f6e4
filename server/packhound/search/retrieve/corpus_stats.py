"""Query-independent statistics of the files of one snapshot, updated from snapshot to snapshot.

An edit costs the statistics of the edited file only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import compress
from operator import is_not

import numpy as np

from packhound.core.arrays import Doubles, Floats, Ints, Mask, Positions
from packhound.index import DEPTH, FLAG, FOLDER, N_STEM_GROUPS, STEM, FileEntry, NameTable, Snapshot
from packhound.search.retrieve.term_matches import BM25, INSIDE, Bm25, TermMatchCache
from packhound.search.signals.bloom import BigramBloomFilter, LetterFilter
from packhound.text import FLAGS

_PROSE = frozenset({"markdown", "rst", "text"})
_IS_TEST, _IS_EXAMPLE, _IS_PROSE = map(FLAGS.index, ("is_test", "is_example", "is_prose"))

_MAX_EDITS = 200
"""Changed files whose rows are updated one by one; for more, all arrays are rebuilt."""
_BATCH = 8
"""Files or names that are prepared without a pause: a fraction of a millisecond each."""


@dataclass(frozen=True, slots=True, eq=False)
class CorpusStats:
    """Statistics of all files of one snapshot; arrays have one row per file id.

    `files` are the entries by file id, None where the file is gone. `n_terms` counts the terms
    inside each file, `flags` has a row per name in `FLAGS`, `depth` is counted from the shallowest
    file, `plain` is True for files that are neither tests nor examples. `folder` is the id of the
    file's folder, `n_stem_groups` the number of stem groups in its file stem, `n_stems` the number
    of files with its file stem. `centroid_lengths` are NaN until computed. `term_matches` belong to
    the snapshot, `bigrams` and `letters` to the name table.
    """

    generation: int
    name_table: NameTable
    entries: tuple[FileEntry, ...]
    files: list[FileEntry | None]
    n_nodes: Floats
    n_terms: Doubles
    depth: Floats
    flags: Floats
    plain: Mask
    folder: Ints
    n_stem_groups: Ints
    n_stems: Floats
    centroid_lengths: Floats
    term_matches: TermMatchCache
    bigrams: BigramBloomFilter
    letters: LetterFilter

    def describes(self, snapshot: Snapshot) -> bool:
        """Return True if these are the statistics of `snapshot`."""
        return self.generation == snapshot.generation and self.name_table is snapshot.name_table

    def file_centroid_lengths(self, snapshot: Snapshot, files: Positions) -> Floats:
        """Return the length of the sum of each file's vectors, which makes sums of cosines cosines.

        The files must exist. Lengths are kept once all vectors of the file are present.
        """
        lengths = self.centroid_lengths.take(files)
        missing = np.flatnonzero(np.isnan(lengths)).tolist()
        if missing:
            entries = (self.files[i] for i in files[missing].tolist())
            node_ids = [entry.node_ids for entry in entries if entry]
            ends = np.cumsum([*map(len, node_ids)])[:-1]
            rows = np.split(snapshot.vectors.rows(np.concatenate(node_ids)), ends)
            sums = [vectors.sum(axis=0) for vectors in rows]
            lengths[missing] = np.sqrt([total.dot(total) for total in sums])
            final = [*compress(missing, (snapshot.has_vector[ids].all() for ids in node_ids))]
            self.centroid_lengths[files[final]] = lengths[final]
        return lengths

    def prepare(self, snapshot: Snapshot) -> Iterator[None]:
        """Compute ahead what searches would per file and per name, a few at each step."""
        names = self.name_table.names
        live = np.array([entry.file_id for entry in self.entries], np.intp)
        for start in range(0, len(live), _BATCH):
            yield
            self.file_centroid_lengths(snapshot, live[start : start + _BATCH])
        for start in range(0, len(names), _BATCH):
            yield
            end = min(start + _BATCH, len(names))
            self.bigrams.bits(names, np.arange(start, end, dtype=np.int32))


def update_stats(before: CorpusStats | None, snapshot: Snapshot, bm25: Bm25 = BM25) -> CorpusStats:
    """Return the statistics of a snapshot, from those of an earlier one where they still hold."""
    if before and before.name_table is not snapshot.name_table:
        before = None
    if before and before.generation == snapshot.generation:
        return before
    entries = tuple(snapshot.files.values())
    # A file that came and went between two searches leaves nothing but its id.
    same_ids = before and len(before.files) == snapshot.n_file_ids
    if before and same_ids and len(entries) == len(before.entries):
        changed = [*compress(entries, map(is_not, entries, before.entries))]
        # As many files as before, and each had an entry: no path was added or removed.
        edited = len(changed) <= _MAX_EDITS and all(
            (old := before.files[entry.file_id]) and old.language == entry.language
            for entry in changed
        )
        if edited:
            return _apply_edits(snapshot, before, entries, changed)
    return _rebuild(snapshot, before, entries, bm25)


def _apply_edits(
    snapshot: Snapshot,
    before: CorpusStats,
    entries: tuple[FileEntry, ...],
    changed: Iterable[FileEntry],
) -> CorpusStats:
    """Return the statistics after edits that neither added nor removed a file."""
    files = before.files.copy()
    n_nodes, n_terms = before.n_nodes.copy(), before.n_terms.copy()
    centroid_lengths = before.centroid_lengths.copy()
    for entry in changed:
        file_id = entry.file_id
        files[file_id] = entry
        n_nodes[file_id], n_terms[file_id] = len(entry.node_ids), _count_terms(snapshot, entry)
        centroid_lengths[file_id] = np.nan
    return replace(
        before,
        generation=snapshot.generation,
        entries=entries,
        files=files,
        n_nodes=n_nodes,
        n_terms=n_terms,
        centroid_lengths=centroid_lengths,
        term_matches=TermMatchCache(before.term_matches.bm25),
    )


def _rebuild(
    snapshot: Snapshot,
    before: CorpusStats | None,
    entries: tuple[FileEntry, ...],
    bm25: Bm25,
) -> CorpusStats:
    n = snapshot.n_file_ids
    files: list[FileEntry | None] = [None] * n
    for entry in entries:
        files[entry.file_id] = entry
    live = np.array([entry.file_id for entry in entries], np.intp)
    rows = snapshot.path_table.rows(n)
    flags = (rows[:, FLAG] >> np.arange(len(FLAGS))[:, None] & 1).astype(np.float32)
    flags[_IS_PROSE, [entry.file_id for entry in entries if entry.language in _PROSE]] = 1
    return CorpusStats(
        generation=snapshot.generation,
        name_table=snapshot.name_table,
        entries=entries,
        files=files,
        n_nodes=np.bincount(snapshot.file_of[snapshot.live], minlength=n).astype(np.float32),
        n_terms=_count_all_terms(snapshot),
        depth=(rows[:, DEPTH] - rows[live, DEPTH].min(initial=1 << 20)).astype(np.float32),
        flags=flags,
        plain=(flags[_IS_TEST] + flags[_IS_EXAMPLE]) == 0,
        folder=rows[:, FOLDER],
        n_stem_groups=rows[:, N_STEM_GROUPS],
        n_stems=np.bincount(rows[live, STEM], minlength=n)[rows[:, STEM]].astype(np.float32),
        centroid_lengths=_reuse_centroid_lengths(before, files),
        term_matches=TermMatchCache(bm25),
        bigrams=before.bigrams if before else BigramBloomFilter(),
        letters=before.letters if before else LetterFilter(),
    )


def _reuse_centroid_lengths(before: CorpusStats | None, files: list[FileEntry | None]) -> Floats:
    """Return the lengths of unchanged files, NaN for the others."""
    lengths = np.full(len(files), np.nan, np.float32)
    if before:
        old = before.files
        unchanged = [i for i, entry in enumerate(files[: len(old)]) if entry and entry is old[i]]
        lengths[unchanged] = before.centroid_lengths[unchanged]
    return lengths


def _count_terms(snapshot: Snapshot, entry: FileEntry) -> int:
    return sum(int(snapshot.lengths[field][entry.node_ids].sum()) for field in INSIDE)


def _count_all_terms(snapshot: Snapshot) -> Doubles:
    """Return the number of terms inside each file, by file id."""
    counts = np.zeros(snapshot.n_node_ids, np.int64)
    for field in INSIDE:
        counts += snapshot.lengths[field]
    live_counts = (counts * snapshot.live).astype(np.float64)
    return np.asarray(np.bincount(snapshot.file_of, live_counts, snapshot.n_file_ids), np.float64)
