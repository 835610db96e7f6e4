"""Candidate files, and all the nodes of those files.

The ranking is of nodes, but most of what tells a good answer from a bad one is in the file around
it, so candidates come file by file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import (
    NO_NODE_IDS,
    Floats,
    Ints,
    Mask,
    NodeIds,
    Positions,
    unique_sorted,
)
from packhound.core.arrays import (
    top_k as best_k,
)
from packhound.core.settings import Settings
from packhound.index import FileEntry, Snapshot
from packhound.search.query.parse import ParsedQuery
from packhound.search.retrieve.corpus_stats import CorpusStats

Value = TypeVar("Value", bound=np.generic)

_TEST_FACTOR = np.float32(0.6)
_COHERENCE = 4.0
_REPORT_COHERENCE = 1.0
"""Boost of a file by the sum of its matching nodes: less for a report, of whose many words every
large file has some."""
_FILE_ID = attrgetter("file_id")


class TopK(NamedTuple):
    """How many files each source makes candidates."""

    words: int = 60
    meaning: int = 40
    names: int = 40

    @classmethod
    def of(cls, settings: Settings) -> TopK:
        """Return those of the settings."""
        return cls(settings.words_top_k, settings.meaning_top_k, settings.names_top_k)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The nodes to rank, grouped by file: nodes starts[i]..starts[i+1] are of files[i].

    `owner[j]` is the position in `files` of node j, `position` that of each node id of the snapshot
    among the nodes, -1 for no candidate. `truncated` says that the budget left some out.
    """

    files: Positions
    node_ids: Positions
    starts: Positions
    owner: Positions
    position: Ints
    entries: tuple[FileEntry, ...]
    truncated: bool = False

    def __len__(self) -> int:
        return len(self.node_ids)

    def locate(self, node_ids: NDArray[np.integer[Any]]) -> tuple[Positions, Ints]:
        """Return the rows of `node_ids` that are candidates, and their positions among these."""
        positions = self.position.take(node_ids)
        rows = np.flatnonzero(positions >= 0)
        return rows, positions.take(rows)

    def mask_of(self, node_ids: NDArray[np.integer[Any]]) -> Mask:
        """Return the mask of the candidate nodes that are among some node ids."""
        mask = np.zeros(len(self), np.bool_)
        if len(node_ids):
            mask[self.locate(node_ids)[1]] = True
        return mask

    def file_max(self, values: NDArray[Value]) -> NDArray[Value]:
        """Return the largest of each file's node values."""
        return np.maximum.reduceat(values, self.starts) if len(values) else values

    def file_sum(self, values: Floats) -> Floats:
        """Return the sum of each file's node values."""
        return np.add.reduceat(values, self.starts) if len(values) else values


def max_and_sum_by_file(
    snapshot: Snapshot, node_scores: Floats, matched: Positions
) -> tuple[Floats, Floats]:
    """Return the largest and the sum of the scores of every file id's matched nodes."""
    owners, scores = snapshot.file_of.take(matched), node_scores.take(matched)
    sums = np.bincount(owners, scores, snapshot.n_file_ids).astype(np.float32)
    best = np.zeros(snapshot.n_file_ids, np.float32)
    if len(owners):
        # Node ids of a file were mostly assigned in a row, so runs of one file are few.
        first = np.ones(len(owners), np.bool_)
        np.not_equal(owners[1:], owners[:-1], out=first[1:])
        starts = np.flatnonzero(first)
        np.maximum.at(best, owners.take(starts), np.maximum.reduceat(scores, starts))
    return best, sums


def score_files(best: Floats, sums: Floats, stats: CorpusStats, query: ParsedQuery) -> Floats:
    """Return a first lexical score per file id: its best node, boosted by how many others match."""
    coherence = _REPORT_COHERENCE if query.kind == "report" else _COHERENCE
    scores = best + np.float32(coherence) * np.log1p(sums)
    if not (query.wants_tests or query.wants_examples):
        scores = np.where(stats.plain, scores, scores * _TEST_FACTOR)
    return np.asarray(scores, np.float32)


