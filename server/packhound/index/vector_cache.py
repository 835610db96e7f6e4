"""Vectors of nodes that died, by digest: an undo or a branch switched back encodes nothing."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

Row = NDArray[np.float32]

_KEPT = 8_192
"""Nodes remembered: 8 MB at 256 dimensions."""


class VectorCache:
    """The last vectors put, up to a fixed number of them."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._rows: OrderedDict[bytes, Row] = OrderedDict()
        self._kept = kept

    def put(self, digest: bytes, row: Row) -> None:
        """Remember a copy of a row; the oldest makes room for it."""
        self._rows[digest] = row.copy()
        self._rows.move_to_end(digest)
        if len(self._rows) > self._kept:
            self._rows.popitem(last=False)

    def get(self, digest: bytes) -> Row | None:
        """The row of a node with this digest, if it is remembered."""
        return self._rows.get(digest)
