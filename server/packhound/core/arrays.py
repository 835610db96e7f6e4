"""Array types and the few numpy operations that several packages share."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
HalfFloats: TypeAlias = NDArray[np.float16]
Doubles: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
NodeIds: TypeAlias = NDArray[np.int32]
Ints: TypeAlias = NDArray[np.int32]
LongInts: TypeAlias = NDArray[np.int64]
Positions: TypeAlias = NDArray[np.intp]

NO_NODE_IDS: NodeIds = np.zeros(0, np.int32)


def unique_sorted(values: NDArray[np.integer[Any]]) -> NDArray[Any]:
    """Return the distinct values, ascending.

    As `np.unique`, which takes longer and at its first use imports all of numpy.ma.
    """
    # Nearly always some ascending runs, which this sort merges.
    ordered = np.sort(values, kind="stable")
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered.compress(first)


def contained_in(ids: NDArray[np.integer[Any]], ascending: NDArray[np.integer[Any]]) -> Mask:
    """Return the mask of `ids` that are among some ascending ones."""
    if not len(ascending):
        return np.zeros(len(ids), np.bool_)
    mask: Mask = ascending.take(ascending.searchsorted(ids), mode="clip") == ids
    return mask


def top_k(values: NDArray[np.floating[Any]], k: int, minimum: float = -inf) -> Positions:
    """Return the positions of the k largest values, ascending, and of all ties with the last.

    Values below `minimum` are left out.
    """
    # Block maxima prune first: the k-th largest of them is a lower bound for the k-th value.
    n_blocks = len(values) // 16
    if n_blocks > k > 0:
        maxima = values[: n_blocks * 16].reshape(16, -1).max(axis=0)
        minimum = max(minimum, float(np.partition(maxima, -k)[-k]))
    inside = np.flatnonzero(values >= minimum)
    if len(inside) <= k:
        return inside
    if not k:
        return inside[:0]
    candidates = values.take(inside)
    return inside.compress(candidates >= np.partition(candidates, -k)[-k])


def concat_ranges(starts: NDArray[np.integer[Any]], sizes: NDArray[np.integer[Any]]) -> LongInts:
    """Concatenate the ranges start .. start + size - 1."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()))


def compact(values: Sequence[str], positions: Ints) -> tuple[list[str], Ints]:
    """Drop the values that no position refers to; return the rest and the renumbered positions."""
    in_use = np.zeros(len(values), np.bool_)
    in_use[positions] = True
    renumbered = np.cumsum(in_use, dtype=np.int32) - 1
    return [values[i] for i in np.flatnonzero(in_use).tolist()], renumbered[positions]


def scale_to_peak(rows: Floats) -> Floats:
    """Divide each row of [n, dim] by its largest magnitude.

    Rows that are zero or hold a NaN or an infinity become zero: they have no direction.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        peaks = np.abs(rows).max(axis=1, keepdims=True, initial=0)
        usable = np.isfinite(peaks) & (peaks > 0)
        if usable.all():
            return np.asarray(rows / peaks)
        return np.where(usable, rows / np.where(usable, peaks, 1), 0).astype(np.float32)


def unit_rows(matrix: NDArray[Any]) -> Floats:
    """Scale the rows of [n, dim] to length 1; those without a direction become zero."""
    rows = scale_to_peak(np.asarray(matrix, np.float32))
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return np.asarray(rows / np.maximum(lengths, np.float32(1e-30))[:, None])
