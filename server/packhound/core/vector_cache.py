"""The protocol of a cache of vectors by the digest of what an encoder read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

HalfFloats: TypeAlias = NDArray[np.float16]


class VectorCache(Protocol):
    """Vectors by model and digest, as long as the index of a folder. Any thread may call.

    It may lose any vector at any time, and raises nothing. Nothing of a text that is not on disk
    may be put.
    """

    def get(self, model: str, digests: Iterable[bytes]) -> dict[bytes, HalfFloats]:
        """Return the vectors that a model with this fingerprint made, of those that there are."""

    def put(self, model: str, vectors: Mapping[bytes, HalfFloats]) -> None:
        """Add vectors by digest."""
