"""What the user has been working on, as two more reasons for a score; both are off by default.

They are added to finished results, since they are about the user and not about the query.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from packhound.core.settings import Settings
from packhound.core.types import Hit, Results, Signal
from packhound.git.log import HistoryReader
from packhound.search.rank.activation import Activation, Use

_RECENT_CHANGE = 0.3
_ACTIVATION = 0.6
"""Weights set by hand: there is no data to fit them on that would not be someone's private day."""

_DEPTH = 3
"""How many times the asked-for number of hits compete."""

_KEPT = "activation.json"


class Habits:
    """Git's history of one folder and the uses of its files, each where a setting asks for it."""

    def __init__(self, root: Path, kept_in: Path, settings: Settings) -> None:
        self._by_change = settings.git
        self._activation = Activation(kept_in / _KEPT) if settings.activation else None
        # Commits are uses too.
        self._history = HistoryReader(root) if settings.git or settings.activation else None
        if self._history:
            self._history.refresh()

    def depth(self, limit: int) -> int:
        """How many hits `applied` needs to return the best `limit`."""
        return limit * _DEPTH if self._history else limit

    def used(self, path: str, kind: Use, qualname: str = "") -> None:
        """The user opened or edited a file, or picked a node of it from results."""
        if self._activation:
            self._activation.use(path, kind, qualname)

    def touched(self) -> None:
        """Something on the disk may have changed."""
        if self._by_change and self._history:
            self._history.touched()

    def applied(self, results: Results, limit: int) -> Results:
        """The best `limit` of the results by score and habits."""
        if self._history is None:
            return results
        self._history.follow()
        hits = [self.explained(hit) for hit in results.hits]
        hits.sort(key=lambda hit: (-hit.score, hit.node.path, hit.node.span.start))
        ranked = tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits[:limit], 1))
        return replace(results, hits=ranked)

    def explained(self, hit: Hit) -> Hit:
        """The hit with what habits add to its score."""
        if self._history is None:
            return hit
        path, reasons, history = hit.node.path, [], self._history.history
        if self._by_change and (recency := history.recency(path)):
            reasons.append(Signal("changed_lately", recency, _RECENT_CHANGE))
        if self._activation:
            known = history.files.get(path)
            commits = known.own if known else ()
            if level := self._activation.signal(path, hit.node.qualname, commits):
                reasons.append(Signal("used_lately", level, _ACTIVATION))
        score = hit.score + sum(reason.contribution for reason in reasons)
        return replace(hit, score=score, why=(*hit.why, *reasons))

    def clear(self) -> None:
        """Forget what the user opened, edited and picked. Raises StoreError."""
        if self._activation:
            self._activation.clear()

    def close(self) -> None:
        """Keep what was learned. Raises StoreError."""
        if self._activation:
            self._activation.save()


def forget(kept_in: Path) -> None:
    """Forget what the user used in the workspace whose cache folder this is. Raises StoreError."""
    kept = kept_in / _KEPT
    if kept.exists():
        Activation(kept).clear()
