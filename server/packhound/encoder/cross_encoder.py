"""How well a text answers a query, read together by a cross-encoder exported to ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from packhound.core.errors import ModelError
from packhound.encoder.model_folder import read_model_folder
from packhound.encoder.onnx_text import (
    PADDED_INPUTS,
    TextModel,
    in_a_line,
    open_tokenizer,
    readable,
    unusable,
)

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class CrossEncoder:
    """A model for pairs of texts (Nogueira and Cho 2019). Safe to use from several threads."""

    def __init__(self, folder: Path, tokenizer: Tokenizer, model: TextModel) -> None:
        self._folder = folder
        self._tokenizer = tokenizer
        self._model = model

    @classmethod
    def open(cls, folder: Path, *, threads: int = 1) -> CrossEncoder:
        """Load `model.onnx` and `tokenizer.json` of `folder`; `threads` is for one run.

        Raises:
            ModelError: the folder cannot be used, and what to do about it.
        """
        described = read_model_folder(folder)
        try:
            tokenizer = open_tokenizer(described.tokenizer, described.max_tokens)
            model = TextModel(described.model, described.pad_id, threads)
            opened = cls(folder, tokenizer, model)
            opened._check()
        except Exception as error:
            raise unusable(folder, error) from error
        return opened

    def logits(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """How well each text answers the query, [len(texts)]. Raises ModelError."""
        asked = readable(query)
        try:
            pairs = self._tokenizer.encode_batch([(asked, readable(text)) for text in texts])
            found = np.zeros(len(texts), np.float32)
            for batch, output, _ in self._model.runs(pairs):
                found[batch] = output[:, 0]
        except Exception as error:
            raise ModelError(f"the reranker {self._folder} failed: {in_a_line(error)}") from error
        return np.nan_to_num(found)

    def _check(self) -> None:
        """What cannot be used shows on one pair."""
        if self._model.inputs - PADDED_INPUTS or "input_ids" not in self._model.inputs:
            raise ModelError(
                f"model folder {self._folder}: the model reads "
                f"{', '.join(sorted(self._model.inputs))}; "
                "a cross-encoder with input_ids and attention_mask is needed"
            )
        pair = [self._tokenizer.encode("search", "search")]
        shapes = [output.shape for _, output, _ in self._model.runs(pair)]
        if shapes != [(1, 1)]:
            raise ModelError(
                f"model folder {self._folder}: the output has the shape {shapes[0]} for a pair of "
                "texts; a cross-encoder with one number a pair is needed"
            )
