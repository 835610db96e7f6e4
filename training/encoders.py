"""Texts -> unit vectors, by an exported folder or by the arrays of a training run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime
from arrays import KEY, Ragged, gather
from assemble import MAX_TOKENS, tokenise
from numpy.typing import NDArray
from tokenizers import Tokenizer

Encode = Callable[[list[str], bool], NDArray[np.float32]]
"""(texts, whether they are queries) -> float32[n, dim], rows of length one."""

BATCH = 1_024

REACH = 12.0
FLOOR = 0.1
"""A token that stands p places into its text counts max(FLOOR, (1 + p / REACH) ** -2): name and
path come first in the text of a node, and say more of what it is for than the end of its body."""


def from_run(run: Path, tokenizer_file: Path) -> Encode:
    """The encoder of a training run in full precision."""
    with np.load(run, allow_pickle=False) as columns:
        vectors, weights = columns["vectors"], columns["weights"]
        query_weights = columns["query_weights"]
        saturation = json.loads(str(columns["options"]))["saturation"]
    tokenizer = Tokenizer.from_file(str(tokenizer_file))

    def encode(texts: list[str], query: bool) -> NDArray[np.float32]:
        ragged = Ragged(*tokenise(tokenizer, texts, MAX_TOKENS))
        table = vectors * np.exp(weights + (query_weights if query else 0))[:, None]
        rows = np.empty((len(texts), vectors.shape[1]), np.float32)
        for start in range(0, len(texts), BATCH):
            chosen = np.arange(start, min(start + BATCH, len(texts)))
            rows[chosen] = _summed(table, *folded(ragged, chosen, saturation))
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    return encode


def folded(
    texts: Ragged, rows: NDArray[np.int64], saturation: str
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]:
    """The distinct tokens of the chosen rows, what each counts for, and where each row begins."""
    ids, text = gather(texts, rows)
    keys, which = np.unique(text * KEY + ids, return_inverse=True)
    factors = saturated(np.bincount(which, fading(text), len(keys)), saturation)
    offsets = np.searchsorted(keys, np.arange(len(rows) + 1) * KEY)
    return keys % KEY, factors.astype(np.float32), offsets


def fading(text: NDArray[np.int64]) -> NDArray[np.float64]:
    """What each token counts for where it stands; `text` is whose it is, ascending."""
    place = np.arange(len(text)) - np.searchsorted(text, text)
    return np.maximum(FLOOR, (1 + place / REACH) ** -2.0)


def saturated(amounts: NDArray[np.float64], saturation: str) -> NDArray[np.float64]:
    """What a token counts for whose places count `amounts` together."""
    if saturation == "once":
        return np.minimum(amounts, 1)
    if saturation == "sqrt":
        return np.sqrt(amounts)
    if saturation == "log":
        return np.minimum(amounts, 1) + np.log(np.maximum(amounts, 1))
    return amounts


def from_folder(folder: Path) -> Encode:
    """The encoder as it ships."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))

    def encode(texts: list[str], query: bool) -> NDArray[np.float32]:
        del query
        batches = []
        for start in range(0, len(texts), BATCH):
            ids, offsets = tokenise(tokenizer, texts[start : start + BATCH], 2**30)
            feed = {"input_ids": ids.astype(np.int64), "offsets": offsets}
            batches.append(session.run(None, feed)[0])
        return np.concatenate(batches)

    return encode


def _summed(
    table: NDArray[np.float32],
    ids: NDArray[np.int64],
    factors: NDArray[np.float32],
    offsets: NDArray[np.int64],
) -> NDArray[np.float32]:
    rows = np.zeros((len(offsets) - 1, table.shape[1]), np.float32)
    filled = np.flatnonzero(np.diff(offsets))
    if len(filled):
        weighted = table[ids] * factors[:, None]
        rows[filled] = np.add.reduceat(weighted, offsets[filled], axis=0)
    return rows
