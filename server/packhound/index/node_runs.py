"""Runs of many nodes at once: those of several files joined, and those of some nodes alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from packhound.core.arrays import Mask, compact
from packhound.parsing.analysed_file import PARTS, NodeRuns


class _Known(dict[str, int]):
    """Runs with their numbers; asking for a new one gives it the next."""

    def __missing__(self, run: str) -> int:
        number = self[run] = len(self)
        return number


def joined(files: Sequence[NodeRuns]) -> NodeRuns:
    """The nodes of all files in turn, with each run once."""
    if len(files) == 1:
        return files[0]
    known = _Known()
    parts, lengths = [np.zeros(0, np.int32)], [np.zeros((0, len(PARTS)), np.int32)]
    for words in files:
        numbers = np.fromiter(map(known.__getitem__, words.runs), np.int32, len(words.runs))
        parts.append(numbers[words.run])
        lengths.append(words.lengths)
    return NodeRuns([*known], np.concatenate(parts), np.concatenate(lengths))


def only(words: NodeRuns, kept: Mask) -> NodeRuns:
    """Some of the nodes, without runs that are of the others alone."""
    if kept.all():
        return words
    run = words.run[np.repeat(kept, words.lengths.sum(axis=1))]
    runs, places = compact(words.runs, run)
    return NodeRuns(runs, places, words.lengths[kept])
