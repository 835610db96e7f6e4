"""The linear ranker: score = sum of weight times signal, and where the weights come from.

`weights.json` holds one set of weights per kind of query for searches with vectors (`hybrid`) and
one for those without (`lexical`), with the command, the data and the date that fitted them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import compress
from math import inf
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Doubles, Positions, top_k
from packhound.core.types import Signal
from packhound.search.query.parse import QueryKind
from packhound.search.signals.context import Measure, View
from packhound.search.signals.registry import FILE_SIGNALS, NODE_SIGNALS

Source = Literal["hybrid", "lexical", "dense"]


@dataclass(frozen=True)
class Weights:
    """The weights for one kind of query: signals that have one, and those of a repeated file.

    `repeat`, never negative, is taken from a node for each better node of the same file. Better is
    what scores more by `within`, a weight for each signal of `node`, or by `node` where it is
    empty: what finds the right file is not what finds the right function in it.
    """

    file: tuple[tuple[Measure, float], ...]
    node: tuple[tuple[Measure, float], ...]
    repeat: float
    within: tuple[float, ...] = ()

    @cached_property
    def factors(self) -> tuple[Doubles, Doubles]:
        """The weights alone, of files and of nodes."""
        file, node = ([weight for _, weight in pairs] for pairs in (self.file, self.node))
        return np.array(file, np.float64), np.array(node, np.float64)

    @cached_property
    def by_name(self) -> tuple[NDArray[np.intp], tuple[str, ...], Doubles]:
        """Signals that have a weight in the order of their names: their rows, names and weights.

        The rows are those of files, then those of nodes, then those of repeats and of speakers.
        """
        pairs = [(measure.__name__, weight) for measure, weight in (*self.file, *self.node)]
        pairs += [(REPEATED, -self.repeat), (SPEAKS, 1.0)]
        rows = sorted(
            (row for row, (_, weight) in enumerate(pairs) if weight), key=pairs.__getitem__
        )
        names, factors = zip(*(pairs[row] for row in rows), strict=True)
        return np.array(rows), names, np.array(factors, np.float64)

    def without(self, signals: frozenset[str]) -> Weights:
        """The same weights but for those of some signals."""
        kept = [measure.__name__ not in signals for measure, _ in self.node]
        return Weights(
            tuple(pair for pair in self.file if pair[0].__name__ not in signals),
            tuple(compress(self.node, kept)),
            0.0 if REPEATED in signals else self.repeat,
            () if SPEAKS in signals else tuple(compress(self.within, kept)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Scores of the candidate nodes that can be among the best, and the values behind them.

    `nodes` are their positions among the candidates, ascending, with `scores`, `owner`, the file
    of each, `repeats`, how many nodes of its file are better, and `lifts`, what the best of them
    gains to stand for its file, beside them. `file` [signals, files] and `node` [signals, candidate
    nodes] hold the values.
    """

    nodes: Positions
    scores: Doubles
    weights: Weights
    file: Doubles
    node: Doubles
    owner: Positions
    repeats: Doubles
    lifts: Doubles

    def why(self, chosen: Sequence[int]) -> list[tuple[Signal, ...]]:
        """The reasons for the score of each `nodes[i]`, the greatest first; they add up to it."""
        at = np.array(chosen, np.intp)
        rows, names, factors = self.weights.by_name
        of_nodes = (self.node[:, self.nodes[at]], self.repeats[None, at], self.lifts[None, at])
        values = np.concatenate((self.file[:, self.owner[at]], *of_nodes))[rows]
        orders = np.argsort(-np.abs(factors[:, None] * values), axis=0, kind="stable")
        weights = factors.tolist()
        return [
            tuple([Signal(names[i], found[i], weights[i]) for i in order if found[i]])
            for order, found in zip(orders.T.tolist(), values.T.tolist(), strict=True)
        ]


REPEATED = "same_file_above"
"""The signal that keeps one file from flooding the results."""

SPEAKS = "speaks_for_file"
"""The signal that gives the place of a file to the node that answers best in it."""

_ROUNDED = 1e-8
"""More than the difference between scores that count as equal."""


def score_linear(view: View, weights: Weights, depth: int) -> Scored:
    """Score the candidate nodes of `view` that can be among the best `depth`."""
    candidates = view.candidates
    file = _measured(weights.file, view, len(candidates.files))
    node = _measured(weights.node, view, len(candidates))
    of_file, of_node = weights.factors
    scores = of_node @ node + (of_file @ file).take(candidates.owner)
    best, k = candidates.best(scores), max(1, depth)
    # The best node of a file stands where the file does, and no other node gains.
    floor = best.take(top_k(best, k)).min() if len(best) > k else -inf
    nodes = np.flatnonzero((best >= floor - _ROUNDED).take(candidates.owner))
    scores, owner = scores.take(nodes), candidates.owner.take(nodes)
    standing = np.array(weights.within) @ node[:, nodes] if weights.within else scores
    repeats = _repeats(standing, owner)
    lifts = np.where(repeats == 0, best.take(owner) - scores, 0.0)
    scores = scores + lifts - weights.repeat * repeats
    return Scored(nodes, scores, weights, file, node, owner, repeats, lifts)


def _measured(signals: tuple[tuple[Measure, float], ...], view: View, n: int) -> Doubles:
    values = np.empty((len(signals), n), np.float64)
    for row, (measure, _) in enumerate(signals):
        values[row] = measure(view)
    return values


def _repeats(scores: Doubles, owner: Positions) -> Doubles:
    """How many nodes of the same file are better than each node; `owner` ascends."""
    order = np.lexsort((-scores, owner))
    repeats = np.empty(len(scores), np.float64)
    repeats[order] = np.arange(len(scores)) - np.searchsorted(owner, owner)
    return repeats


def weights_for(source: Source, kind: QueryKind) -> Weights:
    """The fitted weights."""
    return _load()[source, kind]


@lru_cache(maxsize=1)
def _load() -> dict[tuple[str, str], Weights]:
    text = Path(__file__).with_name("weights.json").read_text("utf-8")
    return {
        (source, kind): _weights(given)
        for source, kinds in json.loads(text)["sets"].items()
        for kind, given in kinds.items()
    }


def _weights(given: dict[str, dict[str, float]]) -> Weights:
    """Weights by the names of their signals; signals without one are not measured."""
    file, node, within = given["file"], given["node"], given["within"]
    used = [signal for signal in NODE_SIGNALS if signal.__name__ in node.keys() | within.keys()]
    return Weights(
        tuple(
            (signal, file[signal.__name__]) for signal in FILE_SIGNALS if signal.__name__ in file
        ),
        tuple((signal, node.get(signal.__name__, 0.0)) for signal in used),
        float(given["repeat"][REPEATED]),
        tuple(within.get(signal.__name__, 0.0) for signal in used) if within else (),
    )
