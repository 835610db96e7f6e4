"""A stage that boosts code that the user works on; off by default.

It rescores finished hits, since its two reasons are about the user and not about the query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from packhound.core.errors import StoreError
from packhound.core.log import log
from packhound.core.settings import Settings
from packhound.core.types import Hit, SignalValue
from packhound.git import History, HistoryReader
from packhound.search.query.parse import ParsedQuery
from packhound.search.rank.activation import Activation, Use
from packhound.search.stages import StageContext, with_reasons

_RECENT_CHANGE = 0.3
_ACTIVATION = 0.75
"""Weights set by hand: there is no data to fit them on that would not be someone's private day."""

_DEPTH = 3
"""Hits that compete for each one that was asked for."""

_FILE = "activation.json"
_HISTORY_FILE = "history.json"


class Personalization:
    """Git's history of one folder and the uses of its files, each if a setting asks for it."""

    name = "personalization"

    def __init__(self, root: Path, cache_folder: Path, settings: Settings) -> None:
        ranking, self._root = settings.ranking, root
        self._by_change = ranking.git_history
        self._weight = _ACTIVATION * ranking.activity_weight
        self._activation = Activation(cache_folder / _FILE) if ranking.activity else None
        # Commits are uses too.
        self._saved = cache_folder / _HISTORY_FILE if settings.index.persist else None
        follows = ranking.git_history or ranking.activity
        self._history = HistoryReader(root, self._saved) if follows else None
        # Read when a query first asks for dates, where no setting asks for the history.
        self._dates: HistoryReader | None = None
        if self._history:
            self._history.refresh()

    def depth(self, limit: int, _query: ParsedQuery) -> int:
        """Return how many hits it needs to find the best `limit`."""
        return limit * _DEPTH if self._history else limit

    def applies(self, _query: ParsedQuery) -> bool:
        """Return True if a history is followed."""
        return self._history is not None

    def rerank(self, hits: Sequence[Hit], _context: StageContext) -> Sequence[Hit]:
        """Add recent change and activation to the scores."""
        if self._history is None:
            return hits
        self._history.refresh()
        return [self._rescore(hit, self._history) for hit in hits]

    def dates(self, timeout_s: float) -> History:
        """Return the history of the folder, or what of it there is after `timeout_s`."""
        reader = self._history or self._dates
        if reader is None:
            reader = self._dates = HistoryReader(self._root, self._saved)
        reader.refresh()
        return reader.wait(timeout_s)

    def record_use(self, path: str, kind: Use, qualname: str = "") -> None:
        """Record that the user opened or edited a file, or picked a node of it from results."""
        if self._activation:
            self._activation.use(path, kind, qualname)

    def invalidate(self) -> None:
        """Read git's history again before the next search: the disk may have changed."""
        for reader in (self._history if self._by_change else None, self._dates):
            if reader:
                reader.invalidate()

    def clear(self) -> None:
        """Forget what the user opened, edited and picked. Raises StoreError."""
        if self._activation:
            self._activation.clear()

    def close(self) -> None:
        """Save the recorded uses; a failure is logged."""
        try:
            if self._activation:
                self._activation.save()
        except StoreError as error:
            log.warning("recent uses are forgotten: %s", error)

    def _rescore(self, hit: Hit, reader: HistoryReader) -> Hit:
        path, reasons, history, used = hit.node.path, [], reader.history, ""
        if self._by_change and (recency := history.recency(path)):
            reasons.append(SignalValue("changed_lately", recency, _RECENT_CHANGE))
        if self._activation:
            file_history = history.files.get(path)
            commits = file_history.own_commits if file_history else ()
            if level := self._activation.signal(path, hit.node.qualname, commits):
                reasons.append(SignalValue("used_lately", level, self._weight))
                used = self._activation.describe(path, hit.node.qualname, commits)
        return replace(with_reasons(hit, *reasons), used=used)


def forget(cache_folder: Path) -> None:
    """Forget what the user used in the workspace of a cache folder. Raises StoreError."""
    file = cache_folder / _FILE
    if file.exists():
        Activation(file).clear()
