"""Vectors of nodes that died, by digest: an undo or a branch switched back encodes nothing."""

from __future__ import annotations

from collections import OrderedDict

from packhound.index.vectors.quantization import Codes

_KEPT = 8_192
"""Nodes remembered: 2 MB at 256 dimensions."""


class VectorCache:
    """The last vectors put, up to a fixed number of them."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._codes: OrderedDict[bytes, Codes] = OrderedDict()
        self._kept = kept

    def put(self, digest: bytes, code: Codes) -> None:
        """Remember a copy of a code; the oldest makes room for it."""
        self._codes[digest] = code.copy()
        self._codes.move_to_end(digest)
        if len(self._codes) > self._kept:
            self._codes.popitem(last=False)

    def get(self, digest: bytes) -> Codes | None:
        """The code of a node with this digest, if it is remembered."""
        return self._codes.get(digest)
