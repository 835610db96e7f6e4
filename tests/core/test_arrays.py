"""Array operations agree with those of numpy."""

import numpy as np
import pytest

from packhound.core.arrays import unique_sorted


@pytest.mark.parametrize("values", [[], [3], [3, 1, 3, 2, 1], [0, 0]])
def test_distinct_values_are_those_of_numpy(values):
    array = np.array(values, np.int32)
    assert unique_sorted(array).tolist() == np.unique(array).tolist()
    assert unique_sorted(array).dtype == array.dtype
