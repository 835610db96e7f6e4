"""Embed texts, with the bundled encoder or any sentence-embedding model exported to ONNX.

Vectors are unit rows. Nothing is downloaded and nothing is sent.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import numpy as np

from packhound.core.arrays import Floats, LongInts, unit_rows
from packhound.core.caching import BoundedMemo
from packhound.core.errors import ModelError
from packhound.encoder import onnx_text
from packhound.encoder.model_folder import ModelFolder, Pooling, read_model_folder
from packhound.encoder.token_cache import RunTokenizer, reads_by_runs
from packhound.parsing import NodeRuns

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

BUNDLED = Path(__file__).parents[1] / "model"

_STATIC_SLICE = 32
"""Texts per run of a static encoder: its sums stay in the cache, 5 times the speed of 1,024."""

_TOKENIZER_SLICE = 2_048
"""Texts whose tokens are held at a time: some 20 MB."""

_OPENING = threading.Lock()
_OPEN = WeakValueDictionary[tuple[str, str, int], "Embedder"]()
"""The models in use, by folder, fingerprint and threads: all folders of a process have one."""

_CACHED_QUERIES = 64
"""Editors ask the same again after every edit, and for every hover."""


class Embedder:
    """One loaded model. Safe to use from several threads."""

    def __init__(
        self, folder: ModelFolder, tokenizer: Tokenizer, model: onnx_text.TextModel
    ) -> None:
        self._folder, self._tokenizer, self._model = folder, tokenizer, model
        self._query_vectors = BoundedMemo(self._encode_query, _CACHED_QUERIES)
        self.fast = "offsets" in model.inputs
        self._run_tokenizer = _run_tokenizer(tokenizer) if self.fast else None
        self.fingerprint = folder.fingerprint
        supported = {"input_ids", "offsets"} if self.fast else onnx_text.PADDED_INPUTS
        onnx_text.check_inputs(folder.model.parent, model, supported, "text encoder")
        self.dim = self._probe_dim()

    @classmethod
    def open(cls, folder: Path | None = None, *, threads: int = 1) -> Embedder:
        """Load the model of `folder`, or the bundled one; whoever asks for the same shares it.

        `threads` work on one run: more help a transformer, not the bundled encoder.

        Raises:
            ModelError: the folder cannot be used; the message names the remedy.
        """
        folder = folder or BUNDLED
        files = read_model_folder(folder)
        key = str(folder), files.fingerprint, threads
        with _OPENING:
            if (embedder := _OPEN.get(key)) is None:
                try:
                    tokenizer = onnx_text.open_tokenizer(files.tokenizer, files.max_tokens)
                    embedder = cls(
                        files, tokenizer, onnx_text.TextModel(files.model, files.pad_id, threads)
                    )
                except Exception as error:
                    raise onnx_text.load_error(folder, error) from error
                _OPEN[key] = embedder
        return embedder

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return unit rows [len(texts), dim], zeros for a text without known words."""
        return self._encode_all([self._folder.document_prefix + text for text in texts])

    @property
    def reads_runs(self) -> bool:
        """True if texts may come as runs, which a prefix to each text rules out."""
        return self._run_tokenizer is not None and not self._folder.document_prefix

    def encode_runs(self, nodes: NodeRuns) -> Floats:
        """Return the rows that `encode` returns for the texts of nodes."""
        assert self._run_tokenizer is not None
        try:
            return unit_rows(self._run_static(*self._run_tokenizer.encode_nodes(nodes)))
        except Exception as error:
            raise self._failure(error) from error

    def encode_query(self, text: str) -> Floats:
        """Return the unit vector of a query, [dim]."""
        return self._query_vectors[text]

    def _encode_query(self, text: str) -> Floats:
        row: Floats = self._encode_all([self._folder.query_prefix + text])[0]
        return row

    def _encode_all(self, texts: Sequence[str]) -> Floats:
        rows = [np.zeros((0, self.dim), np.float32)]
        for start in range(0, len(texts), _TOKENIZER_SLICE):
            rows.append(self._encode_slice(texts[start : start + _TOKENIZER_SLICE]))
        return np.concatenate(rows)

    def _encode_slice(self, texts: Sequence[str]) -> Floats:
        texts = [onnx_text.prepare_text(text) for text in texts]
        try:
            if self._run_tokenizer is not None:
                ids = [*map(self._run_tokenizer.encode, texts)]
                return unit_rows(self._run_static(*_flatten(ids)))
            encodings = self._tokenizer.encode_batch_fast(texts, add_special_tokens=not self.fast)
            if self.fast:
                ids = [encoding.ids for encoding in encodings]
                return unit_rows(self._run_static(*_flatten(ids)))
            return unit_rows(self._run_transformer(encodings))
        except Exception as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> ModelError:
        return ModelError(f"the model {self._folder.model} failed: {onnx_text.one_line(error)}")

    def _run_static(self, ids: LongInts, lengths: LongInts) -> Floats:
        """Return a row per text; `ids` are concatenated, `lengths` are those of each text."""
        ends = np.concatenate(([0], np.cumsum(lengths)))
        rows = []
        for start in range(0, len(lengths), _STATIC_SLICE):
            bounds = ends[start : start + _STATIC_SLICE + 1]
            part = ids[bounds[0] : bounds[-1]]
            rows.append(self._model.run({"input_ids": part, "offsets": bounds - bounds[0]}))
        return np.concatenate(rows)

    def _run_transformer(self, encodings: Sequence[Encoding]) -> Floats:
        rows: dict[int, Floats] = {}
        for batch, output, mask in self._model.run_batches(encodings):
            pooled = output if output.ndim == 2 else _pool(output, mask, self._folder.pooling)
            rows.update(zip(batch, pooled, strict=True))
        return np.stack([rows[i] for i in range(len(encodings))])

    def _probe_dim(self) -> int:
        """Return the length of the vectors, by encoding a word. Raises ModelError."""
        rows = self._encode_slice(["search"])
        if rows.ndim != 2 or rows.shape[1] < 2:
            folder = self._folder.model.parent
            raise ModelError(f"model folder {folder}: the output is not one vector per text")
        return int(rows.shape[1])


def _flatten(ids: Sequence[Sequence[int]]) -> tuple[LongInts, LongInts]:
    lengths = np.fromiter(map(len, ids), np.int64, len(ids))
    return np.fromiter(chain.from_iterable(ids), np.int64, int(lengths.sum())), lengths


def _pool(output: Floats, mask: LongInts, pooling: Pooling) -> Floats:
    """Pool one vector per token, [n, tokens, dim], to one per text."""
    if pooling == "cls":
        return np.asarray(output[:, 0])
    if pooling == "last":
        return np.asarray(output[np.arange(len(output)), np.maximum(mask.sum(axis=1) - 1, 0)])
    weights = mask.astype(np.float32)
    sums = np.einsum("ntd,nt->nd", output, weights)
    return np.asarray(sums / np.maximum(weights.sum(axis=1, keepdims=True), 1))


def _run_tokenizer(tokenizer: Tokenizer) -> RunTokenizer | None:
    truncation = tokenizer.truncation
    if not truncation or not reads_by_runs(tokenizer):
        return None
    return RunTokenizer(tokenizer, truncation["max_length"])
