"""Which counter counts: the offline bound by default, an exact one where the user has it."""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from packhound.core.errors import SettingsError
from packhound.llm.bound import BoundCounter

LEGAL = "empty, 'tiktoken', 'tiktoken:<encoding>', or the path of a tokenizer.json"


class TokenCounter(Protocol):
    """Tells how many tokens a language model reads in a text."""

    def __hash__(self) -> int: ...

    @property
    def name(self) -> str:
        """What is counted, for people."""
        ...

    @property
    def exact(self) -> bool:
        """Whether the count is the model's own, or one that is never below it."""
        ...

    def count(self, text: str) -> int:
        """Tokens of `text`, without any that a chat format adds."""
        ...


@lru_cache(maxsize=8)
def counter_for(tokenizer: str = "") -> TokenCounter:
    """The counter that `tokenizer` names. Raises SettingsError with what is legal."""
    if not tokenizer:
        return BoundCounter()
    if tokenizer == "tiktoken" or tokenizer.startswith("tiktoken:"):
        return _Tiktoken(tokenizer.partition(":")[2] or "o200k_base")
    return _TokenizerFile(Path(tokenizer))


class _TokenizerFile:
    """Counts with a `tokenizer.json` as Hugging Face's tokenizers writes it."""

    exact = True

    def __init__(self, path: Path) -> None:
        # Loading the library takes a tenth of a second; the default counter needs none of it.
        from tokenizers import Tokenizer

        try:
            path = path.expanduser()
            there = path.is_file()
        except (OSError, RuntimeError):  # No name that a file can have, or nobody's home.
            there = False
        if not there:
            raise SettingsError(f"tokenizer '{path}' is no file; legal is {LEGAL}")
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
            tiktoken.load.read_file = _refuse
            try:
                self._encoding = tiktoken.get_encoding(encoding)
            except (_NotHereError, ValueError) as problem:
                raise SettingsError(f"tokenizer 'tiktoken:{encoding}': {problem}") from None
            finally:
                tiktoken.load.read_file = fetch

    def count(self, text: str) -> int:
        return len(self._encoding.encode_ordinary(text))


_OFFLINE = threading.Lock()


class _NotHereError(Exception):
    """The vocabulary would have to be downloaded."""


def _refuse(blobpath: str) -> bytes:
    if "://" in blobpath:
        raise _NotHereError("its vocabulary is not on this machine, and nothing is downloaded")
    return Path(blobpath).read_bytes()
