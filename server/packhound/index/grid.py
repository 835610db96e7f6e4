"""Vectors on a grid, so that the cosine of two of them is exact.

Each value is a whole number of 1/4096 that float16 can hold, and no row is longer than 1. Every
partial sum of a dot product of two such rows is then a whole number of 2**-24 below 1, which
float32 holds exactly: any order of summation, on any machine, gives the same bits. The price is
an error of about 0.0001 in a cosine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]

_STEPS = 4096
_LONGEST = _STEPS * _STEPS
_SHORTEST = 0.97
_SHRINK = np.float32(1 - 1 / 2048)


def unit_rows(matrix: NDArray[Any]) -> Rows:
    """Rows of `matrix` [n, dim] scaled to length 1 and put on the grid.

    Rows that are zero or hold a NaN or an infinity become zero: they have no direction. Rows
    that this function made come back as they are.
    """
    # Adding zero, here and below, makes 0.0 of -0.0, which whole numbers do not have.
    rows: Rows = np.array(matrix, np.float32) + np.float32(0)
    for start in range(0, len(rows), _SLICE):
        part = rows[start : start + _SLICE]
        rough = np.flatnonzero(~_is_settled(part))
        part[rough] = _shortened(_normalised(part[rough]))
    return rows


def steps(rows: Rows) -> NDArray[np.int16]:
    """Rows on the grid as whole numbers, for storing."""
    return np.rint(rows * _STEPS).astype(np.int16)


def from_steps(whole: NDArray[np.int16]) -> Rows:
    """The rows that `steps` was given."""
    return np.asarray(whole.astype(np.float32) / np.float32(_STEPS))


_SLICE = 512
"""Rows worked on at a time, so that they stay in the processor's cache."""


def _is_settled(rows: Rows) -> NDArray[np.bool_]:
    with np.errstate(over="ignore", invalid="ignore"):
        inside = np.abs(rows).max(axis=1, initial=0) <= 1
        length = np.einsum("ij,ij->i", rows, rows)
        near = inside & (length > _SHORTEST) & (length <= 1)
        settled = (_on_grid(np.where(near[:, None], rows, 0)) == rows).all(axis=1)
        return np.asarray(near & settled)


def _normalised(rows: Rows) -> Rows:
    with np.errstate(over="ignore", invalid="ignore"):
        largest = np.abs(rows).max(axis=1, keepdims=True, initial=0)
        usable = np.isfinite(largest) & (largest > 0)
        scaled = np.where(usable, rows / np.where(usable, largest, 1), 0).astype(np.float32)
    length = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
    return np.asarray(scaled / np.maximum(length, 1e-30)[:, None], np.float32)


def _shortened(unit: Rows) -> Rows:
    """`unit` on the grid, where rounding made a row longer than 1 from a shorter row."""
    rows = _on_grid(unit)
    long = np.flatnonzero(_too_long(rows))
    while len(long):
        unit[long] *= _SHRINK
        rows[long] = _on_grid(unit[long])
        long = long[_too_long(rows[long])]
    return rows


def _on_grid(unit: Rows) -> Rows:
    stepped = np.rint(unit * np.float32(_STEPS)) / np.float32(_STEPS) + np.float32(0)
    return np.asarray(stepped.astype(np.float16), np.float32)


def _too_long(rows: Rows) -> NDArray[np.bool_]:
    whole = (rows * np.float32(_STEPS)).astype(np.int64)
    return np.asarray(np.einsum("ij,ij->i", whole, whole) > _LONGEST)
