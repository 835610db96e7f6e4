"""Places in notebooks."""

from __future__ import annotations

from typing import NamedTuple


class CellPlace(NamedTuple):
    """A place in a notebook: cell and line, both from 1."""

    number: int
    line: int
