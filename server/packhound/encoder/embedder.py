"""Texts to vectors, with the bundled encoder or any sentence-embedding model exported to ONNX.

Vectors are unit rows. Nothing is downloaded and nothing is sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats
from packhound.core.errors import ModelError
from packhound.encoder.model_folder import ModelFolder, Pooling, read_model_folder
from packhound.encoder.onnx_text import (
    PADDED_INPUTS,
    TextModel,
    in_a_line,
    open_tokenizer,
    readable,
    unusable,
)
from packhound.encoder.token_cache import RunIds, reads_by_runs
from packhound.index.vectors.quantization import unit_rows
from packhound.parsing.analysed_file import NodeRuns

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

BUNDLED = Path(__file__).parents[1] / "model"

_STATIC_SLICE = 32
"""Texts per run of a static encoder: its sums stay in the cache, 5 times the speed of 1,024."""

_TOKENISED_AT_ONCE = 2_048
"""Texts whose tokens are held at a time: some 20 MB."""

_QUERIES = 64
"""Queries whose vectors are kept; emptied when full."""


class Embedder:
    """One loaded model. Safe to use from several threads."""

    def __init__(self, folder: ModelFolder, tokenizer: Tokenizer, model: TextModel) -> None:
        self._folder = folder
        self._tokenizer = tokenizer
        self._model = model
        self._queries: dict[str, NDArray[np.float32]] = {}
        self.fast = "offsets" in model.inputs
        self._run_ids = _run_ids(tokenizer) if self.fast else None
        self.fingerprint = folder.fingerprint
        self.dim = _probed(self)

    @classmethod
    def open(cls, folder: Path | None = None, *, threads: int = 1) -> Embedder:
        """Load the model of `folder`, or the bundled one.

        `threads` is for one run: more help a transformer, and nothing the bundled encoder.

        Raises:
            ModelError: the folder cannot be used, and what to do about it.
        """
        place = folder or BUNDLED
        described = read_model_folder(place)
        try:
            tokenizer = open_tokenizer(described.tokenizer, described.max_tokens)
            return cls(described, tokenizer, TextModel(described.model, described.pad_id, threads))
        except Exception as error:
            raise unusable(place, error) from error

    def encode(self, texts: Sequence[str]) -> Floats:
        """Unit rows [len(texts), dim]; a text without known words has a row of zeros."""
        return self._encoded([self._folder.document_prefix + text for text in texts])

    @property
    def reads_runs(self) -> bool:
        """Whether texts may come as runs: a prefix to each would have to be a run as well."""
        return self._run_ids is not None and not self._folder.document_prefix

    def encode_runs(self, nodes: NodeRuns) -> Floats:
        """What `encode` makes of the texts of nodes."""
        assert self._run_ids is not None
        try:
            return unit_rows(self._static(*self._run_ids.of_nodes(nodes)))
        except Exception as error:
            raise self._failure(error) from error

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a query, [dim]; those of the last queries are at hand.

        Editors ask the same again after every edit, and for every hover.
        """
        known = self._queries.get(text)
        if known is None:
            known = self._encoded([self._folder.query_prefix + text])[0]
            if len(self._queries) >= _QUERIES:
                self._queries.clear()
            self._queries[text] = known
        return known

    def _encoded(self, texts: Sequence[str]) -> Floats:
        rows = [np.zeros((0, self.dim), np.float32)]
        for start in range(0, len(texts), _TOKENISED_AT_ONCE):
            rows.append(self._encoded_slice(texts[start : start + _TOKENISED_AT_ONCE]))
        return np.concatenate(rows)

    def _encoded_slice(self, texts: Sequence[str]) -> Floats:
        read = [readable(text) for text in texts]
        try:
            if self._run_ids is not None:
                return unit_rows(self._static(*_in_a_row([*map(self._run_ids.of, read)])))
            tokens = self._tokenizer.encode_batch_fast(read, add_special_tokens=not self.fast)
            if self.fast:
                return unit_rows(self._static(*_in_a_row([one.ids for one in tokens])))
            return unit_rows(self._transformer(tokens))
        except Exception as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> ModelError:
        return ModelError(f"the model {self._folder.model} failed: {in_a_line(error)}")

    def _static(self, ids: NDArray[np.int64], lengths: NDArray[np.int64]) -> Floats:
        """Rows of texts whose ids stand in a row, `lengths` of each."""
        ends = np.concatenate(([0], np.cumsum(lengths)))
        rows = []
        for start in range(0, len(lengths), _STATIC_SLICE):
            bounds = ends[start : start + _STATIC_SLICE + 1]
            part = ids[bounds[0] : bounds[-1]]
            rows.append(self._model.run({"input_ids": part, "offsets": bounds - bounds[0]}))
        return np.concatenate(rows)

    def _transformer(self, tokens: Sequence[Encoding]) -> Floats:
        found: dict[int, NDArray[np.float32]] = {}
        for batch, output, mask in self._model.runs(tokens):
            pooled = output if output.ndim == 2 else _pooled(output, mask, self._folder.pooling)
            found.update(zip(batch, pooled, strict=True))
        return np.stack([found[i] for i in range(len(tokens))])


def _in_a_row(ids: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    lengths = np.fromiter(map(len, ids), np.int64, len(ids))
    return np.fromiter(chain.from_iterable(ids), np.int64, int(lengths.sum())), lengths


def _pooled(output: Floats, mask: NDArray[np.int64], pooling: Pooling) -> Floats:
    """One vector a text from one a token, [n, tokens, dim]."""
    if pooling == "cls":
        return np.asarray(output[:, 0])
    if pooling == "last":
        return np.asarray(output[np.arange(len(output)), np.maximum(mask.sum(axis=1) - 1, 0)])
    weights = mask.astype(np.float32)
    summed = np.einsum("ntd,nt->nd", output, weights)
    return np.asarray(summed / np.maximum(weights.sum(axis=1, keepdims=True), 1))


def _run_ids(tokenizer: Tokenizer) -> RunIds | None:
    cut = tokenizer.truncation
    return RunIds(tokenizer, cut["max_length"]) if cut and reads_by_runs(tokenizer) else None


def _probed(embedder: Embedder) -> int:
    """Length of the vectors, found by encoding a word; what cannot be used shows here."""
    folder, inputs = embedder._folder, embedder._model.inputs
    known = {"input_ids", "offsets"} if embedder.fast else PADDED_INPUTS
    if inputs - known or "input_ids" not in inputs:
        raise ModelError(
            f"model folder {folder.model.parent}: the model reads {', '.join(sorted(inputs))}; "
            "a text encoder with input_ids and attention_mask is needed"
        )
    rows = embedder._encoded_slice(["search"])
    if rows.ndim != 2 or rows.shape[1] < 2:
        raise ModelError(f"model folder {folder.model.parent}: the output is no vector a text")
    return int(rows.shape[1])
