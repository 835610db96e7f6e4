"""The stages of a search, by the settings and the query."""

from __future__ import annotations

from collections.abc import Sequence

from packhound.core.settings import Settings
from packhound.core.types import Query
from packhound.index import Snapshot
from packhound.search import Diversity, Personalization, PluginScorers, Proximity, Stage
from packhound.service.models import Models


def stages_of(
    query: Query,
    settings: Settings,
    models: Models,
    near: Sequence[Stage],
    personalization: Personalization,
    snapshot: Snapshot,
) -> tuple[Stage, ...]:
    """Return what rescores the best hits, in order: what is quick before what takes long."""
    deep = models.deep if is_deep(query, settings) and not query.files else None
    slow = (stage for stage in (deep, models.reranker) if stage)
    stages: list[Stage] = [*near, personalization, *slow]
    if scorers := query.scorers or settings.search.scorers:
        stages.append(PluginScorers(scorers))
    if settings.search.mmr_lambda < 1:
        stages.append(Diversity(snapshot, settings.search.mmr_lambda))
    return tuple(stages)


def is_deep(query: Query, settings: Settings) -> bool:
    """Return True if the deep model is asked to read the best hits."""
    return (query.deep or settings.search.deep == "on") and query.mode == "hybrid"


def near_stages(
    query: Query, root: str, edited: Sequence[str], snapshot: Snapshot
) -> tuple[Stage, ...]:
    """Return the stage of a query's focus, none for a focus in another folder than `root`."""
    if query.focus is None or query.focus.root not in ("", root):
        return ()
    return (Proximity(snapshot, query.focus, edited),)
