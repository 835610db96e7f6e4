"""The oracle of the index's tests: a snapshot as plain values, without node ids or segments."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from packhound.core.types import FIELDS, FileStamp
from packhound.index.name_index import NameTable
from packhound.index.snapshot import Snapshot
from packhound.search.retrieve.bm25 import match_terms
from packhound.search.retrieve.corpus_stats import CorpusStats, SearchCache

Key = tuple[str, int]


class _Stamp(FileStamp):
    """A stamp that equals the one another reading gave the same file.

    A file that was read within a tick of its change has the inode -1, so that the next scan reads
    it again: two right indexes may differ there, by the time at which each read the file.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FileStamp) or self[:3] != other[:3]:
            return False
        return self.inode == other.inode or -1 in (self.inode, other.inode)


def terms_of(snapshot: Snapshot) -> list[str]:
    """All terms that a live node id may have."""
    matches = {term for segment in snapshot.terms.segments for term in segment.vocabulary()}
    return sorted(term.decode("utf-8", "surrogatepass") for term in matches)


def keys(snapshot: Snapshot) -> dict[int, Key]:
    """(path, position) of every live node id."""
    return {
        int(node_id): (path, i)
        for path, entry in snapshot.files.items()
        for i, node_id in enumerate(entry.node_ids)
    }


def contents(snapshot: Snapshot) -> dict[str, object]:
    """All that a search can see, by (path, position) instead of node id."""
    key = keys(snapshot)
    assert sorted(key) == [i for i in range(snapshot.n_node_ids) if snapshot.live[i]]
    postings = {}
    for term in terms_of(snapshot):
        matches = snapshot.postings(term)
        for field_idx in range(len(FIELDS)):
            occurrences = matches.within(field_idx)
            node_ids, tf = matches.node_ids[occurrences].tolist(), matches.tf[occurrences].tolist()
            assert node_ids == sorted(node_ids)
            if node_ids:
                postings[term, field_idx] = {key[i]: n for i, n in zip(node_ids, tf, strict=True)}
    terms = sorted({term for term, _ in postings})
    return {
        "files": {
            path: (
                e.digest,
                e.stamp and _Stamp(*e.stamp),
                e.nodes,
                e.imports,
                e.language,
                e.node_digests,
            )
            for path, e in snapshot.files.items()
        },
        "counts": (snapshot.n_nodes, snapshot.n_files),
        "postings": postings,
        "averages": snapshot.average_length,
        "lengths": {k: tuple(int(f[i]) for f in snapshot.lengths) for i, k in key.items()},
        "kinds": {k: int(snapshot.kind_of[i]) for i, k in key.items()},
        "names": {k: snapshot.names[i] for i, k in key.items()},
        "vectors": {k: snapshot.vector(i).tobytes() for i, k in key.items()},
        "scores": {k: _scores(snapshot, terms[:6])[i] for i, k in key.items()},
        "stats": _file_stats(snapshot),
    }


def _scores(snapshot: Snapshot, terms: list[str]) -> list[float]:
    return match_terms(snapshot, _stats(snapshot), terms, [1.0] * len(terms)).node_scores.tolist()


_CACHES: WeakKeyDictionary[NameTable, SearchCache] = WeakKeyDictionary()
"""One for each index, so that statistics are updated from snapshot to snapshot."""


def _stats(snapshot: Snapshot) -> CorpusStats:
    return _CACHES.setdefault(snapshot.name_table, SearchCache()).stats(snapshot)


def _file_stats(snapshot: Snapshot) -> dict[str, tuple[float, ...]]:
    """The statistics of every file that are updated from snapshot to snapshot."""
    stats = _stats(snapshot)
    columns = np.stack([stats.n_nodes, stats.depth, *stats.flags], axis=1)
    return {path: tuple(columns[e.file_id].tolist()) for path, e in snapshot.files.items()}
