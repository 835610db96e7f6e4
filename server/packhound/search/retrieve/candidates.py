"""Which files are worth a closer look, and all the nodes of those files.

The ranking is of nodes, but most of what tells a good answer from a bad one is said by the file
around it, so candidates come file by file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, Mask, NodeIds, Positions, top_k, unique_sorted
from packhound.index.file_entry import FileEntry
from packhound.index.snapshot import Snapshot
from packhound.search.query.parse import ParsedQuery
from packhound.search.retrieve.corpus_stats import Corpus

Value = TypeVar("Value", bound=np.generic)

LEXICAL_FILES = 60
DENSE_FILES = 40
NAMED_FILES = 40
_TEST_FACTOR = np.float32(0.6)
_COHERENCE = 4.0
_REPORT_COHERENCE = 1.0
"""How much the other nodes that match raise a file: less for a report, of whose many words every
large file has some."""
NO_NODE_IDS = np.zeros(0, np.int32)
_FILE_ID = attrgetter("file_id")


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The nodes to rank, grouped by file: nodes starts[i]..starts[i+1] are of files[i].

    `owner[j]` is the position in `files` of node j, `position` that of each node id of the snapshot
    among the nodes, -1 where it is none. `considered` counts the nodes scored on the way,
    `truncated` says that the budget left some out.
    """

    files: Positions
    node_ids: Positions
    starts: NDArray[np.intp]
    owner: NDArray[np.intp]
    position: NodeIds
    entries: tuple[FileEntry, ...]
    considered: int
    truncated: bool = False

    def __len__(self) -> int:
        return len(self.node_ids)

    def among(self, node_ids: NDArray[np.integer[Any]]) -> tuple[Positions, NodeIds]:
        """Which of some node ids are candidates, and their positions among these."""
        at = self.position.take(node_ids)
        here = np.flatnonzero(at >= 0)
        return here, at.take(here)

    def marked(self, node_ids: NDArray[np.integer[Any]]) -> Mask:
        """Which of the candidate nodes are among some node ids."""
        marks = np.zeros(len(self), np.bool_)
        if len(node_ids):
            marks[self.among(node_ids)[1]] = True
        return marks

    def best(self, values: NDArray[Value]) -> NDArray[Value]:
        """The largest of each file's node values."""
        return np.maximum.reduceat(values, self.starts) if len(values) else values

    def total(self, values: Floats) -> Floats:
        """The sum of each file's node values."""
        return np.add.reduceat(values, self.starts) if len(values) else values


def coherence(snapshot: Snapshot, node_scores: Floats, matched: Positions) -> tuple[Floats, Floats]:
    """Best node and sum of nodes of every file id, over the node ids that matched."""
    owners, scores = snapshot.file_of.take(matched), node_scores.take(matched)
    total = np.bincount(owners, scores, snapshot.n_file_ids).astype(np.float32)
    best = np.zeros(snapshot.n_file_ids, np.float32)
    if len(owners):
        # Node ids ascend and those of a file were mostly given in a row, so runs of one file are few.
        first = np.ones(len(owners), np.bool_)
        np.not_equal(owners[1:], owners[:-1], out=first[1:])
        starts = np.flatnonzero(first)
        np.maximum.at(best, owners.take(starts), np.maximum.reduceat(scores, starts))
    return best, total


def base_scores(best: Floats, total: Floats, corpus: Corpus, query: ParsedQuery) -> Floats:
    """A first lexical score per file id: its best node, raised by how many others match."""
    raised = _REPORT_COHERENCE if query.kind == "report" else _COHERENCE
    base = best + np.float32(raised) * np.log1p(total)
    wanted = query.wants_tests or query.wants_examples
    scored: Floats = base if wanted else np.where(corpus.plain, base, base * _TEST_FACTOR)
    return scored


def choose(
    snapshot: Snapshot,
    corpus: Corpus,
    base: Floats,
    near: NodeIds,
    named: tuple[NodeIds, NodeIds],
    allowed: Mask | None,
    budget: int,
) -> Candidates:
    """The best files by words, by meaning and by name, with their allowed nodes.

    `near` are node ids by falling similarity, `named` those that bear a name of the query letter for
    letter, then those that do in any letter case. `budget` bounds the number of files times four.
    """
    paths = snapshot.paths
    by_meaning = _distinct(snapshot.file_of[near], DENSE_FILES)
    bearing = [unique_sorted(snapshot.file_of[node_ids]) for node_ids in named if len(node_ids)]
    alike = [_best(files, base, NAMED_FILES, paths) for files in bearing]
    by_name = _distinct(np.concatenate([NO_NODE_IDS, *alike]), NAMED_FILES)
    by_words = _best(np.flatnonzero(base > 0), base, LEXICAL_FILES, paths)
    files = unique_sorted(np.concatenate((by_words, by_meaning, by_name)))
    most = max(1, budget // 4)
    truncated = len(files) > most
    if truncated:
        in_turn = _in_turn(by_words, by_meaning)
        files = np.sort(_distinct(np.concatenate((by_name, in_turn)), most))
    return gather(snapshot, corpus, files, allowed, truncated=truncated)


def gather(
    snapshot: Snapshot, corpus: Corpus, files: NodeIds, allowed: Mask | None, *, truncated: bool
) -> Candidates:
    """All allowed nodes of the given files; files left without one are dropped."""
    known = [entry for i in files.tolist() if (entry := corpus.files[i]) is not None]
    groups = [entry.node_ids for entry in known]
    if allowed is not None:
        groups = [node_ids[allowed[node_ids]] for node_ids in groups]
    counts = np.fromiter(map(len, groups), np.intp, len(groups))
    if not counts.all():
        known = [*compress(known, counts.tolist())]
        counts = counts[counts > 0]
    node_ids = np.concatenate([NO_NODE_IDS, *groups], dtype=np.intp)
    position = np.full(snapshot.n_node_ids, -1, np.int32)
    position[node_ids] = np.arange(len(node_ids), dtype=np.int32)
    return Candidates(
        files=np.fromiter(map(_FILE_ID, known), np.intp, len(known)),
        node_ids=node_ids,
        starts=np.cumsum(counts) - counts,
        owner=np.repeat(np.arange(len(known)), counts),
        position=position,
        entries=tuple(known),
        considered=len(node_ids),
        truncated=truncated,
    )


def _best(files: Positions, scores: Floats, k: int, paths: Sequence[str]) -> NodeIds:
    """The k of some files with the largest scores, by falling score, then by path: file ids tell
    in which order files came to the index, which is not to show."""
    found = scores.take(files)
    inside = files.take(top_k(found, k))
    numbers = inside.tolist()
    falling = (-scores[inside]).tolist()
    ranked = sorted(zip(falling, map(paths.__getitem__, numbers), numbers, strict=True))
    return np.array([number for *_, number in ranked[:k]], np.int32)


def _in_turn(first: NodeIds, second: NodeIds) -> NodeIds:
    """One of each in turn, then the rest of the longer."""
    both = min(len(first), len(second))
    paired = np.stack((first[:both], second[:both]), axis=1).ravel()
    return np.concatenate((paired, first[both:], second[both:]))


def _distinct(values: NDArray[np.int32], k: int) -> NodeIds:
    """The first k distinct values, in their order."""
    return np.array([*dict.fromkeys(values.tolist())][:k], np.int32)
