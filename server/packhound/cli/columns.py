"""Git columns of the table of hits."""

from __future__ import annotations

from collections.abc import Sequence

from packhound.core.types import Hit

HEADINGS = ("commits", "changed")


def git_columns(hits: Sequence[Hit]) -> list[tuple[str, str]]:
    """Return for each hit the number of commits of its lines, and their last change."""
    return [
        (f"{hit.git.commits:,}" if hit.git.commits else "-", hit.git.age())
        if hit.git
        else ("-", "")
        for hit in hits
    ]
