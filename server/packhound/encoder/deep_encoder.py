"""The deep model: all-MiniLM-L6-v2, taught code, multiplied in integers.

Its folder has the tokenizer, the weights and a graph over places in their file, which onnxruntime
maps. `training/transformer.py` teaches it, `training/deep_graph.py` writes the files.
"""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from packhound.core.arrays import Floats
from packhound.core.caching import BoundedMemo
from packhound.core.errors import Cancelled, ModelError
from packhound.encoder import onnx_text

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, RunOptions
    from tokenizers import Tokenizer

MAX_TOKENS = 64
"""Twice as many cost twice the time, and find hardly more."""

FOLDER = Path(__file__).parent / "minilm"
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

    def __init__(self, tokenizer: Tokenizer, session: InferenceSession, fingerprint: str) -> None:
        self._tokenizer, self._session, self.fingerprint = tokenizer, session, fingerprint
        """Models with the same one make the same vector of a text."""
        self._query_vectors = BoundedMemo(self.encode, _CACHED_QUERIES)

    @classmethod
    def open(cls) -> DeepEncoder:
        """Load the model. Raises ModelError, which names the remedy."""
        try:
            tokenizer = onnx_text.open_tokenizer(FOLDER / "tokenizer.json", MAX_TOKENS)
            files = ("graph.onnx", "tokenizer.json", "weights.bin")
            digest = hashlib.sha256(b"".join((FOLDER / name).read_bytes() for name in files))
            return cls(tokenizer, _open_graph(), f"{digest.hexdigest()} {MAX_TOKENS}")
        except Exception as error:
            raise ModelError(
                f"the deep model in {FOLDER} cannot be used: {onnx_text.one_line(error)}; "
                "install Packhound again"
            ) from error

    def encode(self, text: str, interruption: Interruption | None = None) -> Floats:
        """Return the unit vector of a text, [384]: the mean over its tokens.

        Texts are encoded one by one, so that a vector is the same whatever is encoded beside it:
        in a batch they would be quantized together. Raises ModelError, or Cancelled by
        `interruption`.
        """
        options = interruption.options if interruption else None
        try:
            ids = self._tokenizer.encode(onnx_text.prepare_text(text)).ids
            inputs = {"input_ids": np.array([ids], np.int64)}
            [[vector]] = self._session.run(None, inputs, options)
        except Exception as error:
            if options and options.terminate:
                raise Cancelled("the deep model was interrupted") from error
            raise ModelError(f"the deep model failed: {onnx_text.one_line(error)}") from error
        return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), np.float32)

    def encode_query(self, text: str) -> Floats:
        """Return the unit vector of a query, [384]. Raises ModelError."""
        return self._query_vectors[text]


def node_text(qualname: str, source: str) -> str:
    """Return what the model reads of a node: the words of its name, and those it begins with."""
    return f"{_words(qualname)}. {_words(source[:READ_CHARACTERS])}"


def _words(text: str) -> str:
    """Return the first words in lower case, as many as can be read: each is a token or more."""
    return " ".join(match[0] for match in islice(_WORD.finditer(text), MAX_TOKENS)).lower()


def _open_graph() -> InferenceSession:
    """Load the graph over the weights, of which onnxruntime maps what it needs."""
    import onnxruntime

    options = onnx_text.session_options(threads=1)
    # More would join additions and norms, whose common operator is far slower.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return onnx_text.open_session(FOLDER / "graph.onnx", options)
