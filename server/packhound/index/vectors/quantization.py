"""Scalar quantization to eight bits, so that a scan is short and every cosine is exact.

A vector is scaled so that its largest magnitude is 127, and rounded. The dot product of two such
rows is a sum of whole numbers: any order of summation, on any machine, gives the same bits. The
price is an error of about 0.0005 in a cosine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, scale_to_peak

Codes = NDArray[np.int8]

_PEAK = 127
_QUERY_PEAK = 63
QUERY_OFFSET = 64
"""Added to the values of a query, which makes them unsigned. They have seven bits, since some
processors add two products in 16 bits: 2 * 127 * 127 still fits."""

_SLICE = 512
"""Rows quantized at a time, so that they stay in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class QueryCode:
    """A quantized query: `values` [1, dim] are `QUERY_OFFSET` too great, `scale` is 1 / length."""

    values: NDArray[np.uint8]
    scale: np.float32


def quantize(rows: NDArray[Any]) -> Codes:
    """Return the codes of rows [n, dim] of any length; those without a direction are zero."""
    codes = np.empty(rows.shape, np.int8)
    for start in range(0, len(rows), _SLICE):
        part = scale_to_peak(np.asarray(rows[start : start + _SLICE], np.float32))
        codes[start : start + _SLICE] = np.rint(part * np.float32(_PEAK))
    return codes


def quantize_query(query: Floats) -> QueryCode:
    """Return the code of one query [dim]; one without a direction has a scale of 0."""
    values = np.rint(scale_to_peak(query[None]) * np.float32(_QUERY_PEAK))
    return QueryCode((values + QUERY_OFFSET).astype(np.uint8), scales_of(values)[0])


def scales_of(codes: NDArray[Any]) -> Floats:
    """Return 1 / length of each row of codes [n, dim], 0 for a row of zeros."""
    values = codes.astype(np.float32)
    # In float64 the sum of squares of whole numbers is exact.
    squares = np.einsum("ij,ij->i", values, values, dtype=np.float64)
    return np.where(squares > 0, 1 / np.sqrt(np.maximum(squares, 1)), 0).astype(np.float32)
