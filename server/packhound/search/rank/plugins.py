"""Fusers of installed packages: candidates and their signals to what makes each score."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from packhound.core.arrays import Floats
from packhound.core.errors import PluginError
from packhound.core.plugins import Group, describe, load_plugin
from packhound.core.types import Hit, NodeRef, SignalValue
from packhound.search.query.parse import ParsedQuery
from packhound.search.signals.context import SignalContext
from packhound.search.signals.registry import FILE_SIGNALS, NODE_SIGNALS
from packhound.search.stages import StageContext, TextOf, with_reasons

_FUSERS: Group = "packhound.fusers"
_FILE = {signal.name: signal.function for signal in FILE_SIGNALS}
_NODE = {signal.name: signal.function for signal in NODE_SIGNALS}


DEPTH = 50
"""Hits that are scored; those below count as the worst of these."""
_SCORERS: Group = "packhound.scorers"


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates of a query as a fuser sees them; all sequences have one item per node.

    `signals` are those that `packhound explain --all` names, each computed when it is first asked
    for; those of meaning are 0 where the search is by words alone.
    """

    query: str
    signals: Mapping[str, Floats]
    _context: SignalContext

    def __len__(self) -> int:
        return len(self._context.candidates)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The path of each node's file."""
        candidates = self._context.candidates
        return tuple(candidates.entries[owner].path for owner in candidates.owner.tolist())


class _Signals(Mapping[str, Floats]):
    """All signals by name, one value per candidate node."""

    def __init__(self, context: SignalContext) -> None:
        self._context = context
        self._computed: dict[str, Floats] = {}

    def __getitem__(self, name: str) -> Floats:
        if name not in self._computed:
            self._computed[name] = self._compute(name)
        return self._computed[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*_FILE, *_NODE))

    def __len__(self) -> int:
        return len(_FILE) + len(_NODE)

    def _compute(self, name: str) -> Floats:
        context = self._context
        if name in _NODE:
            return np.array(_NODE[name](context), np.float32)
        return np.asarray(_FILE[name](context.whole), np.float32).take(context.candidates.owner)


def contributions_of(name: str, context: SignalContext) -> tuple[tuple[str, ...], Floats]:
    """Return the names of what makes scores and its values, [names, nodes].

    Raises PluginError, which names the fuser, where it is not installed or fails.
    """
    fuser = load_plugin(_FUSERS, name)
    n = len(context.candidates)
    try:
        answer = fuser(Candidates(context.query.text, _Signals(context), context))
        names = tuple(str(reason) for reason in answer)
        rows = [np.asarray(answer[reason], np.float32) for reason in answer]
    except Exception as error:
        # Whatever somebody else's code raises.
        reason = f"{type(error).__name__}: {error}"
        raise PluginError(f"fuser {describe(_FUSERS, name)} failed ({reason})") from error
    if not rows or any(row.shape != (n,) or not np.isfinite(row).all() for row in rows):
        raise PluginError(
            f"fuser {describe(_FUSERS, name)} did not return lists of {n} finite numbers by reason"
        )
    return names, np.stack(rows)


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
    plugin, n = load_plugin(_SCORERS, name), min(len(hits), DEPTH)
    try:
        answer = plugin(
            context.query.text, [ScoredHit(h.node, h.score, context.text_of) for h in hits[:n]]
        )
        values = [float(value) for value in answer]
    except Exception as error:
        # Whatever somebody else's code raises.
        reason = f"{type(error).__name__}: {error}"
        raise PluginError(f"scorer {describe(_SCORERS, name)} failed ({reason})") from error
    if len(values) != n or not all(map(math.isfinite, values)):
        raise PluginError(f"scorer {describe(_SCORERS, name)} did not return {n} finite numbers")
    values += [min(values)] * (len(hits) - n)
    return [
        with_reasons(hit, SignalValue(f"scorer_{name}", value, weight))
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
