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
from packhound.ranking.signals import FILE_SIGNALS, NODE_SIGNALS, Measure, View
from packhound.types import Signal

Floats = NDArray[np.float32]
Source = Literal["hybrid", "lexical", "dense"]


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights for one kind of query: signals that have one, and those of a repeated file.

    `repeat` is taken from a node for each better node of the same file.
    """

    file: tuple[tuple[Measure, float], ...]
    node: tuple[tuple[Measure, float], ...]
    repeat: float


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Scores of all candidate nodes, best first in `order`, and the values behind them."""

    order: NDArray[np.intp]
    scores: Floats
    names: tuple[str, ...]
    weights: Floats
    values: Floats

    def why(self, position: int) -> tuple[Signal, ...]:
        """The reasons for the score of the node at `position`; they add up to it."""
        row = self.values[:, position].astype(float).tolist()
        reasons = [
            Signal(name, value, weight)
            for name, value, weight in zip(self.names, row, self.weights.tolist(), strict=True)
            if value
        ]
        return tuple(sorted(reasons, key=lambda reason: (-abs(reason.contribution), reason.signal)))


def score_linear(view: View, weights: Weights) -> Scored:
    """Score every candidate node of `view`."""
    owner = view.candidates.owner
    rows = [measure(view)[owner] for measure, _ in weights.file]
    rows += [measure(view) for measure, _ in weights.node]
    names = [measure.__name__ for measure, _ in (*weights.file, *weights.node)]
    factors = np.array([factor for _, factor in (*weights.file, *weights.node)], np.float64)
    values = np.array(rows, np.float64).reshape(len(rows), len(owner))
    scores = factors @ values
    repeats = _repeats(scores, view)
    values = np.vstack((values, repeats))
    factors = np.append(factors, -weights.repeat)
    scores = (factors[:, None] * values).sum(axis=0)
    return Scored(
        order=np.argsort(-scores, kind="stable"),
        scores=scores,
        names=(*names, "same_file_above"),
        weights=factors,
        values=values,
    )


def _repeats(scores: Floats, view: View) -> Floats:
    """How many nodes of the same file score better than each node."""
    candidates = view.candidates
    order = np.lexsort((-scores, candidates.owner))
    place = np.arange(len(scores)) - candidates.starts[candidates.owner]
    repeats = np.empty(len(scores), np.float64)
    repeats[order] = place
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
