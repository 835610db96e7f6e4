"""The linear ranker: score = sum of weight times signal, and where the weights come from.

`node_weights.json` ranks nodes, `file_weights.json` files by their best node. Each holds one set of
weights per kind of query for searches with vectors (`hybrid`), without (`lexical`) and by vectors
alone (`dense`), with the command, the data and the date that fitted them. For nodes phrases and
prose are one kind, `question`, whose words never lower a node.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import compress
from math import inf
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Doubles, Positions, top_k
from packhound.core.settings import Settings
from packhound.core.trace import traced
from packhound.core.types import SignalValue
from packhound.search.order import SCORE_DIGITS
from packhound.search.query.parse import QueryKind
from packhound.search.signals.context import SignalContext
from packhound.search.signals.registry import EXACT_MATCH, FILE_SIGNALS, NODE_SIGNALS, Signal

Source = Literal["hybrid", "lexical", "dense"]
Unit = Literal["node", "file"]

DIVERSITY = "same_file_above"
"""The signal that keeps one file from flooding the results."""

REPRESENTATIVE = "speaks_for_file"
"""The signal that gives the rank of a file to the node that answers best in it."""

_EXACT_WEIGHT = 100.0
"""More than all other signals together, for each level: no sum of likelihoods outweighs a fact."""

_QUESTIONS = "phrase", "prose"
"""Kinds of query that `node_weights.json` has one set for, `question`."""

_SCORE_TOLERANCE = 1e-8
"""More than the difference between scores that count as equal."""


@dataclass(frozen=True)
class Weights:
    """The weights for one kind of query: signals with their weight, and those within a file.

    `diversity`, never negative, is subtracted from a node for each better node of the same file.
    Better is what scores more by `in_file`, a weight for each signal of `node`, or by `node` where
    it is empty: what finds the right file is not what finds the right function in it.
    """

    file: tuple[tuple[Signal, float], ...]
    node: tuple[tuple[Signal, float], ...]
    diversity: float
    in_file: tuple[float, ...] = ()

    @cached_property
    def factors(self) -> tuple[Doubles, Doubles]:
        """The weights alone, of files and of nodes."""
        file, node = ([weight for _, weight in pairs] for pairs in (self.file, self.node))
        return np.array(file, np.float64), np.array(node, np.float64)

    @cached_property
    def by_name(self) -> tuple[Positions, tuple[str, ...], Doubles]:
        """Signals with a weight in the order of their names: their rows, names and weights.

        The rows are those of files, then those of nodes, then diversity and representative.
        """
        pairs = [(signal.name, weight) for signal, weight in (*self.file, *self.node)]
        pairs += [(DIVERSITY, -self.diversity), (REPRESENTATIVE, 1.0)]
        rows = sorted(
            (row for row, (_, weight) in enumerate(pairs) if weight), key=pairs.__getitem__
        )
        names, factors = zip(*(pairs[row] for row in rows), strict=True)
        return np.array(rows), names, np.array(factors, np.float64)

    def without(self, signals: frozenset[str]) -> Weights:
        """Return the same weights without those of some signals."""
        remaining = [signal.name not in signals for signal, _ in self.node]
        return Weights(
            tuple(pair for pair in self.file if pair[0].name not in signals),
            tuple(compress(self.node, remaining)),
            0.0 if DIVERSITY in signals else self.diversity,
            () if REPRESENTATIVE in signals else tuple(compress(self.in_file, remaining)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Scores of the candidate nodes that can be among the best, and the values behind them.

    `nodes` are positions among the candidates, ascending, with a score each. `parts` have the
    values of the signals, as a matrix [signals, columns] and the column of each of `nodes`; `rows`
    are those that `names` and `weights` belong to.
    """

    nodes: Positions
    scores: NDArray[np.floating[Any]]
    names: tuple[str, ...]
    weights: Doubles
    parts: Sequence[tuple[NDArray[np.floating[Any]], Positions]]
    rows: Positions

    @property
    def rounded(self) -> Doubles:
        """The scores as they are compared."""
        rounded: Doubles = np.asarray(self.scores, np.float64).round(SCORE_DIGITS)
        return rounded

    def contributions(self, rows: Sequence[int] | Positions) -> Doubles:
        """Return what each signal adds to each `nodes[row]`, [signals, rows]."""
        return self.weights[:, None] * self._values(rows)

    def why(self, rows: Sequence[int]) -> list[tuple[SignalValue, ...]]:
        """Return the reasons for the score of each `nodes[row]`, the greatest first."""
        values, weights = self._values(rows), self.weights.tolist()
        orders = np.argsort(-np.abs(self.weights[:, None] * values), axis=0, kind="stable")
        return [
            tuple([SignalValue(self.names[i], column[i], weights[i]) for i in order if column[i]])
            for order, column in zip(orders.T.tolist(), values.T.tolist(), strict=True)
        ]

    def _values(self, rows: Sequence[int] | Positions) -> NDArray[np.floating[Any]]:
        chosen = np.asarray(rows, np.intp)
        parts = [values[:, columns[chosen]] for values, columns in self.parts]
        return np.concatenate(parts)[self.rows]


