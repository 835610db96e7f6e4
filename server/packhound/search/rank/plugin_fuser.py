"""Fusers of installed packages: candidates and their signals to what makes each score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from packhound.core.arrays import Floats
from packhound.core.errors import PluginError
from packhound.core.plugins import Group, describe, load_plugin
from packhound.search.signals.context import SignalContext
from packhound.search.signals.registry import FILE_SIGNALS, NODE_SIGNALS

_GROUP: Group = "packhound.fusers"
_FILE = {signal.name: signal.function for signal in FILE_SIGNALS}
_NODE = {signal.name: signal.function for signal in NODE_SIGNALS}


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
    fuser = load_plugin(_GROUP, name)
    n = len(context.candidates)
    try:
        answer = fuser(Candidates(context.query.text, _Signals(context), context))
        names = tuple(str(reason) for reason in answer)
        rows = [np.asarray(answer[reason], np.float32) for reason in answer]
    except Exception as error:
        # Whatever somebody else's code raises.
        reason = f"{type(error).__name__}: {error}"
        raise PluginError(f"fuser {describe(_GROUP, name)} failed ({reason})") from error
    if not rows or any(row.shape != (n,) or not np.isfinite(row).all() for row in rows):
        raise PluginError(
            f"fuser {describe(_GROUP, name)} did not return lists of {n} finite numbers by reason"
        )
    return names, np.stack(rows)
