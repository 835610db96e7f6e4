"""The index of a folder as the last process left it, or an empty one and the reason why."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from packhound.errors import StoreError
from packhound.index.embed import Embedder
from packhound.index.index import Index
from packhound.index.store import Store
from packhound.syntax.parse import GRAMMAR_VERSION
from packhound.text.paths import PATHS_VERSION
from packhound.text.tokens import TOKENIZER_VERSION


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
    def open(
        cls, folder: Path, embedder: Embedder | None, *, persist: bool, fresh: bool = False
    ) -> Stored:
        """Load the last generation of `folder`, or with `fresh` forget it."""
        index = Index(embedder)
        if not persist:
            return cls(index)
        fingerprint = embedder.fingerprint if embedder else "none"
        versions = f"{TOKENIZER_VERSION}/{PATHS_VERSION}/{GRAMMAR_VERSION}/{fingerprint}"
        try:
            store = Store.open(folder, versions)
        except StoreError as error:
            return cls(index, problem=f"the index is kept in memory only: {error}")
        try:
            if fresh:
                store.forget()
            elif saved := store.load():
                index.restore(saved)
        except StoreError as error:
            return cls(index, store, news=f"the index was rebuilt: {error}")
        return cls(index, store)
