"""Ragged arrays of token ids: gathering rows, and folding repeated tokens into one with a count."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

KEY = 1 << 20
"""Above any token id: text * KEY + id is one number for a token of a text."""


@dataclass(frozen=True, slots=True)
class Ragged:
    """Token ids end to end; text i is ids[offsets[i] : offsets[i + 1]]."""

    ids: NDArray[np.uint16]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, slots=True)
class Bags:
    """Distinct tokens per text: ids int64[n], how often, and offsets int64[texts + 1]."""

    ids: NDArray[np.int64]
    counts: NDArray[np.int64]
    offsets: NDArray[np.int64]


def load(path: Path, name: str) -> Ragged:
    with np.load(path) as columns:
        return Ragged(columns[name], columns[name + "_offsets"])


def gather(
    texts: Ragged, rows: NDArray[np.int64], limits: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ids of the chosen rows end to end (at most `limits` of each), and whose each one is."""
    lengths = texts.offsets[rows + 1] - texts.offsets[rows]
    if limits is not None:
        lengths = np.minimum(lengths, limits)
    starts = np.cumsum(lengths) - lengths
    text = np.repeat(np.arange(len(rows)), lengths)
    places = np.arange(int(lengths.sum())) + (texts.offsets[rows] - starts)[text]
    return texts.ids[places].astype(np.int64), text


def bags(
    ids: NDArray[np.int64],
    text: NDArray[np.int64],
    n_texts: int,
    drop: Bags | None = None,
) -> Bags:
    """Distinct tokens of each text; tokens that the same text of `drop` holds are left out."""
    keys, counts = np.unique(text * KEY + ids, return_counts=True)
    if drop is not None:
        dropped = np.repeat(np.arange(n_texts), np.diff(drop.offsets)) * KEY + drop.ids
        keep = ~np.isin(keys, dropped, assume_unique=True)
        keys, counts = keys[keep], counts[keep]
    offsets = np.searchsorted(keys, np.arange(n_texts + 1) * KEY)
    return Bags(keys % KEY, counts, offsets.astype(np.int64))
