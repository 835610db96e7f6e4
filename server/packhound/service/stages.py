"""The stages of a search, by the settings and the query."""

from __future__ import annotations

from packhound.core.settings import Settings
from packhound.core.types import Query
from packhound.index import Snapshot
from packhound.search import Diversity, Personalization, PluginScorers, Stage
from packhound.service.models import Models


def stages_of(
    query: Query,
    settings: Settings,
    models: Models,
    personalization: Personalization,
    snapshot: Snapshot,
) -> tuple[Stage, ...]:
    """Return what rescores the best hits, in order."""
    is_deep = query.deep or settings.deep == "on"
    deep = models.deep if is_deep and query.mode == "hybrid" and not query.files else None
    stages: list[Stage] = [stage for stage in (deep, models.reranker) if stage]
    if scorers := query.scorers or settings.scorers:
        stages.append(PluginScorers(scorers))
    stages.append(personalization)
    if settings.mmr_lambda < 1:
        stages.append(Diversity(snapshot, settings.mmr_lambda))
    return tuple(stages)
