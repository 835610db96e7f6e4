"""The integer product of the scan is numpy's, for every shape and at the ends of the range."""

import numpy as np
import pytest

from packhound.core.arrays import unit_rows
from packhound.index.vectors.exact import Vectors
from packhound.index.vectors.int8_matmul import dot_products, offsets_of
from packhound.index.vectors.quantization import (
    QUERY_OFFSET,
    quantize,
    quantize_query,
    scales_of,
)
from packhound.index.vectors.vector_column import BLOCK_VECTORS, VectorColumn, gather_codes


@pytest.mark.parametrize("dim", [1, 2, 3, 5, 31, 64, 256, 384, 4096])
@pytest.mark.parametrize("n", [1, 3, 16, 17, 100])
def test_products_are_exact(dim, n):
    random = np.random.default_rng(dim * n)
    query = random.integers(1, 128, (1, dim)).astype(np.uint8)
    columns = random.integers(-127, 128, (3, dim, n)).astype(np.int8)
    columns[..., 0], query[0, : dim // 2] = random.choice([-127, 127]), 127
    assert np.array_equal(dot_products(query, columns), (query.astype(int) @ columns).ravel())
    assert np.array_equal(offsets_of(columns), QUERY_OFFSET * columns.sum(axis=1, dtype=int))


def test_cosines_of_codes_are_near_those_of_the_rows():
    random = np.random.default_rng(1)
    rows, query = random.standard_normal((300, 256)), random.standard_normal(256)
    codes, code = quantize(rows), quantize_query(query.astype(np.float32))
    dots = (code.values.astype(int) - QUERY_OFFSET) @ codes.T.astype(int)
    cosines = dots[0] * scales_of(codes) * code.scale
    truth = unit_rows(rows) @ unit_rows(query[None])[0]
    assert np.abs(cosines - truth).max() < 0.005


@pytest.mark.parametrize(
    "node_ids",
    [
        [],
        [0],
        [BLOCK_VECTORS - 1, BLOCK_VECTORS],
        [5, 6, 7, 2, 3, 66_000, 4_000],
        [*range(32_760, 32_780), *range(65_530, 65_550), 3, 3],
    ],
)
def test_cosines_of_some_nodes_are_those_of_the_scan(node_ids):
    random = np.random.default_rng(3)
    n = 2 * BLOCK_VECTORS + 1_000
    column = VectorColumn(8)
    column.reserve(n)
    column.write(np.arange(n, dtype=np.int32), quantize(random.standard_normal((n, 8))))
    present = random.random(n) < 0.9
    vectors = Vectors(8, tuple(column.blocks), present.astype(np.uint8), present, present)
    query = random.standard_normal(8).astype(np.float32)
    requests = np.array(node_ids, np.int32)
    assert np.array_equal(
        vectors.similarities(query, requests), vectors.similarities(query)[requests]
    )


@pytest.mark.parametrize("sizes", [[3, 61, 64, 40_000], [32_768, 130, 1], [1, 1, 200]])
def test_vectors_that_come_in_parts_are_those_of_one_list(sizes):
    random = np.random.default_rng(4)
    codes = quantize(random.standard_normal((sum(sizes), 8)))
    scales = scales_of(codes)
    column, first = VectorColumn(8), 0
    for size in sizes:
        part = slice(first, first := first + size)
        column.append(part.start, codes[part], scales[part])
    every = np.arange(sum(sizes))
    actual, their_scales = gather_codes(column.blocks, every, 8)
    offsets = np.concatenate([block.offsets for block in column.blocks])
    assert np.array_equal(actual, codes) and np.array_equal(their_scales, scales)
    assert np.array_equal(offsets[every], QUERY_OFFSET * codes.sum(axis=1, dtype=int))
    assert not offsets[len(codes) :].any()


def test_quantized_rows_keep_their_direction_whatever_their_length():
    random = np.random.default_rng(3)
    rows = random.standard_normal((500, 256))
    codes = quantize(rows * 10.0 ** random.integers(-30, 30, (500, 1)))
    assert np.array_equal(codes, quantize(rows)) and np.abs(codes).max() == 127
    decoded = codes * scales_of(codes)[:, None]
    assert np.array_equal(quantize(decoded), codes)
    assert np.abs(decoded @ decoded.T - unit_rows(rows) @ unit_rows(rows).T).max() < 0.005


def test_what_has_no_direction_is_zero():
    rows = np.array([[np.nan, 1], [np.inf, 0], [0, 0]])
    assert not unit_rows(rows).any() and not quantize(rows).any()
    assert not scales_of(quantize(rows)).any()
    assert quantize_query(np.zeros(2, np.float32)).scale == 0
