"""The commits that the lines of a hit stem from."""

from __future__ import annotations

import time
from typing import Literal, NamedTuple

LineState = Literal["committed", "not committed", "untracked", "unavailable"]

_UNITS = (
    ("year", 365 * 86_400),
    ("month", 30 * 86_400),
    ("week", 7 * 86_400),
    ("day", 86_400),
    ("hour", 3_600),
    ("minute", 60),
)
_STALE_S = 7 * 86_400


class LineHistory(NamedTuple):
    """Number of commits that some lines stem from, and when the newest was made (Unix, 0 for none).

    The state is `not committed` if any of the lines is not; the commits are those of the others.
    """

    state: LineState
    commits: int = 0
    last_change: int = 0

    @property
    def is_stale(self) -> bool:
        """True if the lines were last changed more than seven days ago."""
        return self.state == "committed" and time.time() - self.last_change > _STALE_S

    def age(self) -> str:
        """Return the last change as `3 weeks ago (stale)`, or why it is unknown."""
        if self.state != "committed":
            return self.state
        return ago(time.time() - self.last_change) + " (stale)" * self.is_stale

    def describe(self) -> str:
        """Return `2 commits, 3 weeks ago (stale)`."""
        commits = f"{self.commits:,} commit{'s' * (self.commits != 1)}, " * bool(self.commits)
        return commits + self.age()


def ago(seconds: float) -> str:
    """Return an age such as `3 days ago`."""
    for unit, size in _UNITS:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"
