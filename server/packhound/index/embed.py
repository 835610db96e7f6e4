"""Texts to vectors, with the bundled encoder or any sentence-embedding model exported to ONNX.

Vectors are unit rows. Nothing is downloaded and nothing is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from packhound.errors import ModelError
from packhound.index.model_folder import ModelFolder, Pooling, read_model_folder
from packhound.index.quantized import Rows, unit_rows
from packhound.index.run_ids import RunIds, reads_by_runs

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

BUNDLED = Path(__file__).parents[1] / "model"

_STATIC_SLICE = 32
"""Texts per run of a static encoder: its sums stay in the cache, 5 times the speed of 1,024."""

_TOKENISED_AT_ONCE = 2_048
"""Texts whose tokens are held at a time: some 20 MB."""

_TOKENS_PER_RUN = 2_048
"""Padded tokens per run of a transformer: some 100 MB of activations in a model of 12 layers."""

_QUERIES = 64
"""Queries whose vectors are kept; emptied when full."""

_LONGEST_TEXT = 8_000
"""Characters of a text that are read at all; no model here has room for more tokens."""


class Embedder:
    """One loaded model. Safe to use from several threads."""

    def __init__(
        self, folder: ModelFolder, tokenizer: Tokenizer, session: InferenceSession
    ) -> None:
        self._folder = folder
        self._tokenizer = tokenizer
        self._session = session
        self._queries: dict[str, NDArray[np.float32]] = {}
        self._inputs = {found.name: _dtype(found.type) for found in session.get_inputs()}
        self._output = _output_name(session)
        self.fast = "offsets" in self._inputs
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
            tokenizer = _open_tokenizer(described)
            return cls(described, tokenizer, _open_session(described.model, threads))
        except ModelError:
            raise
        # onnxruntime and tokenizers raise types of their own that derive from Exception alone.
        except Exception as error:
            reason = " ".join(str(error).split())[:300]
            raise ModelError(
                f"model folder {place} cannot be used: {reason}; "
                "export the model again, or leave the model setting empty"
            ) from error

    def encode(self, texts: Sequence[str]) -> Rows:
        """Unit rows [len(texts), dim]; a text without known words has a row of zeros."""
        return self._encoded([self._folder.document_prefix + text for text in texts])

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

    def _encoded(self, texts: Sequence[str]) -> Rows:
        rows = [np.zeros((0, self.dim), np.float32)]
        for start in range(0, len(texts), _TOKENISED_AT_ONCE):
            rows.append(self._encoded_slice(texts[start : start + _TOKENISED_AT_ONCE]))
        return np.concatenate(rows)

    def _encoded_slice(self, texts: Sequence[str]) -> Rows:
        readable = [_readable(text) for text in texts]
        try:
            if self._run_ids is not None:
                return unit_rows(self._static([*map(self._run_ids.of, readable)]))
            tokens = self._tokenizer.encode_batch_fast(readable, add_special_tokens=not self.fast)
            if self.fast:
                return unit_rows(self._static([one.ids for one in tokens]))
            return unit_rows(self._transformer(tokens))
        except Exception as error:
            reason = " ".join(str(error).split())[:300]
            raise ModelError(f"the model {self._folder.model} failed: {reason}") from error

    def _static(self, tokens: Sequence[Sequence[int]]) -> Rows:
        rows = []
        for start in range(0, len(tokens), _STATIC_SLICE):
            ids = tokens[start : start + _STATIC_SLICE]
            offsets = np.cumsum([0, *map(len, ids)])
            flat = np.fromiter(chain.from_iterable(ids), np.int64, int(offsets[-1]))
            rows.append(self._run({"input_ids": flat, "offsets": offsets}))
        return np.concatenate(rows)

    def _transformer(self, tokens: Sequence[Encoding]) -> Rows:
        found: dict[int, NDArray[np.float32]] = {}
        for batch in _batches([len(one.ids) for one in tokens]):
            padded = _padded([tokens[i] for i in batch], self._folder.pad_id)
            output = self._run(padded.inputs)
            pooled = (
                output if output.ndim == 2 else _pooled(output, padded.mask, self._folder.pooling)
            )
            found.update(zip(batch, pooled, strict=True))
        return np.stack([found[i] for i in range(len(tokens))])

    def _run(self, inputs: dict[str, NDArray[np.int64]]) -> Rows:
        feed = {name: inputs[name].astype(dtype) for name, dtype in self._inputs.items()}
        return np.asarray(self._session.run([self._output], feed)[0], np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class _Padded:
    inputs: dict[str, NDArray[np.int64]]
    mask: NDArray[np.int64]


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Positions in runs of about equal length, so that little is padded."""
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and lengths[i] * (len(batch) + 1) > _TOKENS_PER_RUN:
            yield batch
            batch = []
        batch.append(i)
    yield batch


