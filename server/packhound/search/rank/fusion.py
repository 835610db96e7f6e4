"""From signals to one order: the learned linear ranker, or reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats
from packhound.core.types import Signal
from packhound.search.protocols import Fuser, Scorer
from packhound.search.rank.linear import Scored, Source, score_linear, weights_for
from packhound.search.signals.context import View
from packhound.search.signals.node import dense_node, node_words

RRF_K = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""


def fuser(name: str, source: Source) -> Fuser:
    """The fuser of that name; anything but `rrf` is the linear ranker."""
    if name == "rrf":
        return ReciprocalRanks((node_words, dense_node))
    return Linear(source)


@dataclass(frozen=True, slots=True)
class Linear:
    """The learned ranker, with the weights for the kind of query at hand."""

    source: Source

    def __call__(self, view: View, depth: int) -> Scored:
        """Score the candidate nodes of `view` that can be among the best `depth`."""
        return score_linear(view, weights_for(self.source, view.query.kind), depth)


@dataclass(frozen=True, slots=True)
class ReciprocalRanks:
    """Each scorer gives 1 / (60 + rank) to every node that it found."""

    scorers: tuple[Scorer, ...]

    def __call__(self, view: View, depth: int) -> ReciprocalRanking:
        """Score every candidate node of `view`."""
        shares = np.stack([_reciprocal(scorer(view)) for scorer in self.scorers])
        names = tuple(scorer.__name__ for scorer in self.scorers)
        return ReciprocalRanking(np.arange(len(view.candidates)), names, shares, shares.sum(axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class ReciprocalRanking:
    """What each scorer gave each node."""

    nodes: NDArray[np.intp]
    names: tuple[str, ...]
    shares: Floats
    scores: Floats

    def why(self, chosen: Sequence[int]) -> list[tuple[Signal, ...]]:
        """One reason per scorer that found the node."""
        return [
            tuple(
                Signal(f"{name}_place", share, 1.0)
                for name, share in zip(self.names, given, strict=True)
                if share
            )
            for given in self.shares[:, chosen].T.tolist()
        ]


def _reciprocal(scores: Floats) -> Floats:
    order = np.argsort(-scores, kind="stable")
    ranks = np.empty(len(scores), np.float32)
    # Nodes with equal scores share a rank, so that the order of node ids says nothing.
    ranks[order] = np.searchsorted(-scores[order], -scores[order], side="left") + 1
    return np.where(scores > 0, 1 / (RRF_K + ranks), 0).astype(np.float32)
