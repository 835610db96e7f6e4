"""What is known of the files of a snapshot before any query is.

One `Facts` belongs to one index and follows it from snapshot to snapshot: an edit costs the facts
of the edited file only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import compress
from operator import is_not
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats
from packhound.index.file_entry import FileEntry
from packhound.index.name_index import NameTable
from packhound.index.path_table import DEPTH, FLAG, FOLDER, N_ROOTS, STEM
from packhound.index.snapshot import Snapshot
from packhound.search.retrieve.term_matches import INSIDE, MatchCache
from packhound.search.signals.bloom import NamePairs
from packhound.text.path_features import FLAGS

_PROSE = frozenset({"markdown", "rst", "text"})
_IS_TEST, _IS_EXAMPLE, _IS_PROSE = map(FLAGS.index, ("is_test", "is_example", "is_prose"))


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """The facts of all files of one snapshot; arrays have one row per file id.

    `files` are the entries by file id, None where the file is gone. `n_terms` counts the terms
    inside each file, `flags` has a row per name in `FLAGS`, `depth` is counted from the shallowest
    file, `plain` says that a file is neither test nor example. `folder` is the number of the
    file's folder, `n_roots` how many families the words of its stem have, `n_stems` how many files
    have its stem. `centroid_lengths` are NaN until somebody asks. `pairs` belong to the names.
    """

    generation: int
    entries: tuple[FileEntry, ...]
    files: list[FileEntry | None]
    n_nodes: Floats
    n_terms: NDArray[np.float64]
    depth: Floats
    flags: Floats
    plain: NDArray[np.bool_]
    folder: NDArray[np.int32]
    n_roots: NDArray[np.int32]
    n_stems: Floats
    centroid_lengths: Floats
    matches: MatchCache
    pairs: NamePairs


class Facts:
    """The facts of one index, brought up to date by the first search of a generation."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._corpus: Corpus | None = None

    def at(self, snapshot: Snapshot) -> Corpus:
        """The facts of this snapshot."""
        known = self._corpus
        if known is None or known.generation != snapshot.generation:
            with self._lock:
                known = _corpus(snapshot, self._corpus)
                self._corpus = known
        return known


_OF_INDEX: WeakKeyDictionary[NameTable, Facts] = WeakKeyDictionary()


def facts_of(snapshot: Snapshot) -> Corpus:
    """The facts of a snapshot; the name table that its index shares with all its snapshots keeps
    those of unchanged files."""
    facts = _OF_INDEX.get(snapshot.name_table)
    if facts is None:
        facts = _OF_INDEX.setdefault(snapshot.name_table, Facts())
    return facts.at(snapshot)


_FEW = 200
"""Changed files whose facts are mended one by one; after more, all arrays are made anew."""


def centroid_lengths(snapshot: Snapshot, corpus: Corpus, files: NDArray[np.intp]) -> Floats:
    """Length of the sum of the vectors of each file: it makes a sum of cosines one cosine.

    The files must be there. What is found is kept once all vectors of the file are there.
    """
    lengths = corpus.centroid_lengths.take(files)
    unknown = np.flatnonzero(np.isnan(lengths)).tolist()
    if unknown:
        files_there = (corpus.files[i] for i in files[unknown].tolist())
        node_ids = [entry.node_ids for entry in files_there if entry]
        ends = np.cumsum([*map(len, node_ids)])[:-1]
        rows = np.split(snapshot.vectors.rows(np.concatenate(node_ids)), ends)
        sums = [vectors.sum(axis=0) for vectors in rows]
        lengths[unknown] = np.sqrt([total.dot(total) for total in sums])
        whole = [*compress(unknown, (snapshot.has_vector[own].all() for own in node_ids))]
        corpus.centroid_lengths[files[whole]] = lengths[whole]
    return lengths


def prepare(snapshot: Snapshot, pause: Callable[[], None]) -> None:
    """Find out what searches would when they first meet a file or a name; `pause` every while."""
    corpus, names = facts_of(snapshot), snapshot.name_table.names
    live = np.array([entry.file_id for entry in corpus.entries], np.intp)
    for start in range(0, len(live), _AT_ONCE):
        pause()
        centroid_lengths(snapshot, corpus, live[start : start + _AT_ONCE])
    for start in range(0, len(names), _AT_ONCE):
        pause()
        corpus.pairs.see(names, np.arange(start, min(start + _AT_ONCE, len(names)), dtype=np.int32))