def _padded(tokens: Sequence[Encoding], pad_id: int) -> _Padded:
    shape = (len(tokens), max(1, *(len(one.ids) for one in tokens)))
    ids, mask, types = np.full(shape, pad_id), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for row, one in enumerate(tokens):
        ids[row, : len(one.ids)] = one.ids
        mask[row, : len(one.ids)] = 1
        types[row, : len(one.ids)] = one.type_ids
    positions = np.maximum(np.cumsum(mask, axis=1) - 1, 0)
    inputs = {"input_ids": ids, "attention_mask": mask}
    return _Padded(inputs | {"token_type_ids": types, "position_ids": positions}, mask)


def _pooled(output: Rows, mask: NDArray[np.int64], pooling: Pooling) -> Rows:
    """One vector a text from one a token, [n, tokens, dim]."""
    if pooling == "cls":
        return np.asarray(output[:, 0])
    if pooling == "last":
        return np.asarray(output[np.arange(len(output)), np.maximum(mask.sum(axis=1) - 1, 0)])
    weights = mask.astype(np.float32)
    summed = np.einsum("ntd,nt->nd", output, weights)
    return np.asarray(summed / np.maximum(weights.sum(axis=1, keepdims=True), 1))


def _open_tokenizer(folder: ModelFolder) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder.tokenizer))
    asked = tokenizer.truncation
    limit = min(asked["max_length"], folder.max_tokens) if asked else folder.max_tokens
    tokenizer.enable_truncation(limit)
    tokenizer.no_padding()
    return tokenizer


def _run_ids(tokenizer: Tokenizer) -> RunIds | None:
    cut = tokenizer.truncation
    return RunIds(tokenizer, cut["max_length"]) if cut and reads_by_runs(tokenizer) else None


def _open_session(model: Path, threads: int) -> InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # A language server idles most of the time; threads that spin and an arena that never shrinks
    # cost the editor more than they save here.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def _output_name(session: InferenceSession) -> str:
    names = [output.name for output in session.get_outputs()]
    return "sentence_embedding" if "sentence_embedding" in names else str(names[0])


def _dtype(onnx_type: str) -> type[np.generic]:
    return np.int32 if onnx_type == "tensor(int32)" else np.int64


_KNOWN_INPUTS = {"input_ids", "attention_mask", "token_type_ids", "position_ids"}


def _probed(embedder: Embedder) -> int:
    """Length of the vectors, found by encoding a word; what cannot be used shows here."""
    folder, inputs = embedder._folder, set(embedder._inputs)
    known = {"input_ids", "offsets"} if embedder.fast else _KNOWN_INPUTS
    if inputs - known or "input_ids" not in inputs:
        raise ModelError(
            f"model folder {folder.model.parent}: the model reads {', '.join(sorted(inputs))}; "
            "a text encoder with input_ids and attention_mask is needed"
        )
    rows = embedder._encoded_slice(["search"])
    if rows.ndim != 2 or rows.shape[1] < 2:
        raise ModelError(f"model folder {folder.model.parent}: the output is no vector a text")
    return int(rows.shape[1])


def _readable(text: str) -> str:
    """`text` as a tokenizer takes it: bounded, and without lone surrogates."""
    text = text[:_LONGEST_TEXT]
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
