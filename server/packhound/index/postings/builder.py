"""The words of files to postings: each run of words becomes its terms, and equal ones are counted.

Everything is done on whole arrays of many files at once; only distinct runs and terms are looked
at one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import LongInts, NodeIds, concat_ranges
from packhound.core.types import FIELDS
from packhound.index.node_runs import only
from packhound.parsing.analysed_file import FIELD_OF_PART, NodeRuns
from packhound.text.tokenizer import terms_of_run

N_FIELDS = len(FIELDS)

_MAX_TF = 65_535
_FIELD_OF_PART = np.array([-1 if idx is None else idx for idx in FIELD_OF_PART])


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Postings sorted by term, field and node id.

    `terms` ascend. `counts[t * N_FIELDS + f]` says how many of the postings are those of term t in
    field f. `lengths` are the number of terms in each field, [n_labels, N_FIELDS].
    """

    terms: list[str]
    counts: LongInts
    node_ids: NodeIds
    tf: NDArray[np.uint16]
    lengths: NDArray[np.int32]


def counted(words: NodeRuns, node_id_of_node: NodeIds, n_node_ids: int) -> Counted:
    """Count the terms of nodes for the node ids 0 .. n_labels - 1; -1 leaves a node out.

    A term that a field holds more than 65,535 times counts as 65,535.
    """
    kept = node_id_of_node >= 0
    words, node_ids = only(words, kept), node_id_of_node[kept].astype(np.int64)
    bits = n_node_ids.bit_length()
    terms, starts, ranks = _split(words.runs)
    cells = np.repeat(_FIELD_OF_PART << bits | node_ids[:, None], words.lengths.ravel())
    in_fields = cells >= 0
    run, cells = words.run[in_fields], cells[in_fields]
    spread = np.diff(starts)[run]
    key = (ranks * N_FIELDS << bits)[concat_ranges(starts[run], spread)]
    key += np.repeat(cells, spread)
    key.sort()
    firsts = np.flatnonzero(np.diff(key, prepend=-1))
    tf = np.minimum(np.diff(firsts, append=len(key)), _MAX_TF)
    place, node_id = key[firsts] >> bits, key[firsts] & ((1 << bits) - 1)
    lengths = np.bincount(node_id * N_FIELDS + place % N_FIELDS, tf, n_node_ids * N_FIELDS)
    return Counted(
        terms=terms,
        counts=np.bincount(place, minlength=len(terms) * N_FIELDS),
        node_ids=node_id.astype(np.int32),
        tf=tf.astype(np.uint16),
        lengths=lengths.astype(np.int32).reshape(n_node_ids, N_FIELDS),
    )


def _split(runs: Sequence[str]) -> tuple[list[str], LongInts, LongInts]:
    """All terms of the runs, ascending; where those of each run start, and their positions."""
    found = [terms_of_run(run) for run in runs]
    flat = list(chain.from_iterable(found))
    terms = sorted(set(flat))
    rank = dict(zip(terms, range(len(terms)), strict=True))
    ranks = np.fromiter(map(rank.__getitem__, flat), np.int64, len(flat))
    sizes = np.fromiter(map(len, found), np.int64, len(found))
    return terms, np.concatenate(([0], np.cumsum(sizes))), ranks
