"""Length of the common prefix of two sequences, such as the components of paths or lines."""

from __future__ import annotations

from collections.abc import Iterable


def common_prefix_length(first: Iterable[object], second: Iterable[object]) -> int:
    """Return the number of items that both begin with; of `reversed` ones, that both end with."""
    n = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        n += 1
    return n
