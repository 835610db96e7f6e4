"""Which values are the largest, at any number of them."""

from __future__ import annotations

import numpy as np
import pytest

from packhound.core.arrays import top_k


@pytest.mark.parametrize("n", [0, 1, 5, 16, 100, 1_000])
@pytest.mark.parametrize("k", [1, 5, 40])
@pytest.mark.parametrize("least", [-np.inf, 0.0, 0.75])
def test_the_largest_are_those_of_a_sorted_list(n: int, k: int, least: float) -> None:
    # Few distinct values, so that many tie with the last.
    values = np.random.default_rng(n * k).integers(-20, 20, n).astype(np.float32) / 20
    floor = sorted(values.tolist(), reverse=True)[:k][-1] if n >= k else -np.inf
    expected = [i for i, value in enumerate(values.tolist()) if value >= max(floor, least)]
    assert top_k(values, k, least).tolist() == expected
