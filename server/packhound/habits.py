"""What the user has been working on, as two more reasons for a score; both are off by default.

They are added to finished results, since they are about the user and not about the query.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from packhound.activation import Activation, Use
from packhound.history import HistoryReader
from packhound.settings import Settings
from packhound.types import Hit, Results, Signal

_RECENT_CHANGE = 0.3
_ACTIVATION = 0.6
"""Weights set by hand: there is no data to fit them on that would not be someone's private day."""

_DEPTH = 3
"""How many times the asked-for number of hits compete."""

_WHOLE_FILE = ""


class Habits:
    """Git's history of one folder and the uses of its files, each where a setting asks for it."""

    def __init__(self, root: Path, kept_in: Path, settings: Settings) -> None:
        self._history = HistoryReader(root) if settings.git else None
        self._activation = Activation(kept_in / "activation.json") if settings.activation else None
        if self._history:
            self._history.refresh()

    def depth(self, limit: int) -> int:
        """How many hits `applied` needs to return the best `limit`."""
        return limit * _DEPTH if self._history or self._activation else limit

    def used(self, path: str, kind: Use) -> None:
        """The user opened or edited a file."""
        if self._activation:
            self._activation.use(path, _WHOLE_FILE, kind)

    def applied(self, results: Results, limit: int) -> Results:
        """The best `limit` of the results by score and habits."""
        if not (self._history or self._activation):
            return results
        hits = [self._with_reasons(hit) for hit in results.hits]
        hits.sort(key=lambda hit: (-hit.score, hit.node.path, hit.node.span.start))
        ranked = tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits[:limit], 1))
        return replace(results, hits=ranked)

    def close(self) -> None:
        """Keep what was learned. Raises StoreError."""
        if self._activation:
            self._activation.save()

    def _with_reasons(self, hit: Hit) -> Hit:
        path, reasons = hit.node.path, []
        if self._history and (recency := self._history.history.recency(path)):
            reasons.append(Signal("changed_lately", recency, _RECENT_CHANGE))
        if self._activation and (level := self._activation.signal(path, _WHOLE_FILE)):
            reasons.append(Signal("used_lately", level, _ACTIVATION))
        score = hit.score + sum(reason.contribution for reason in reasons)
        return replace(hit, score=score, why=(*hit.why, *reasons))