def score_linear(context: SignalContext, weights: Weights, depth: int) -> Ranking:
    """Score the candidate nodes that can be among the best `depth`."""
    candidates = context.candidates
    file = _compute_signals(weights.file, context.whole, len(candidates.files))
    node = _compute_signals(weights.node, context, len(candidates))
    file_factors, node_factors = weights.factors
    scores = node_factors @ node + (file_factors @ file).take(candidates.owner)
    best, k = candidates.file_max(scores), max(1, depth)
    # A file's representative gets the score of its best node, and no other node is boosted.
    floor = best.take(top_k(best, k)).min() if len(best) > k else -inf
    nodes = np.flatnonzero((best >= floor - _SCORE_TOLERANCE).take(candidates.owner))
    scores, owner = scores.take(nodes), candidates.owner.take(nodes)
    in_file_scores = np.array(weights.in_file) @ node[:, nodes] if weights.in_file else scores
    better = _count_better_in_file(in_file_scores, scores, owner)
    boosts = np.where(better == 0, best.take(owner) - scores, 0.0)
    scores = scores + boosts - weights.diversity * better
    rows, names, factors = weights.by_name
    every = np.arange(len(nodes))
    parts = ((file, owner), (node, nodes), (better[None], every), (boosts[None], every))
    return Ranking(nodes, scores, names, factors, parts, rows)


@traced("signals")
def _compute_signals(
    signals: tuple[tuple[Signal, float], ...], context: SignalContext, n: int
) -> Doubles:
    values = np.empty((len(signals), n), np.float64)
    for row, (signal, _) in enumerate(signals):
        values[row] = signal.function(context)
    return values


def _count_better_in_file(in_file_scores: Doubles, scores: Doubles, owner: Positions) -> Doubles:
    """Count the better nodes of the same file for each node; `owner` ascends.

    Of those that are alike within the file the one that scores more is better. Equals in both are
    not better than each other: which of them was indexed first must not show.
    """
    in_file_scores, scores = in_file_scores.round(SCORE_DIGITS), scores.round(SCORE_DIGITS)
    order = np.lexsort((-scores, -in_file_scores, owner))
    equal = np.ones(max(0, len(owner) - 1), np.bool_)
    for values in (in_file_scores.take(order), scores.take(order), owner):
        equal &= values[1:] == values[:-1]
    places = np.arange(len(owner))
    places[1:][equal] = 0
    counts = np.empty(len(owner), np.float64)
    counts[order] = np.maximum.accumulate(places) - np.searchsorted(owner, owner)
    return counts


def weights_for(unit: Unit, source: Source, kind: QueryKind, settings: Settings) -> Weights:
    """Return the fitted weights that rank a unit, times the factors of the settings."""
    return _load(unit, settings.words.weight, settings.meaning.weight)[source, kind]


@lru_cache(maxsize=16)
def _load(unit: Unit, words: float, meaning: float) -> dict[tuple[str, str], Weights]:
    factors = {"Name": words, "Words": words, "Meaning": meaning}
    text = Path(__file__).with_name(f"{unit}_weights.json").read_text("utf-8")
    return {
        (source, kind): weights
        for source, kinds in json.loads(text)["sets"].items()
        for name, groups in kinds.items()
        for weights in [_from_json(groups, factors)]
        for kind in (_QUESTIONS if name == "question" else (name,))
    }


def _from_json(groups: dict[str, dict[str, float]], factors: Mapping[str, float]) -> Weights:
    """Return weights times the factors of groups; signals without a weight are not computed."""
    file, node, in_file = groups["file"], groups["node"], groups["within"]
    node = {**node, EXACT_MATCH: _EXACT_WEIGHT}
    in_file = {**in_file, EXACT_MATCH: _EXACT_WEIGHT} if in_file else in_file
    used = [signal for signal in NODE_SIGNALS if signal.name in node.keys() | in_file.keys()]

    def weigh(weights: Mapping[str, float], signal: Signal) -> float:
        return weights.get(signal.name, 0.0) * factors.get(signal.group, 1.0)

    return Weights(
        tuple((each, weigh(file, each)) for each in FILE_SIGNALS if each.name in file),
        tuple((each, weigh(node, each)) for each in used),
        float(groups["repeat"][DIVERSITY]),
        tuple(weigh(in_file, each) for each in used) if in_file else (),
    )
