"""Signals to one order: the learned linear ranker, a blend, or reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Doubles, Floats, Positions
from packhound.core.settings import Settings
from packhound.core.types import SignalValue
from packhound.search.order import SCORE_DIGITS
from packhound.search.rank.linear import Source, Unit, score_linear, weights_for
from packhound.search.rank.plugins import contributions_of
from packhound.search.signals.context import SignalContext, relative
from packhound.search.signals.node import dense_node, node_words

_SIGNALS = (node_words, dense_node)
"""What `rrf` and `blend` fuse."""

_BLEND_OF_WORDS = 0.5
"""Shares of 0.3 to 0.8 were tried on 170 graded questions (benchmarks/quality/results/blend.json):
0.4 and 0.5 are the best and equal."""

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

    def why(self, rows: Sequence[int]) -> list[tuple[SignalValue, ...]]:
        """Return the reasons for the score of each `nodes[row]`, which add up to it."""


def rank(
    context: SignalContext, settings: Settings, unit: Unit, source: Source, depth: int
) -> Ranking:
    """Score candidate nodes, among them the best `depth`, by the fuser of the settings.

    Raises PluginError where it is one of another package and fails.
    """
    if settings.search.fuser == "rrf":
        return fuse_reciprocal_ranks(context, settings)
    if settings.search.fuser == "blend":
        return blend(context, settings)
    if settings.search.fuser != "linear":
        names, values = contributions_of(settings.search.fuser, context)
        return _sum(names, values, (1.0,) * len(names))
    weights = weights_for(unit, source, context.query.kind, settings)
    return score_linear(context, weights, depth)


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
class SumRanking:
    """Values of a few named signals at each node, [signals, nodes], and their weights."""

    nodes: Positions
    names: tuple[str, ...]
    values: Floats
    weights: tuple[float, ...]
    scores: Floats

    def contributions(self, rows: Sequence[int] | Positions) -> tuple[tuple[str, ...], Doubles]:
        """Return the names of the signals and what each adds to each `nodes[row]`."""
        return self.names, self.values[:, rows] * np.array(self.weights)[:, None]

    def why(self, rows: Sequence[int]) -> list[tuple[SignalValue, ...]]:
        """Return one reason per signal that matched the node."""
        return [
            tuple(
                SignalValue(name, value, weight)
                for name, value, weight in zip(self.names, values, self.weights, strict=True)
                if value
            )
            for values in self.values[:, rows].T.tolist()
        ]


def fuse_reciprocal_ranks(context: SignalContext, settings: Settings) -> SumRanking:
    """Score every candidate node: each signal gives 1 / (60 + rank) to the nodes that match it."""
    names = tuple(f"{signal.__name__}_place" for signal in _SIGNALS)
    values = np.stack([_reciprocal_ranks(signal(context)) for signal in _SIGNALS])
    return _sum(names, values, (settings.words.weight, settings.meaning.weight))


def blend(context: SignalContext, settings: Settings) -> SumRanking:
    """Score every candidate node by a weighted mean of words and meaning, each 1 for the best.

    A convex combination (Bruch, Gai and Ingber 2023, "An Analysis of Fusion Functions").
    """
    names = tuple(signal.__name__ for signal in _SIGNALS)
    values = np.stack([relative(np.maximum(0, signal(context))) for signal in _SIGNALS])
    words = _BLEND_OF_WORDS * settings.words.weight
    return _sum(names, values, (words, (1 - _BLEND_OF_WORDS) * settings.meaning.weight))


def _sum(names: tuple[str, ...], values: Floats, weights: tuple[float, ...]) -> SumRanking:
    scores = np.asarray((values * np.array(weights, np.float32)[:, None]).sum(axis=0), np.float32)
    return SumRanking(np.arange(values.shape[1]), names, values, weights, scores)


def _reciprocal_ranks(scores: Floats) -> Floats:
    order = np.argsort(-scores, kind="stable")
    ranks = np.empty(len(scores), np.float32)
    # Nodes with equal scores share a rank, so that the order of node ids does not show.
    ranks[order] = np.searchsorted(-scores[order], -scores[order], side="left") + 1
    return np.where(scores > 0, 1 / (RRF_K + ranks), 0).astype(np.float32)
