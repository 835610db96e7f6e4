"""Texts -> unit vectors, by an exported folder or by the arrays of a training run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime
from arrays import Ragged, bags, gather
from assemble import MAX_TOKENS, tokenise
from numpy.typing import NDArray
from tokenizers import Tokenizer

Encode = Callable[[list[str], bool], NDArray[np.float32]]
"""(texts, whether they are queries) -> float32[n, dim], rows of length one."""

BATCH = 1_024


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
            bag = bags(*gather(ragged, chosen), len(chosen))
            factors = saturated(bag.counts, saturation)
            rows[chosen] = _summed(table, bag.ids, factors.astype(np.float32), bag.offsets)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    return encode


def saturated(counts: NDArray[np.int64], saturation: str) -> NDArray[np.float64]:
    """What a token counts for that occurs `counts` times."""
    if saturation == "once":
        return np.ones(len(counts))
    if saturation == "sqrt":
        return np.sqrt(counts)
    if saturation == "log":
        return 1 + np.log(counts)
    return counts.astype(np.float64)


def from_folder(folder: Path) -> Encode:
    """The encoder as it ships."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))

    def encode(texts: list[str], query: bool) -> NDArray[np.float32]:
        del query
        found = []
        for start in range(0, len(texts), BATCH):
            ids, offsets = tokenise(tokenizer, texts[start : start + BATCH], 2**30)
            feed = {"input_ids": ids.astype(np.int64), "offsets": offsets}
            found.append(session.run(None, feed)[0])
        return np.concatenate(found)

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
