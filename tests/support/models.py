"""The bundled models, loaded before the first test or fork that needs them."""

from __future__ import annotations

from packhound.core.types import Query
from packhound.encoder import Embedder
from packhound.search.rank.deep import DeepRanker, DeepText
from packhound.search.run import SearchRun


def load_models() -> Embedder:
    """Load both models; whoever keeps what is returned shares it with all engines of a process."""
    text = DeepText("open_file", "")
    while (
        DeepRanker().similarities([text], "open a file", SearchRun(Query(""), None), None) is None
    ):
        pass
    return Embedder.open()
