"""Git columns of the table of hits."""

from __future__ import annotations

import time
from collections.abc import Sequence

from packhound.core.ages import ago
from packhound.core.types import Hit
from packhound.git import History

HEADINGS = ("commits", "changed")


def git_columns(history: History, hits: Sequence[Hit]) -> list[tuple[str, str]]:
    """Return each file's number of commits, and its last change or why that is unknown."""
    return [_columns(history, hit.node.path, time.time()) for hit in hits]


def _columns(history: History, path: str, now: float) -> tuple[str, str]:
    if history.state != "ready":
        return "-", history.state
    log = history.files.get(path)
    if log is None or history.is_new(path):
        return "-", "untracked"
    changed = "not committed" if history.is_dirty(path) else ago(now - log.last_change)
    return f"{log.commits:,}", changed
