"""What signals look at, and the arithmetic that they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats
from packhound.index.snapshot import Snapshot
from packhound.search.query.parse import ParsedQuery
from packhound.search.retrieve.bm25 import Lexical
from packhound.search.retrieve.candidates import Candidates
from packhound.search.retrieve.corpus_stats import Corpus
from packhound.text.path_features import FLAGS

Value = TypeVar("Value", bound=np.generic)
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """All that signals may look at: one query, its candidates and what was measured of them.

    `best`, `total`, `base` and `centroid` have one row per candidate file, the other arrays one
    per candidate node. Those are None where there are no vectors, or where the query is no report.
    `kinds` are positions in `types.KINDS`.
    """

    query: ParsedQuery
    snapshot: Snapshot
    corpus: Corpus
    candidates: Candidates
    lexical: Lexical
    compounds: Floats
    kinds: NDArray[np.intp]
    best: Floats
    total: Floats
    base: Floats
    named: NDArray[np.bool_]
    named_folded: NDArray[np.bool_]
    owned: NDArray[np.bool_]
    similarity: Floats | None
    centroid: Floats | None
    title_similarity: Floats | None = None
    code_similarity: Floats | None = None
    mentioned: Floats | None = None
    framed: Floats | None = None
    _kept: dict[Callable[[View], Any], Any] = field(default_factory=dict)

    def node(self, values: NDArray[Value]) -> NDArray[Value]:
        """Values per node id, at the candidate nodes."""
        return values.take(self.candidates.node_ids)

    def file(self, values: NDArray[Value]) -> NDArray[Value]:
        """Values per file id, at the candidate files."""
        return values.take(self.candidates.files)

    def flags(self, name: str) -> Floats:
        """A yes-or-no fact of the candidate files as 0 and 1."""
        return self.file(self.corpus.flags[FLAGS.index(name)])

    def kept(self, make: Callable[[View], Made]) -> Made:
        """What `make` makes of this view, made once since several signals share it."""
        if make not in self._kept:
            self._kept[make] = make(self)
        made: Made = self._kept[make]
        return made


Measure = Callable[[View], Floats]


def relative(values: Floats) -> Floats:
    """Divided by the largest, so that queries of any length are on one scale."""
    top_k = values.max(initial=0)
    return values / top_k if top_k > 0 else np.zeros_like(values)


def ranks(values: Floats) -> Floats:
    """1 for the best, falling with the logarithm of the rank, 0 from rank 60 on."""
    falling = -values
    # Equal values share the best rank among them, so that order within ties says nothing.
    ranks = np.sort(falling).searchsorted(falling).astype(np.float32)
    fallen = 1 - np.log1p(ranks) / np.float32(np.log(60.0))
    return np.asarray(np.maximum(0, fallen), np.float32)


def no_file(view: View) -> Floats:
    """Zero for every candidate file."""
    return np.zeros(len(view.candidates.files), np.float32)


def no_node(view: View) -> Floats:
    """Zero for every candidate node."""
    return np.zeros(len(view.candidates), np.float32)
