"""Token counters: the offline bound by default, an exact one where the user has it."""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from packhound.core.errors import SettingsError
from packhound.llm.bound import BoundCounter
from packhound.llm.prices import find_model

_EXPECTED = "expected one of: empty, 'tiktoken', 'tiktoken:<encoding>', a path of a tokenizer.json"


class TokenCounter(Protocol):
    """Counter of the tokens that a language model reads in a text."""

    def __hash__(self) -> int: ...

    @property
    def name(self) -> str:
        """Name of the vocabulary, for people."""
        ...

    @property
    def exact(self) -> bool:
        """True if the count is the model's own, False if it is an upper bound."""
        ...

    def count(self, text: str) -> int:
        """Return the tokens of `text`, without any that a chat format adds."""
        ...


@lru_cache(maxsize=8)
def counter_for(tokenizer: str = "") -> TokenCounter:
    """Return the counter that `tokenizer` names. Raises SettingsError."""
    if not tokenizer:
        return BoundCounter()
    if tokenizer == "tiktoken" or tokenizer.startswith("tiktoken:"):
        return _Tiktoken(tokenizer.partition(":")[2] or "o200k_base")
    return _TokenizerFile(Path(tokenizer))


@lru_cache(maxsize=64)
def tokenizer_of(model: str) -> str:
    """Return the tokenizer of a model that is on this machine, "" where there is none."""
    described = find_model(model) if model else None
    tokenizer = described.tokenizer if described else ""
    try:
        counter_for(tokenizer)
    except SettingsError:
        return ""
    return tokenizer


class _TokenizerFile:
    """Counts with a `tokenizer.json` as Hugging Face's tokenizers writes it."""

    exact = True

    def __init__(self, path: Path) -> None:
        # Loading the library takes a tenth of a second; the default counter needs none of it.
        from tokenizers import Tokenizer

        try:
            path = path.expanduser()
            is_file = path.is_file()
        except (OSError, RuntimeError):  # No valid file name, or the home of an unknown user.
            is_file = False
        if not is_file:
            raise SettingsError(f"tokenizer '{path}' is not a file; {_EXPECTED}")
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as problem:  # tokenizers raises nothing narrower
            raise SettingsError(f"tokenizer '{path}' cannot be read: {problem}") from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.name = path.name if path.name != "tokenizer.json" else path.parent.name

    def count(self, text: str) -> int:
        clean = text.encode("utf-8", "replace").decode("utf-8")
        return len(self._tokenizer.encode(clean, add_special_tokens=False).ids)


class _Tiktoken:
    """Counts with an installed tiktoken whose vocabulary is already on this machine."""

    exact = True

    def __init__(self, encoding: str) -> None:
        try:
            import tiktoken
            import tiktoken.load
        except ImportError:
            raise SettingsError("tokenizer 'tiktoken' is not installed") from None
        self.name = encoding
        with _OFFLINE:
            fetch = tiktoken.load.read_file
            # tiktoken downloads a vocabulary that it does not have; Packhound never does.
            tiktoken.load.read_file = _read_local
            try:
                self._encoding = tiktoken.get_encoding(encoding)
            except (_NotDownloadedError, ValueError) as problem:
                raise SettingsError(f"tokenizer 'tiktoken:{encoding}': {problem}") from None
            finally:
                tiktoken.load.read_file = fetch

    def count(self, text: str) -> int:
        return len(self._encoding.encode_ordinary(text))


_OFFLINE = threading.Lock()


class _NotDownloadedError(Exception):
    """The vocabulary is not on this machine."""


def _read_local(blobpath: str) -> bytes:
    if "://" in blobpath:
        raise _NotDownloadedError(
            "its vocabulary is not on this machine, and nothing is downloaded"
        )
    return Path(blobpath).read_bytes()
