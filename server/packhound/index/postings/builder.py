"""Invert the words of nodes: runs to terms, terms to postings with their term frequencies.

Everything works on whole arrays of many files at once; only distinct runs and terms are handled
one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Ints, LongInts, NodeIds, concat_ranges
from packhound.core.types import FIELDS
from packhound.parsing import FIELD_OF_PART, NodeRuns, select_nodes
from packhound.text import terms_of_run

N_FIELDS = len(FIELDS)

_MAX_TF = 65_535
_FIELD_OF_PART = np.array([-1 if idx is None else idx for idx in FIELD_OF_PART])


@dataclass(frozen=True, slots=True, eq=False)
class TermCounts:
    """Postings sorted by term, field and node id.

    `terms` ascend. `counts[t * N_FIELDS + f]` is the number of postings of term t in field f.
    `lengths` are the numbers of terms in each field, [n_node_ids, N_FIELDS].
    """

    terms: list[str]
    counts: LongInts
    node_ids: NodeIds
    tf: NDArray[np.uint16]
    lengths: Ints


def count_terms(words: NodeRuns, node_id_of_node: NodeIds, n_node_ids: int) -> TermCounts:
    """Count the terms of nodes for the node ids 0 .. n_node_ids - 1; -1 leaves a node out.

    A term that a field holds more than 65,535 times counts as 65,535.
    """
    selected = node_id_of_node >= 0
    words, node_ids = select_nodes(words, selected), node_id_of_node[selected].astype(np.int64)
    # A key is term, field and node id, so that one sort of integers sorts the postings.
    bits = n_node_ids.bit_length()
    terms, starts, ranks = _split_runs(words.runs)
    cells = np.repeat(_FIELD_OF_PART << bits | node_ids[:, None], words.lengths.ravel())
    in_fields = cells >= 0
    run, cells = words.run[in_fields], cells[in_fields]
    n_terms = np.diff(starts)[run]
    keys = (ranks * N_FIELDS << bits)[concat_ranges(starts[run], n_terms)]
    keys += np.repeat(cells, n_terms)
    keys.sort()
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    tf = np.minimum(np.diff(firsts, append=len(keys)), _MAX_TF)
    term_field, node_id = keys[firsts] >> bits, keys[firsts] & ((1 << bits) - 1)
    lengths = np.bincount(node_id * N_FIELDS + term_field % N_FIELDS, tf, n_node_ids * N_FIELDS)
    return TermCounts(
        terms=terms,
        counts=np.bincount(term_field, minlength=len(terms) * N_FIELDS),
        node_ids=node_id.astype(np.int32),
        tf=tf.astype(np.uint16),
        lengths=lengths.astype(np.int32).reshape(n_node_ids, N_FIELDS),
    )


def _split_runs(runs: Sequence[str]) -> tuple[list[str], LongInts, LongInts]:
    """Return all terms of the runs, ascending, the start of each run's terms, and their ranks."""
    terms_by_run = [terms_of_run(run) for run in runs]
    flat = list(chain.from_iterable(terms_by_run))
    terms = sorted(set(flat))
    rank_of = dict(zip(terms, range(len(terms)), strict=True))
    ranks = np.fromiter(map(rank_of.__getitem__, flat), np.int64, len(flat))
    sizes = np.fromiter(map(len, terms_by_run), np.int64, len(terms_by_run))
    return terms, np.concatenate(([0], np.cumsum(sizes))), ranks
