"""The index of a folder as the last process left it, or an empty one and the reason why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from packhound.core.errors import StoreError
from packhound.encoder.embedder import Embedder
from packhound.index.writer import Index
from packhound.parsing.version import grammar_version
from packhound.storage.sqlite_store import Store
from packhound.text.path_features import PATHS_VERSION
from packhound.text.tokenizer import TOKENIZER_VERSION

Opening = Callable[[], Embedder | None]
"""Waits until the encoder is there, or known to be none."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An index and where it is kept; `store` is None where it is kept in memory only."""

    index: Index
    store: Store | None = None
    problem: str = ""
    """Why it is kept in memory only, unless that was asked for."""
    news: str = ""
    """Why what was kept could not be used."""

    @classmethod
    def open(cls, folder: Path, embedder: Opening, *, persist: bool, fresh: bool = False) -> Stored:
        """Load the last generation of `folder`, or with `fresh` forget it.

        `embedder` is asked when all is read, so that it can be opened meanwhile.
        """
        if not persist:
            return cls(Index(embedder()))
        try:
            store = Store.open(folder, lambda: _versions(embedder()))
        except StoreError as error:
            problem = f"the index is kept in memory only: {error}"
            return cls(Index(embedder()), problem=problem)
        saved, news = None, ""
        try:
            if fresh:
                store.forget()
            else:
                saved = store.load()
        except StoreError as error:
            news = f"the index was rebuilt: {error}"
        index = Index(embedder())
        if saved:
            index.restore(saved)
        return cls(index, store, news=news)


def _versions(embedder: Embedder | None) -> str:
    """All that decides what an index holds beyond the sources."""
    fingerprint = embedder.fingerprint if embedder else "none"
    return f"{TOKENIZER_VERSION}/{PATHS_VERSION}/{grammar_version()}/{fingerprint}"
