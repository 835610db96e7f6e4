"""The pack service of a folder's current index, created on first use."""

from __future__ import annotations

import threading
from dataclasses import replace

from packhound import graph, pack
from packhound.core.types import Results
from packhound.index import Snapshot
from packhound.service.folder_search import FolderSearch
from packhound.service.indexed_folder import IndexedFolder
from packhound.service.peers import Peers
from packhound.service.snippets import with_snippets


class Packs:
    """Access to the pack service; thread-safe. A new index gets a new service.

    Conversations outlive both, in a file where `persist` is on.
    """

    def __init__(self, folder: IndexedFolder, search: FolderSearch, peers: Peers) -> None:
        self._peers = peers
        self._persist = folder.settings.index.persist
        self._conversations: pack.Conversations | None = None
        self._folder, self._search = folder, search
        self._service: pack.PackService | None = None
        self._lock = threading.Lock()

    def service(self) -> pack.PackService:
        """Return the service, whose imports take long, for the current index."""
        folder, cache = self._folder, self._folder.search_cache
        with self._lock:
            if self._conversations is None:
                path = folder.cache / pack.CONVERSATIONS_FILE if self._persist else None
                self._conversations = pack.Conversations(path)
            if self._service is None or self._service.search_cache is not cache:
                self._service = pack.PackService(
                    folder.root,
                    self._search,
                    cache,
                    folder.source,
                    folder.changes(),
                    folder.clean_texts,
                    self._conversations,
                    self._graph(),
                )
            return self._service

    def add_snippets(self, results: Results, snapshot: Snapshot, n: int | None) -> Results:
        """Return the results of a snapshot whose hits have at most `n` lines, or by rank."""
        if n == 0 or not results.hits:
            return results
        excerpts = self.service().excerpts(snapshot)
        return replace(results, hits=with_snippets(excerpts, snapshot, results, n))

    def forget(self) -> None:
        """Forget what was sent in conversations. Raises StoreError."""
        self.service().conversations.clear()

    def _graph(self) -> graph.Graph | None:
        """Return a copy of the graph of an index that this one shares segments with."""
        others = (engine.packs for engine in self._peers.engines if engine.packs is not self)
        return next(filter(None, (other.copy_graph(self._folder) for other in others)), None)

    def copy_graph(self, folder: IndexedFolder) -> graph.Graph | None:
        """Return a copy of the graph for a folder that shares segments; None without either."""
        segments, others = (each.snapshot.terms.segments for each in (folder, self._folder))
        if self._service is None or {*segments}.isdisjoint(others):
            return None
        return self._service.copy_graph(folder.snapshot)

    def invalidate_changes(self) -> None:
        """Ask git again for changed lines: something on the disk may have changed."""
        if self._service:
            self._service.changes.invalidate()
