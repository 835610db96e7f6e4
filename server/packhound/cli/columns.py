"""Git columns of the table of hits, and the same as JSON."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from packhound.core.ages import ago
from packhound.core.records import iso_date
from packhound.core.types import Hit, NodeRef
from packhound.git import History

HEADINGS = ("commits", "changed")


def git_columns(history: History, hits: Sequence[Hit]) -> list[tuple[str, str]]:
    """Return each file's number of commits, and its last change or why that is unknown."""
    return [_columns(history, hit.node.path, time.time()) for hit in hits]


def git_fields(history: History, node: NodeRef) -> Mapping[str, object]:
    """Return the field `git` of a hit's JSON."""
    return {"git": _git_json(history, node.path)}


def _git_json(history: History, path: str) -> Mapping[str, object]:
    """Return a file's number of commits and the day of its last change, or why it has none."""
    log = history.files.get(path)
    if history.state != "ready" or log is None or history.is_new(path):
        unknown = "untracked" if history.state == "ready" else history.state
        return {"state": unknown, "commits": None, "last_change": None}
    state = "not committed" if history.is_dirty(path) else "committed"
    return {"state": state, "commits": log.commits, "last_change": iso_date(log.last_change)}


def _columns(history: History, path: str, now: float) -> tuple[str, str]:
    if history.state != "ready":
        return "-", history.state
    log = history.files.get(path)
    if log is None or history.is_new(path):
        return "-", "untracked"
    changed = "not committed" if history.is_dirty(path) else ago(now - log.last_change)
    return f"{log.commits:,}", changed
