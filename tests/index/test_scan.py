"""The integer product of the scan is numpy's, for every shape and at the ends of the range."""

import numpy as np
import pytest

from packhound.index.quantized import QUERY_OFFSET, quantized, query_code, scales_of, unit_rows
from packhound.index.scan import dot_products, sums_of


@pytest.mark.parametrize("dim", [1, 2, 3, 5, 31, 64, 256, 384, 4096])
@pytest.mark.parametrize("n", [1, 3, 16, 17, 100])
def test_products_are_exact(dim, n):
    random = np.random.default_rng(dim * n)
    query = random.integers(1, 128, (1, dim)).astype(np.uint8)
    columns = random.integers(-127, 128, (dim, n)).astype(np.int8)
    columns[:, 0], query[0, : dim // 2] = random.choice([-127, 127]), 127
    assert np.array_equal(dot_products(query, [columns]), (query.astype(int) @ columns)[0])
    assert np.array_equal(sums_of(columns), columns.sum(axis=0, dtype=int))


def test_cosines_of_codes_are_near_those_of_the_rows():
    random = np.random.default_rng(1)
    rows, query = random.standard_normal((300, 256)), random.standard_normal(256)
    codes, code = quantized(rows), query_code(query.astype(np.float32))
    dots = (code.values.astype(int) - QUERY_OFFSET) @ codes.T.astype(int)
    cosines = dots[0] * scales_of(codes) * code.scale
    truth = unit_rows(rows) @ unit_rows(query[None])[0]
    assert np.abs(cosines - truth).max() < 0.005
