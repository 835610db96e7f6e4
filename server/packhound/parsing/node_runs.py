"""Operations on the runs of many nodes: concatenate those of several files, select some nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import count

import numpy as np

from packhound.core.arrays import Mask, compact
from packhound.parsing.analysed_file import PARTS, NodeRuns


def concatenate_runs(files: Sequence[NodeRuns]) -> NodeRuns:
    """Return the nodes of all files in turn, each distinct run once."""
    if len(files) == 1:
        return files[0]
    # A new run gets the next number.
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    parts, lengths = [np.zeros(0, np.int32)], [np.zeros((0, len(PARTS)), np.int32)]
    for words in files:
        renumbered = np.fromiter(map(numbers.__getitem__, words.runs), np.int32, len(words.runs))
        parts.append(renumbered[words.run])
        lengths.append(words.lengths)
    return NodeRuns([*numbers], np.concatenate(parts), np.concatenate(lengths))


def select_nodes(words: NodeRuns, selected: Mask) -> NodeRuns:
    """Return the selected nodes and the runs that they use."""
    if selected.all():
        return words
    run = words.run[np.repeat(selected, words.lengths.sum(axis=1))]
    return NodeRuns(*compact(words.runs, run), words.lengths[selected])