_AT_ONCE = 8
"""Files or names that are prepared without a pause: a fraction of a millisecond each."""


def _corpus(snapshot: Snapshot, before: Corpus | None) -> Corpus:
    entries = tuple(snapshot.files.values())
    # A file that came and went between two searches leaves nothing but its id.
    same_ids = before and len(before.files) == snapshot.n_file_ids
    if before and same_ids and len(entries) == len(before.entries):
        changed = [*compress(entries, map(is_not, entries, before.entries))]
        known = before.files
        # As many files as before, and all of them known: no path came or went.
        edited = len(changed) <= _FEW and all(
            (old := known[entry.file_id]) and old.language == entry.language for entry in changed
        )
        if edited:
            return _edited(snapshot, before, entries, changed)
    return _gathered(snapshot, before, entries)


def _edited(
    snapshot: Snapshot,
    before: Corpus,
    entries: tuple[FileEntry, ...],
    changed: Iterable[FileEntry],
) -> Corpus:
    """The facts after edits that neither made nor removed a file."""
    files = before.files.copy()
    n_nodes, n_terms = before.n_nodes.copy(), before.n_terms.copy()
    centroid_lengths = before.centroid_lengths.copy()
    for entry in changed:
        at = entry.file_id
        files[at] = entry
        n_nodes[at], n_terms[at] = len(entry.node_ids), _n_terms(snapshot, entry)
        centroid_lengths[at] = np.nan
    return replace(
        before,
        generation=snapshot.generation,
        entries=entries,
        files=files,
        n_nodes=n_nodes,
        n_terms=n_terms,
        centroid_lengths=centroid_lengths,
        matches=MatchCache(),
    )


def _gathered(snapshot: Snapshot, before: Corpus | None, entries: tuple[FileEntry, ...]) -> Corpus:
    n = snapshot.n_file_ids
    files: list[FileEntry | None] = [None] * n
    for entry in entries:
        files[entry.file_id] = entry
    live = np.array([entry.file_id for entry in entries], np.intp)
    rows = snapshot.path_table.rows(n)
    flags = (rows[:, FLAG] >> np.arange(len(FLAGS))[:, None] & 1).astype(np.float32)
    flags[_IS_PROSE, [entry.file_id for entry in entries if entry.language in _PROSE]] = 1
    return Corpus(
        generation=snapshot.generation,
        entries=entries,
        files=files,
        n_nodes=np.bincount(snapshot.file_of[snapshot.live], minlength=n).astype(np.float32),
        n_terms=_all_n_terms(snapshot),
        depth=(rows[:, DEPTH] - rows[live, DEPTH].min(initial=1 << 20)).astype(np.float32),
        flags=flags,
        plain=(flags[_IS_TEST] + flags[_IS_EXAMPLE]) == 0,
        folder=rows[:, FOLDER],
        n_roots=rows[:, N_ROOTS],
        n_stems=np.bincount(rows[live, STEM], minlength=n)[rows[:, STEM]].astype(np.float32),
        centroid_lengths=_kept_lengths(before, files),
        matches=MatchCache(),
        pairs=before.pairs if before else NamePairs(),
    )


def _kept_lengths(before: Corpus | None, files: list[FileEntry | None]) -> Floats:
    """The lengths that are known of the files that are still the same."""
    lengths = np.full(len(files), np.nan, np.float32)
    if before:
        old = before.files
        same = [i for i, entry in enumerate(files[: len(old)]) if entry and entry is old[i]]
        lengths[same] = before.centroid_lengths[same]
    return lengths


def _n_terms(snapshot: Snapshot, entry: FileEntry) -> int:
    return sum(int(snapshot.lengths[field][entry.node_ids].sum()) for field in INSIDE)


def _all_n_terms(snapshot: Snapshot) -> NDArray[np.float64]:
    counted = np.zeros(snapshot.n_node_ids, np.int64)
    for field in INSIDE:
        counted += snapshot.lengths[field]
    alive = (counted * snapshot.live).astype(np.float64)
    return np.asarray(np.bincount(snapshot.file_of, alive, snapshot.n_file_ids), np.float64)
