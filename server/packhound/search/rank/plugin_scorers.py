"""A stage with the scorers of installed packages: each reads the best hits and scores them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from packhound.core.errors import PluginError
from packhound.core.plugins import Group, describe, load_plugin
from packhound.core.types import Hit, NodeRef, SignalValue
from packhound.search.query.parse import ParsedQuery
from packhound.search.stages import StageContext, TextOf

DEPTH = 50
"""Hits that are scored; those below count as the worst of these."""

_GROUP: Group = "packhound.scorers"


@dataclass(frozen=True, slots=True)
class ScoredHit:
    """A hit as a scorer sees it: its node, its score so far, and its source when asked for."""

    node: NodeRef
    score: float
    _text_of: TextOf

    @property
    def text(self) -> str:
        """Path and source; the path alone where the file changed since."""
        return self._text_of(self.node)


class PluginScorers:
    """Scorers in their order, each `NAME` or `NAME=WEIGHT`."""

    name = "the scorers"

    def __init__(self, scorers: Sequence[str]) -> None:
        self._scorers = scorers

    def applies(self, _query: ParsedQuery) -> bool:
        """Return True: a scorer may score any query."""
        return True

    def depth(self, limit: int, _query: ParsedQuery) -> int:
        """Return how many hits it needs to find the best `limit`."""
        return max(limit, DEPTH)

    def rerank(self, hits: Sequence[Hit], context: StageContext) -> Sequence[Hit]:
        """Add what each scorer says; one that fails is named in a note and left out."""
        for scorer in self._scorers if hits else ():
            context.run.raise_if_cancelled()
            if context.run.over_budget:
                context.run.skip(f"the scorer '{scorer}'")
                continue
            try:
                hits = _score(scorer, hits, context)
            except PluginError as problem:
                context.run.notes.append(f"{problem}; ranked without it")
        return hits


def _score(scorer: str, hits: Sequence[Hit], context: StageContext) -> Sequence[Hit]:
    """Return the hits with one more reason. Raises PluginError."""
    name, weight = _parse(scorer)
    plugin, n = load_plugin(_GROUP, name), min(len(hits), DEPTH)
    try:
        answer = plugin(
            context.query.text, [ScoredHit(h.node, h.score, context.text_of) for h in hits[:n]]
        )
        values = [float(value) for value in answer]
    except Exception as error:
        # Whatever somebody else's code raises.
        reason = f"{type(error).__name__}: {error}"
        raise PluginError(f"scorer {describe(_GROUP, name)} failed ({reason})") from error
    if len(values) != n or not all(map(math.isfinite, values)):
        raise PluginError(f"scorer {describe(_GROUP, name)} did not return {n} finite numbers")
    values += [min(values)] * (len(hits) - n)
    return [
        _rescore(hit, SignalValue(f"scorer_{name}", value, weight))
        for hit, value in zip(hits, values, strict=True)
    ]


def _parse(scorer: str) -> tuple[str, float]:
    """Return name and weight. Raises PluginError."""
    name, equals, weight = scorer.partition("=")
    try:
        factor = float(weight) if equals else 1.0
    except ValueError:
        factor = math.nan
    if not math.isfinite(factor):
        raise PluginError(f"scorer '{scorer}': its weight must be a number, as in NAME=0.5")
    return name.strip(), factor


def _rescore(hit: Hit, reason: SignalValue) -> Hit:
    return replace(hit, score=hit.score + reason.contribution, why=(*hit.why, reason))
