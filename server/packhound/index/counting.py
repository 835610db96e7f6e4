"""The words of files to postings: each run of words becomes its terms, and equal ones are counted.

Everything is done on whole arrays of many files at once; only distinct runs and terms are looked
at one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packhound.analysed import NodeRuns
from packhound.text.tokens import terms_of_run
from packhound.types import FIELDS

Labels = NDArray[np.int32]
Numbers = NDArray[np.int64]

N_FIELDS = len(FIELDS)

_MAX_TF = 65_535


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Postings sorted by term, field and label.

    `terms` ascend. `counts[t * N_FIELDS + f]` says how many of the postings are those of term t in
    field f. `lengths` are the number of terms in each field, [n_labels, N_FIELDS].
    """

    terms: list[str]
    counts: Numbers
    labels: Labels
    tf: NDArray[np.uint16]
    lengths: NDArray[np.int32]


def counted(files: Sequence[tuple[NodeRuns, Labels]], n_labels: int) -> Counted:
    """Count the terms of several files for the labels 0 .. n_labels - 1.

    With each file goes, for every node of it, the label, or -1 to leave the node out. A term that
    a field holds more than 65,535 times counts as 65,535.
    """
    runs, numbers, cells = _occurrences(files)
    terms, starts, ranks = _split(runs)
    spread = np.diff(starts)[numbers]
    term = ranks[_ragged(starts[numbers], spread)]
    labels, field_idx = np.divmod(np.repeat(cells, spread), N_FIELDS)
    bits = n_labels.bit_length()
    key = (term * N_FIELDS + field_idx) << bits | labels
    key.sort()
    firsts = np.flatnonzero(np.diff(key, prepend=-1))
    tf = np.minimum(np.diff(firsts, append=len(key)), _MAX_TF)
    place, label = key[firsts] >> bits, key[firsts] & ((1 << bits) - 1)
    lengths = np.bincount(label * N_FIELDS + place % N_FIELDS, tf, n_labels * N_FIELDS)
    return Counted(
        terms=terms,
        counts=np.bincount(place, minlength=len(terms) * N_FIELDS),
        labels=label.astype(np.int32),
        tf=tf.astype(np.uint16),
        lengths=lengths.astype(np.int32).reshape(n_labels, N_FIELDS),
    )


class _Known(dict[str, int]):
    """Runs with their numbers; asking for a new one gives it the next."""

    def __missing__(self, run: str) -> int:
        number = self[run] = len(self)
        return number


def _occurrences(
    files: Sequence[tuple[NodeRuns, Labels]],
) -> tuple[list[str], Numbers, Numbers]:
    """The distinct runs; which of them stands where, in turn; and its label and field as one."""
    known = _Known()
    numbers, cells = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for words, label_of_node in files:
        run: NDArray[np.signedinteger[Any]] = words.run
        runs: Sequence[str] = words.runs
        lengths, labels = words.lengths, label_of_node.astype(np.int64)
        kept = labels >= 0
        if not kept.all():
            run = run[np.repeat(kept, lengths.sum(axis=1))]
            lengths, labels = lengths[kept], labels[kept]
            used, run = np.unique(run, return_inverse=True)
            runs = [runs[i] for i in used.tolist()]
        numbers.append(np.fromiter(map(known.__getitem__, runs), np.int64, len(runs))[run])
        cells.append(np.repeat(labels[:, None] * N_FIELDS + np.arange(N_FIELDS), lengths.ravel()))
    return list(known), np.concatenate(numbers), np.concatenate(cells)


def _split(runs: Sequence[str]) -> tuple[list[str], Numbers, Numbers]:
    """All terms of the runs, ascending; where those of each run start, and their positions."""
    found = [terms_of_run(run) for run in runs]
    flat = list(chain.from_iterable(found))
    terms = sorted(set(flat))
    rank = dict(zip(terms, range(len(terms)), strict=True))
    ranks = np.fromiter(map(rank.__getitem__, flat), np.int64, len(flat))
    sizes = np.fromiter(map(len, found), np.int64, len(found))
    return terms, np.concatenate(([0], np.cumsum(sizes))), ranks


def _ragged(starts: Numbers, sizes: Numbers) -> Numbers:
    """The positions start .. start + size - 1 of each pair, in a row."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()))
