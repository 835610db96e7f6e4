"""The deep model's part in the order of records, as in that of code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from packhound.core.errors import ModelError
from packhound.core.types import SignalValue
from packhound.core.vector_cache import VectorCache
from packhound.search import DEEP_SIMILARITY, DeepRanker, DeepText, SearchRun
from packhound.sources import STATE_FACTOR, ScoredRecord, Source, is_near, sort_key

_WEIGHT = 1.0
"""Of the cosine beside words and meaning, which have half of that each."""

_MIN_COSINE = 0.25
"""Of a record that is not near the query in words or in the bundled encoder's meaning."""


@dataclass(frozen=True, slots=True)
class DeepRescorer:
    """Adds the similarity of the deep model to the scores of records: to all or to none."""

    ranker: DeepRanker
    query: str
    run: SearchRun
    cache: VectorCache | None
    depth: int = 100
    """Twice as many as of code: they are shorter, and words find fewer of them."""

    def __call__(self, scored: Sequence[ScoredRecord], source: Source) -> list[ScoredRecord]:
        """Return records with new scores, the best first."""
        if not scored:
            return []
        texts = [
            DeepText(
                entry.record.title, entry.record.text, partial(source.is_on_disk, entry.record)
            )
            for entry in scored[: self.depth]
        ]
        try:
            cosines = self.ranker.similarities(texts, self.query, self.run, self.cache)
        except ModelError as problem:
            self.run.notes.append(str(problem))
            cosines = None
        if cosines is None:
            return [*filter(is_near, scored)]
        values = cosines.tolist() + [float(cosines.min())] * (len(scored) - len(cosines))
        pairs = zip(scored, values, strict=True)
        near = (pair for pair in pairs if pair[1] >= _MIN_COSINE or is_near(pair[0]))
        return sorted((_rescore(entry, value) for entry, value in near), key=sort_key)


def _rescore(entry: ScoredRecord, value: float) -> ScoredRecord:
    weight = _WEIGHT * (STATE_FACTOR if entry.state else 1.0)
    signal = SignalValue(DEEP_SIMILARITY, value, weight)
    return entry._replace(score=entry.score + signal.contribution, why=(*entry.why, signal))
