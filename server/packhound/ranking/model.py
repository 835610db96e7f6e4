"""The linear ranker: score = sum of weight times signal, and where the weights come from.

`weights.json` holds one set of weights per kind of query for searches with vectors (`hybrid`) and
one for those without (`lexical`), with the command, the data and the date that fitted them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from packhound.ranking.query import QueryKind
from packhound.ranking.signals import FILE_SIGNALS, NODE_SIGNALS
from packhound.ranking.view import Measure, View
from packhound.types import Signal

Floats = NDArray[np.float64]
Source = Literal["hybrid", "lexical", "dense"]


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights for one kind of query: signals that have one, and those of a repeated file.

    `repeat` is taken from a node for each better node of the same file.
    """

    file: tuple[tuple[Measure, float], ...]
    node: tuple[tuple[Measure, float], ...]
    repeat: float

    def without(self, signals: frozenset[str]) -> Weights:
        """The same weights but for those of some signals."""
        return Weights(
            tuple(pair for pair in self.file if pair[0].__name__ not in signals),
            tuple(pair for pair in self.node if pair[0].__name__ not in signals),
            0.0 if REPEATED in signals else self.repeat,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Scores of all candidate nodes and the values behind them.

    `file` [signals, files] and `node` [signals, nodes] hold the values, `owner` the file of each
    node, `repeats` how many nodes of its file score better.
    """

    scores: Floats
    weights: Weights
    file: Floats
    node: Floats
    owner: NDArray[np.intp]
    repeats: Floats

    def why(self, position: int) -> tuple[Signal, ...]:
        """The reasons for the score of the node at `position`; they add up to it."""
        weights = self.weights
        values = [*self.file[:, self.owner[position]].tolist(), *self.node[:, position].tolist()]
        rows = [
            (-abs(weight * value), measure.__name__, value, weight)
            for (measure, weight), value in zip((*weights.file, *weights.node), values, strict=True)
            if value
        ]
        repeats = float(self.repeats[position])
        if repeats:
            rows.append((-abs(weights.repeat * repeats), REPEATED, repeats, -weights.repeat))
        rows.sort()
        return tuple(Signal(name, value, weight) for _, name, value, weight in rows)


REPEATED = "same_file_above"
"""The signal that keeps one file from flooding the results."""


def score_linear(view: View, weights: Weights) -> Scored:
    """Score every candidate node of `view`."""
    candidates = view.candidates
    file = _measured(weights.file, view, len(candidates.files))
    node = _measured(weights.node, view, len(candidates))
    scores = _factors(weights.node) @ node + (_factors(weights.file) @ file)[candidates.owner]
    repeats = _repeats(scores, view)
    return Scored(scores - weights.repeat * repeats, weights, file, node, candidates.owner, repeats)


def _measured(signals: tuple[tuple[Measure, float], ...], view: View, n: int) -> Floats:
    values = np.empty((len(signals), n), np.float64)
    for row, (measure, _) in enumerate(signals):
        values[row] = measure(view)
    return values


def _factors(signals: tuple[tuple[Measure, float], ...]) -> Floats:
    return np.array([weight for _, weight in signals], np.float64)


def _repeats(scores: Floats, view: View) -> Floats:
    """How many nodes of the same file score better than each node."""
    candidates = view.candidates
    order = np.argsort(-scores, kind="stable")
    order = order[np.argsort(candidates.owner[order].astype(np.int16), kind="stable")]
    repeats = np.empty(len(scores), np.float64)
    repeats[order] = np.arange(len(scores)) - candidates.starts[candidates.owner]
    return repeats


def weights_for(source: Source, kind: QueryKind) -> Weights:
    """The fitted weights."""
    return _load()[source, kind]


@lru_cache(maxsize=1)
def _load() -> dict[tuple[str, str], Weights]:
    text = files("packhound.ranking").joinpath("weights.json").read_text("utf-8")
    return {
        (source, kind): _weights(given)
        for source, kinds in json.loads(text)["sets"].items()
        for kind, given in kinds.items()
    }


def _weights(given: dict[str, dict[str, float]]) -> Weights:
    return read_weights(given["file"], given["node"], float(given["repeat"]["same_file_above"]))


def read_weights(file: dict[str, float], node: dict[str, float], repeat: float) -> Weights:
    """Weights by the names of their signals; signals without one are not measured."""
    return Weights(
        tuple(
            (signal, file[signal.__name__]) for signal in FILE_SIGNALS if file.get(signal.__name__)
        ),
        tuple(
            (signal, node[signal.__name__]) for signal in NODE_SIGNALS if node.get(signal.__name__)
        ),
        repeat,
    )
