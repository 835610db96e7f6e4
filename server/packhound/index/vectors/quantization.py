"""Vectors as whole numbers of eight bits, so that a scan is short and every cosine is exact.

A vector is scaled so that its largest value is 127, and rounded (scalar quantization). The dot
product of two such rows is a sum of whole numbers: any order of summation, on any machine, gives
the same bits. The price is an error of about 0.0005 in a cosine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats

Codes = NDArray[np.int8]

_LARGEST = 127
_LARGEST_OF_QUERY = 63
QUERY_OFFSET = 64
"""Added to the values of a query, which makes them unsigned. They have seven bits, since some
processors add two products in 16 bits: 2 * 127 * 127 still fits."""

_SLICE = 512
"""Floats worked on at a time, so that they stay in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class QueryCode:
    """A quantized query: `values` [1, dim] are `QUERY_OFFSET` too great, `scale` is 1 / length."""

    values: NDArray[np.uint8]
    scale: np.float32


def unit_rows(matrix: NDArray[Any]) -> Floats:
    """Floats of `matrix` [n, dim] scaled to length 1.

    Floats that are zero or hold a NaN or an infinity become zero: they have no direction.
    """
    rows = _scaled(np.asarray(matrix, np.float32))
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return np.asarray(rows / np.maximum(lengths, np.float32(1e-30))[:, None])


def quantized(rows: NDArray[Any]) -> Codes:
    """Codes of rows [n, dim] of any length; those without a direction are zero."""
    codes = np.empty(rows.shape, np.int8)
    for start in range(0, len(rows), _SLICE):
        part = _scaled(np.asarray(rows[start : start + _SLICE], np.float32))
        codes[start : start + _SLICE] = np.rint(part * np.float32(_LARGEST))
    return codes


def query_code(query: Floats) -> QueryCode:
    """The code of one query [dim]; one without a direction has a scale of 0."""
    values = np.rint(_scaled(query[None]) * np.float32(_LARGEST_OF_QUERY))
    return QueryCode((values + QUERY_OFFSET).astype(np.uint8), scales_of(values)[0])


def scales_of(codes: NDArray[Any]) -> NDArray[np.float32]:
    """1 / length of each row of codes [n, dim], 0 for a row of zeros."""
    whole = codes.astype(np.float32)
    # In float64 the sum of squares of whole numbers is exact.
    squares = np.einsum("ij,ij->i", whole, whole, dtype=np.float64)
    return np.where(squares > 0, 1 / np.sqrt(np.maximum(squares, 1)), 0).astype(np.float32)


def _scaled(rows: Floats) -> Floats:
    """Floats whose largest value is 1 or -1, zero where there is no direction."""
    with np.errstate(over="ignore", invalid="ignore"):
        top_k = np.abs(rows).max(axis=1, keepdims=True, initial=0)
        usable = np.isfinite(top_k) & (top_k > 0)
        if usable.all():
            return np.asarray(rows / top_k)
        return np.where(usable, rows / np.where(usable, top_k, 1), 0).astype(np.float32)
