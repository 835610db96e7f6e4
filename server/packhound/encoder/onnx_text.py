"""Text models in ONNX folders: tokenizer, session, padded batches."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from packhound.core.arrays import Floats, LongInts
from packhound.core.errors import ModelError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, SessionOptions
    from tokenizers import Encoding, Tokenizer

_TOKENS_PER_RUN = 2_048
"""Padded tokens per run of a transformer: some 100 MB of activations in a model of 12 layers."""

_MAX_CHARACTERS = 8_000
"""Longer texts are cut before they are tokenized; no model here reads more tokens."""

PADDED_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids", "position_ids"})
"""Inputs that `TextModel.run_batches` can feed."""


class TextModel:
    """A session that reads token ids. Safe to use from several threads."""

    def __init__(self, model: Path, pad_id: int, threads: int) -> None:
        self._session = open_session(model, session_options(threads))
        self._pad_id = pad_id
        self._types = {tensor.name: _dtype(tensor.type) for tensor in self._session.get_inputs()}
        names = [output.name for output in self._session.get_outputs()]
        self._output = "sentence_embedding" if "sentence_embedding" in names else str(names[0])

    @property
    def inputs(self) -> frozenset[str]:
        """Names of the model's inputs."""
        return frozenset(self._types)

    def run(self, inputs: dict[str, LongInts]) -> Floats:
        """Return the output `sentence_embedding`, or the first where there is none of that name."""
        feed = {name: inputs[name].astype(dtype) for name, dtype in self._types.items()}
        return np.asarray(self._session.run([self._output], feed)[0], np.float32)

    def run_batches(
        self, encodings: Sequence[Encoding]
    ) -> Iterator[tuple[list[int], Floats, LongInts]]:
        """Yield batches of about equal length: positions, output, mask [texts, tokens]."""
        for batch in _batches([len(encoding.ids) for encoding in encodings]):
            inputs = _pad([encodings[i] for i in batch], self._pad_id)
            yield batch, self.run(inputs), inputs["attention_mask"]


def open_tokenizer(path: Path, max_tokens: int) -> Tokenizer:
    """Return a tokenizer that truncates at `max_tokens`, or earlier if its file says so."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    truncation = tokenizer.truncation
    tokenizer.enable_truncation(
        min(truncation["max_length"], max_tokens) if truncation else max_tokens
    )
    tokenizer.no_padding()
    return tokenizer


def prepare_text(text: str) -> str:
    """Return `text` as tokenizers accept it: bounded, and without lone surrogates."""
    text = text[:_MAX_CHARACTERS]
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def load_error(folder: Path, error: Exception) -> ModelError:
    """Wrap an error of onnxruntime or tokenizers, with the remedy.

    Theirs derive from Exception alone, so callers catch all.
    """
    if isinstance(error, ModelError):
        return error
    return ModelError(
        f"model folder {folder} cannot be used: {one_line(error)}; "
        "export the model again, or leave its setting empty"
    )


def check_inputs(folder: Path, model: TextModel, supported: Collection[str], noun: str) -> None:
    """Raise ModelError if a model needs inputs that cannot be fed; `noun` is what is needed."""
    if model.inputs - {*supported} or "input_ids" not in model.inputs:
        raise ModelError(
            f"model folder {folder}: the model reads {', '.join(sorted(model.inputs))}; "
            f"a {noun} with input_ids and attention_mask is needed"
        )


def one_line(error: Exception) -> str:
    """Return the beginning of an error's text."""
    return " ".join(str(error).split())[:300]


def open_session(model: Path | bytes, options: SessionOptions) -> InferenceSession:
    """Load a model on the processor. Raises whatever onnxruntime raises."""
    import onnxruntime

    source = model if isinstance(model, bytes) else str(model)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def session_options(threads: int) -> SessionOptions:
    """Return options for a process that idles most of the time."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Threads that spin and an arena that never shrinks cost the editor more than they save here.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    return options


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield positions in batches of about equal length, so that little is padded."""
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and lengths[i] * (len(batch) + 1) > _TOKENS_PER_RUN:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def _pad(encodings: Sequence[Encoding], pad_id: int) -> dict[str, LongInts]:
    shape = (len(encodings), max(1, *(len(encoding.ids) for encoding in encodings)))
    ids, mask, types = np.full(shape, pad_id), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding.ids)] = encoding.ids
        mask[row, : len(encoding.ids)] = 1
        types[row, : len(encoding.ids)] = encoding.type_ids
    positions = np.maximum(np.cumsum(mask, axis=1) - 1, 0)
    inputs = {"input_ids": ids, "attention_mask": mask}
    return inputs | {"token_type_ids": types, "position_ids": positions}


def _dtype(onnx_type: str) -> type[np.generic]:
    return np.int32 if onnx_type == "tensor(int32)" else np.int64
