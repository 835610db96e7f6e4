"""Places in notebooks."""

from __future__ import annotations

from typing import NamedTuple


class CellPlace(NamedTuple):
    """A place in a notebook: cell and line, both from 1."""

    number: int
    line: int

    @classmethod
    def of(cls, number: int, line: int) -> CellPlace:
        """Return a place by its 0-based line; that above the first line counts as the first."""
        return cls(number, max(line, 0) + 1)
