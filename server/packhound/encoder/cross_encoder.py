"""Cross-encoder exported to ONNX: it reads query and text together and scores the pair."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from packhound.core.arrays import Floats
from packhound.core.errors import ModelError
from packhound.encoder import onnx_text
from packhound.encoder.model_folder import read_model_folder

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class CrossEncoder:
    """A model for pairs of texts (Nogueira and Cho 2019). Safe to use from several threads."""

    def __init__(self, folder: Path, tokenizer: Tokenizer, model: onnx_text.TextModel) -> None:
        self._folder, self._tokenizer, self._model = folder, tokenizer, model

    @classmethod
    def open(cls, folder: Path, *, threads: int = 1) -> CrossEncoder:
        """Load `model.onnx` and `tokenizer.json` of `folder`; `threads` is for one run.

        Raises:
            ModelError: the folder cannot be used; the message names the remedy.
        """
        files = read_model_folder(folder)
        try:
            tokenizer = onnx_text.open_tokenizer(files.tokenizer, files.max_tokens)
            model = onnx_text.TextModel(files.model, files.pad_id, threads)
            encoder = cls(folder, tokenizer, model)
            encoder.check()
        except Exception as error:
            raise onnx_text.load_error(folder, error) from error
        return encoder

    def logits(self, query: str, texts: Sequence[str]) -> Floats:
        """Return the relevance of each text to the query, [len(texts)]. Raises ModelError."""
        query = onnx_text.prepare_text(query)
        try:
            pairs = self._tokenizer.encode_batch(
                [(query, onnx_text.prepare_text(text)) for text in texts]
            )
            logits = np.zeros(len(texts), np.float32)
            for batch, output, _ in self._model.run_batches(pairs):
                logits[batch] = output[:, 0]
        except Exception as error:
            raise ModelError(
                f"the reranker {self._folder} failed: {onnx_text.one_line(error)}"
            ) from error
        return np.nan_to_num(logits)

    def check(self) -> None:
        """Raise ModelError if the model cannot score one pair."""
        onnx_text.check_inputs(self._folder, self._model, onnx_text.PADDED_INPUTS, "cross-encoder")
        pair = [self._tokenizer.encode("search", "search")]
        shapes = [output.shape for _, output, _ in self._model.run_batches(pair)]
        if shapes != [(1, 1)]:
            raise ModelError(
                f"model folder {self._folder}: the output has the shape {shapes[0]} for a pair of "
                "texts; a cross-encoder with one number a pair is needed"
            )
