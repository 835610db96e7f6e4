"""Tokens that left a folder by day: those of packs, and of answers to agents.

They are kept beside the folder's notes, in a file of a year's days, as `{"2026-03-01": [3, 7200]}`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from packhound.core.errors import StoreError
from packhound.core.file_lock import locked
from packhound.core.log import log
from packhound.core.private_file import make_private_folder, read_private, write_private_atomic

FILE = "tokens.json"
_MOST_DAYS = 366
_LOCKED_S = 1.0


class DayCount(NamedTuple):
    """Number of packs and answers of a day, and their tokens."""

    answers: int = 0
    tokens: int = 0


class TokenCounts:
    """The counts of one folder; any thread and process may add to them."""

    def __init__(self, folder: Path) -> None:
        """Keep them in the file of a folder, which need not exist."""
        self._path = folder / FILE

    def add(self, tokens: int) -> None:
        """Count a pack or an answer of today; where that fails it is logged."""
        today = datetime.now().astimezone().date().isoformat()
        try:
            make_private_folder(self._path.parent)
            with locked(self._path.with_suffix(".lock"), _LOCKED_S):
                days = self.days()
                before = days.get(today, DayCount())
                days = {**days, today: DayCount(before.answers + 1, before.tokens + tokens)}
                newest = dict(sorted(days.items())[-_MOST_DAYS:])
                write_private_atomic(self._path, json.dumps(newest).encode())
        except (OSError, StoreError) as problem:
            log.warning("tokens are not counted: %s", problem)

    def days(self) -> Mapping[str, DayCount]:
        """Return the counts by day, the oldest first; none for a file that is no such table."""
        try:
            rows = json.loads(read_private(self._path) or "{}")
            return {str(day): DayCount(int(n), int(tokens)) for day, (n, tokens) in rows.items()}
        except (StoreError, ValueError, TypeError, AttributeError):
            return {}
