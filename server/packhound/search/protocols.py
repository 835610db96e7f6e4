"""What can be swapped: how nodes are scored, and how scores become one order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats
from packhound.core.types import Signal
from packhound.search.signals.context import View


class Scorer(Protocol):
    """One opinion about all candidate nodes of a view, such as any signal of a node."""

    __name__: str

    def __call__(self, view: View) -> Floats:
        """One value per candidate node; larger is better, 0 or less means not found."""


class Ranking(Protocol):
    """The candidate nodes that can be among the best, with their scores and reasons."""

    @property
    def nodes(self) -> NDArray[np.intp]:
        """Their positions among the candidates of the view, ascending."""

    @property
    def scores(self) -> NDArray[np.float32] | NDArray[np.float64]:
        """One score per node of `nodes`."""

    def why(self, chosen: Sequence[int]) -> list[tuple[Signal, ...]]:
        """The reasons for the score of each `nodes[i]`, which add up to it."""


class Fuser(Protocol):
    """Many signals to one order."""

    def __call__(self, view: View, depth: int) -> Ranking:
        """Score candidate nodes of `view`, among them the best `depth`."""
