"""Signals to one order: the learned linear ranker, a blend, or reciprocal rank fusion."""

from __future__ import annotations

import numpy as np

from packhound.core.arrays import Floats, Positions
from packhound.core.settings import Settings
from packhound.search.rank.linear import Ranking, Source, Unit, score_linear, weights_for
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
    owner = context.candidates.owner.take(ranking.nodes)
    order = np.lexsort((-ranking.rounded, owner))
    # Where several have the best score, the first.
    return order[np.flatnonzero(np.diff(owner[order], prepend=-1))]


def fuse_reciprocal_ranks(context: SignalContext, settings: Settings) -> Ranking:
    """Score every candidate node: each signal gives 1 / (60 + rank) to the nodes that match it."""
    names = tuple(f"{signal.__name__}_place" for signal in _SIGNALS)
    values = np.stack([_reciprocal_ranks(signal(context)) for signal in _SIGNALS])
    return _sum(names, values, (settings.words.weight, settings.meaning.weight))


def blend(context: SignalContext, settings: Settings) -> Ranking:
    """Score every candidate node by a weighted mean of words and meaning, each 1 for the best.

    A convex combination (Bruch, Gai and Ingber 2023, "An Analysis of Fusion Functions").
    """
    names = tuple(signal.__name__ for signal in _SIGNALS)
    values = np.stack([relative(np.maximum(0, signal(context))) for signal in _SIGNALS])
    words = _BLEND_OF_WORDS * settings.words.weight
    return _sum(names, values, (words, (1 - _BLEND_OF_WORDS) * settings.meaning.weight))


def _sum(names: tuple[str, ...], values: Floats, weights: tuple[float, ...]) -> Ranking:
    scores = np.asarray((values * np.array(weights, np.float32)[:, None]).sum(axis=0), np.float32)
    nodes = np.arange(values.shape[1])
    parts, rows = ((values, nodes),), np.arange(len(names))
    return Ranking(nodes, scores, names, np.array(weights), parts, rows)


def _reciprocal_ranks(scores: Floats) -> Floats:
    order = np.argsort(-scores, kind="stable")
    ranks = np.empty(len(scores), np.float32)
    # Nodes with equal scores share a rank, so that the order of node ids does not show.
    ranks[order] = np.searchsorted(-scores[order], -scores[order], side="left") + 1
    return np.where(scores > 0, 1 / (RRF_K + ranks), 0).astype(np.float32)
