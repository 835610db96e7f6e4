"""The protocol of a cache of vectors by the digest of what an encoder read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol


class VectorCache(Protocol):
    """Vectors by model and digest, as bytes, as long as the index of a folder. Thread-safe.

    It may lose any vector at any time, and raises nothing. Nothing of a text that is not on disk
    may be put. Those of one folder are equal.
    """

    def get(self, model: str, digests: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the vectors that a model with this fingerprint made, of those that there are."""

    def put(self, model: str, vectors: Mapping[bytes, bytes]) -> None:
        """Add vectors by digest."""
