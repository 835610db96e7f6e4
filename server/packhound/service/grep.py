"""Grep of one folder, whose definitions a search ranks where the request has a question."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from packhound.core.types import MAX_HITS, Query
from packhound.grep import GrepRequest, GrepResults
from packhound.index import Snapshot
from packhound.search import SearchEnvironment, pipeline
from packhound.service.indexed_folder import Current, IndexedFolder
from packhound.service.preparation import BackgroundPreparation


class FolderGrep:
    """Grep of a folder; has filters made in the background once a grep lacked them."""

    def __init__(
        self,
        folder: IndexedFolder,
        preparation: BackgroundPreparation,
        current: Callable[[Query], Current],
        environment_of: Callable[[Snapshot, Query], SearchEnvironment],
    ) -> None:
        self._folder = folder
        self._preparation = preparation
        self._current = current
        self._environment_of = environment_of

    def __call__(
        self,
        request: GrepRequest,
        cancel: threading.Event | None = None,
        *,
        redacted: bool = False,
    ) -> GrepResults:
        """Find the lines that match a pattern, `redacted` as they leave.

        Raises SettingsError for a bad pattern.
        """
        snapshot, _, notes = self._current(Query(""))
        grep = self._folder.redacted_grep if redacted else self._folder.grep

        def rank(text: str, node_ids: Sequence[int]) -> dict[int, float]:
            query = Query(text, limit=min(MAX_HITS, len(node_ids)))
            environment = self._environment_of(snapshot, query)
            environment = replace(environment, stages=(), within=frozenset(node_ids))
            hits = pipeline.search(snapshot, query, environment, cancel).hits
            return {hit.node.node_id: hit.score for hit in hits}

        results = grep.search(snapshot, request, rank, cancel)
        if grep.lacks_filters:
            self._preparation.start()
        return replace(results, notes=(*results.notes, *notes))