def choose(
    snapshot: Snapshot,
    stats: CorpusStats,
    file_scores: Floats,
    nearest: NodeIds,
    named: Sequence[NodeIds],
    allowed: Mask | None,
    top_k: TopK,
    budget: int,
) -> Candidates:
    """Choose the best files by words, by meaning and by name, with their allowed nodes.

    `nearest` are node ids by falling similarity, `named` those that print the query, then those
    that have a name of it letter for letter, then those that do in any letter case. `budget` is
    four times the maximum of files.
    """
    paths = snapshot.paths
    by_meaning = _first_distinct(snapshot.file_of[nearest], top_k.meaning)
    named_files = [unique_sorted(snapshot.file_of[node_ids]) for node_ids in named if len(node_ids)]
    best_named = [_best_files(files, file_scores, top_k.names, paths) for files in named_files]
    by_name = _first_distinct(np.concatenate([NO_NODE_IDS, *best_named]), top_k.names)
    by_words = _best_files(np.flatnonzero(file_scores > 0), file_scores, top_k.words, paths)
    files = unique_sorted(np.concatenate((by_words, by_meaning, by_name)))
    max_files = max(1, budget // 4)
    truncated = len(files) > max_files
    if truncated:
        by_turns = _interleave(by_words, by_meaning)
        files = np.sort(_first_distinct(np.concatenate((by_name, by_turns)), max_files))
    return gather(snapshot, stats, files, allowed, truncated=truncated)


def gather(
    snapshot: Snapshot,
    stats: CorpusStats,
    files: NDArray[np.integer[Any]],
    allowed: Mask | None,
    *,
    truncated: bool = False,
) -> Candidates:
    """Return all allowed nodes of the given files; files without one are dropped."""
    entries = [entry for i in files.tolist() if (entry := stats.files[i]) is not None]
    groups = [entry.node_ids for entry in entries]
    if allowed is not None:
        groups = [node_ids[allowed[node_ids]] for node_ids in groups]
    counts = np.fromiter(map(len, groups), np.intp, len(groups))
    if not counts.all():
        entries = [*compress(entries, counts.tolist())]
        counts = counts[counts > 0]
    node_ids = np.concatenate([NO_NODE_IDS, *groups], dtype=np.intp)
    position = np.full(snapshot.n_node_ids, -1, np.int32)
    position[node_ids] = np.arange(len(node_ids), dtype=np.int32)
    return Candidates(
        files=np.fromiter(map(_FILE_ID, entries), np.intp, len(entries)),
        node_ids=node_ids,
        starts=np.cumsum(counts) - counts,
        owner=np.repeat(np.arange(len(entries)), counts),
        position=position,
        entries=tuple(entries),
        truncated=truncated,
    )


def _best_files(
    files: NDArray[np.integer[Any]], scores: Floats, k: int, paths: Sequence[str]
) -> Ints:
    """Return the k of some files with the largest scores, by falling score, then by path.

    File ids tell in which order files were indexed, which must not show.
    """
    best = files.take(best_k(scores.take(files), k))
    file_ids = best.tolist()
    falling = (-scores[best]).tolist()
    ranked = sorted(zip(falling, map(paths.__getitem__, file_ids), file_ids, strict=True))
    return np.array([file_id for *_, file_id in ranked[:k]], np.int32)


def _interleave(first: Ints, second: Ints) -> Ints:
    """Return one of each in turn, then the rest of the longer."""
    n = min(len(first), len(second))
    paired = np.stack((first[:n], second[:n]), axis=1).ravel()
    return np.concatenate((paired, first[n:], second[n:]))


def _first_distinct(values: Ints, k: int) -> Ints:
    """Return the first k distinct values, in their order."""
    return np.array([*dict.fromkeys(values.tolist())][:k], np.int32)
