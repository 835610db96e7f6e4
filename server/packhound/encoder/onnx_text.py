"""What every text model in an ONNX folder needs: its tokenizer, its session, padded batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats
from packhound.core.errors import ModelError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

_TOKENS_PER_RUN = 2_048
"""Padded tokens per run of a transformer: some 100 MB of activations in a model of 12 layers."""

_LONGEST_TEXT = 8_000
"""Characters of a text that are read at all; no model here has room for more tokens."""

PADDED_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids", "position_ids"})
"""Inputs that `TextModel.runs` can feed."""


class TextModel:
    """A session that reads token ids. Safe to use from several threads."""

    def __init__(self, model: Path, pad_id: int, threads: int) -> None:
        self._session = _open_session(model, threads)
        self._pad_id = pad_id
        self._types = {found.name: _dtype(found.type) for found in self._session.get_inputs()}
        names = [output.name for output in self._session.get_outputs()]
        self._output = "sentence_embedding" if "sentence_embedding" in names else str(names[0])

    @property
    def inputs(self) -> frozenset[str]:
        """Names of the arrays that the model reads."""
        return frozenset(self._types)

    def run(self, inputs: dict[str, NDArray[np.int64]]) -> Floats:
        """The model's first output, or the one that is named a sentence's embedding."""
        feed = {name: inputs[name].astype(dtype) for name, dtype in self._types.items()}
        return np.asarray(self._session.run([self._output], feed)[0], np.float32)

    def runs(
        self, tokens: Sequence[Encoding]
    ) -> Iterator[tuple[list[int], Floats, NDArray[np.int64]]]:
        """Batches of about equal length: positions in `tokens`, output, mask [texts, tokens]."""
        for batch in _batches([len(one.ids) for one in tokens]):
            inputs = _padded([tokens[i] for i in batch], self._pad_id)
            yield batch, self.run(inputs), inputs["attention_mask"]


def open_tokenizer(path: Path, most_tokens: int) -> Tokenizer:
    """A tokenizer that cuts at `most_tokens`, or earlier where its file says so."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    asked = tokenizer.truncation
    tokenizer.enable_truncation(min(asked["max_length"], most_tokens) if asked else most_tokens)
    tokenizer.no_padding()
    return tokenizer


def readable(text: str) -> str:
    """`text` as a tokenizer takes it: bounded, and without lone surrogates."""
    text = text[:_LONGEST_TEXT]
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def unusable(folder: Path, error: Exception) -> ModelError:
    """What to tell the user of an error of onnxruntime or tokenizers.

    Theirs derive from Exception alone, so whoever loads a model catches all.
    """
    if isinstance(error, ModelError):
        return error
    return ModelError(
        f"model folder {folder} cannot be used: {in_a_line(error)}; "
        "export the model again, or leave its setting empty"
    )


def in_a_line(error: Exception) -> str:
    """The beginning of an error's text."""
    return " ".join(str(error).split())[:300]


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


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Positions in runs of about equal length, so that little is padded."""
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and lengths[i] * (len(batch) + 1) > _TOKENS_PER_RUN:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def _padded(tokens: Sequence[Encoding], pad_id: int) -> dict[str, NDArray[np.int64]]:
    shape = (len(tokens), max(1, *(len(one.ids) for one in tokens)))
    ids, mask, types = np.full(shape, pad_id), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for row, one in enumerate(tokens):
        ids[row, : len(one.ids)] = one.ids
        mask[row, : len(one.ids)] = 1
        types[row, : len(one.ids)] = one.type_ids
    positions = np.maximum(np.cumsum(mask, axis=1) - 1, 0)
    inputs = {"input_ids": ids, "attention_mask": mask}
    return inputs | {"token_type_ids": types, "position_ids": positions}


def _dtype(onnx_type: str) -> type[np.generic]:
    return np.int32 if onnx_type == "tensor(int32)" else np.int64
