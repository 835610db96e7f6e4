"""The models that a folder's settings name, and why one of them could not be opened."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from packhound.core.errors import ModelError
from packhound.core.settings import Settings
from packhound.encoder import Embedder
from packhound.search import DeepRanker, Reranker


@dataclass(frozen=True, slots=True)
class Models:
    """Encoder and rerankers; one that is None was not asked for, or is named in `problems`."""

    embedder: Embedder | None
    reranker: Reranker | None
    deep: DeepRanker | None
    problems: tuple[str, ...]
    encoder_problem: str

    @classmethod
    def open(cls, settings: Settings) -> Models:
        """Load the encoder and, where a setting names one, the reranker.

        The deep model is loaded by the first search that it reads for.
        """
        embedder, reranker, problems, encoder_problem = None, None, [], ""
        if not settings.index.enabled:
            return cls(None, None, None, (), "")
        named = "setting 'encoder.path': " if settings.encoder.path else ""
        try:
            if settings.meaning.enabled:
                model = settings.encoder.path
                embedder = Embedder.open(Path(model) if model else None)
        except ModelError as error:
            encoder_problem = f"{named}{error}"
            problems.append(f"lexical search only: {encoder_problem}")
        try:
            if settings.rerank.path:
                reranker = Reranker.open(Path(settings.rerank.path), settings.rerank.weight)
        except ModelError as error:
            problems.append(f"results are not reranked: setting 'rerank.path': {error}")
        wants_deep = settings.meaning.enabled and settings.search.deep != "off"
        deep = shared_deep_ranker() if wants_deep else None
        return cls(embedder, reranker, deep, tuple(problems), encoder_problem)


shared_deep_ranker = lru_cache(maxsize=1)(DeepRanker)
"""The deep model's stage; working trees of a process ask for the same vectors."""


def model_settings(settings: Settings) -> tuple[object, ...]:
    """Return the settings that decide what `Models.open` loads."""
    return settings.meaning.enabled, settings.encoder, settings.rerank, settings.search.deep
