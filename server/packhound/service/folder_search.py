"""Searches of one folder's snapshots, by its models and settings and by what its user does."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from packhound import search
from packhound.core.settings import Settings
from packhound.core.settings_reader import changed
from packhound.core.trace import traced
from packhound.core.types import MAX_HITS, Query, Results
from packhound.index import Snapshot
from packhound.service.indexed_folder import IndexedFolder
from packhound.service.preparation import Activity


class FolderSearch:
    """Ranks the code of a snapshot. Any thread may call."""

    def __init__(self, index: IndexedFolder, activity: Activity) -> None:
        self._index, self._activity = index, activity
        self.personalization = search.Personalization(index.root, index.cache, index.settings)

    @traced("search code")
    def __call__(
        self, snapshot: Snapshot, query: Query, cancel: threading.Event | None = None
    ) -> Results:
        """Return the hits of one snapshot; background work waits meanwhile."""
        with self._activity.searching():
            return search.pipeline.search(
                snapshot, query, self.environment(snapshot, query), cancel
            )

    def scores(
        self, snapshot: Snapshot, cancel: threading.Event | None, text: str, node_ids: Sequence[int]
    ) -> dict[int, float]:
        """Return the scores of some nodes for a question, without stages."""
        query = Query(text, limit=min(MAX_HITS, len(node_ids)))
        environment = self.environment(snapshot, query)
        environment = replace(environment, stages=(), within=frozenset(node_ids))
        hits = search.pipeline.search(snapshot, query, environment, cancel).hits
        return {hit.node.node_id: hit.score for hit in hits}

    def environment(self, snapshot: Snapshot, query: Query) -> search.SearchEnvironment:
        """Return what a search needs besides its snapshot and its query."""
        index, settings = self._index, self._index.settings
        scope, _ = search.scope_of(query)
        dated = scope.is_dated and scope.has_code
        return search.SearchEnvironment(
            root=str(index.root),
            embedder=index.embedder,
            cache=index.search_cache,
            settings=changed(settings, {"search.fuser": query.fuser}) if query.fuser else settings,
            stages=tuple(self._stages(snapshot, query)),
            text_of=partial(index.node_text, snapshot),
            vectors=index.node_vectors(snapshot),
            read_nodes=index.read_nodes,
            texts=index.redacted_grep if query.redacted else index.grep,
            history=self.personalization.dates(query.budget.time_ms / 1_000) if dated else None,
        )

    def _stages(self, snapshot: Snapshot, query: Query) -> Iterator[search.Stage]:
        """Yield what rescores the best hits, in order: what is quick before what takes long."""
        settings, models = self._index.settings, self._index.models
        if query.focus and query.focus.root in ("", str(self._index.root)):
            yield search.Proximity(snapshot, query.focus, self._activity.edited)
        yield self.personalization
        if models.deep and is_deep(query, settings) and not query.files:
            yield models.deep
        if models.reranker:
            yield models.reranker
        if scorers := query.scorers or settings.search.scorers:
            yield search.PluginScorers(scorers)
        if settings.search.mmr_lambda < 1:
            yield search.Diversity(snapshot, settings.search.mmr_lambda)

    def configure(self, settings: Settings) -> None:
        """Follow changed settings, before the index does."""
        if self._index.settings.ranking != settings.ranking:
            self.personalization.close()
            self.personalization = search.Personalization(
                self._index.root, self._index.cache, settings
            )


def is_deep(query: Query, settings: Settings) -> bool:
    """Return True if the deep model is asked to read the best hits."""
    return (query.deep or settings.search.deep == "on") and query.mode == "hybrid"
