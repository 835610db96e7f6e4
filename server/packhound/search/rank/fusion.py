"""Signals to one order: the learned linear ranker, or reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Doubles, Floats, Positions
from packhound.core.types import Signal
from packhound.search.order import SCORE_DIGITS
from packhound.search.rank.linear import Source, Unit, score_linear, weights_for
from packhound.search.signals.context import SignalContext
from packhound.search.signals.node import dense_node, node_words

RRF_K = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""


class Ranking(Protocol):
    """Scores of the candidate nodes that can be among the best, and the reasons for them."""

    @property
    def nodes(self) -> Positions:
        """Their positions among the candidates, ascending."""

    @property
    def scores(self) -> NDArray[np.float32] | NDArray[np.float64]:
        """One score per node of `nodes`."""

    def contributions(self, rows: Sequence[int] | Positions) -> tuple[tuple[str, ...], Doubles]:
        """Return the names of the signals and what each adds to each `nodes[row]`."""

    def why(self, rows: Sequence[int]) -> list[tuple[Signal, ...]]:
        """Return the reasons for the score of each `nodes[row]`, which add up to it."""


def rank(context: SignalContext, fuser: str, unit: Unit, source: Source, depth: int) -> Ranking:
    """Score candidate nodes, among them the best `depth`.

    `fuser` is `rrf` for reciprocal rank fusion, anything else for the linear ranker.
    """
    if fuser == "rrf":
        return fuse_reciprocal_ranks(context)
    return score_linear(context, weights_for(unit, source, context.query.kind), depth)


def competing_rows(context: SignalContext, ranking: Ranking, unit: Unit) -> Positions:
    """Return the rows of a ranking that compete: all, or the best of each file."""
    if unit == "node":
        return np.arange(len(ranking.scores))
    scores: Doubles = np.asarray(ranking.scores, np.float64).round(SCORE_DIGITS)
    return _best_row_of_each_file(scores, context.candidates.owner.take(ranking.nodes))


def _best_row_of_each_file(scores: Doubles, owner: Positions) -> Positions:
    """Return the row with the best score of each owner; the first where several have it."""
    order = np.lexsort((-scores, owner))
    owners = owner[order]
    return order[np.flatnonzero(np.diff(owners, prepend=-1))]


@dataclass(frozen=True, slots=True, eq=False)
class ReciprocalRanking:
    """The share of the score that each signal gave each node, [signals, nodes]."""

    nodes: Positions
    names: tuple[str, ...]
    shares: Floats
    scores: Floats

    def contributions(self, rows: Sequence[int] | Positions) -> tuple[tuple[str, ...], Doubles]:
        """Return the names of the signals and what each adds to each `nodes[row]`."""
        names = tuple(f"{name}_place" for name in self.names)
        return names, self.shares[:, rows].astype(np.float64)

    def why(self, rows: Sequence[int]) -> list[tuple[Signal, ...]]:
        """Return one reason per signal that matched the node."""
        return [
            tuple(
                Signal(f"{name}_place", share, 1.0)
                for name, share in zip(self.names, shares, strict=True)
                if share
            )
            for shares in self.shares[:, rows].T.tolist()
        ]


def fuse_reciprocal_ranks(context: SignalContext) -> ReciprocalRanking:
    """Score every candidate node: each signal gives 1 / (60 + rank) to the nodes that match it."""
    signals = (node_words, dense_node)
    shares = np.stack([_reciprocal_ranks(signal(context)) for signal in signals])
    names = tuple(signal.__name__ for signal in signals)
    return ReciprocalRanking(np.arange(len(context.candidates)), names, shares, shares.sum(axis=0))


def _reciprocal_ranks(scores: Floats) -> Floats:
    order = np.argsort(-scores, kind="stable")
    ranks = np.empty(len(scores), np.float32)
    # Nodes with equal scores share a rank, so that the order of node ids does not show.
    ranks[order] = np.searchsorted(-scores[order], -scores[order], side="left") + 1
    return np.where(scores > 0, 1 / (RRF_K + ranks), 0).astype(np.float32)
