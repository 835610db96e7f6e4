"""The packs of one folder, and what they need from one to the next.

That is the graph, the conversations, and what the user has changed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from packhound.core.types import Document, NodeId, NodeRef, Query, Results
from packhound.git.working_tree import Changes
from packhound.graph.graph import EdgeKind, Graph
from packhound.index.snapshot import Snapshot
from packhound.pack import pack as packing
from packhound.pack.context import PackContext
from packhound.pack.conversations import Conversations
from packhound.pack.request import Pack, PackRequest
from packhound.search.cache import SearchCache

Searcher: TypeAlias = Callable[[Snapshot, Query, "threading.Event | None"], Results]
Source: TypeAlias = Callable[[str, Snapshot], "bytes | None"]
Opened: TypeAlias = Callable[[str], "Document | None"]


class Packer:
    """Packs and neighbours of whichever snapshot is asked about, from any thread."""

    def __init__(
        self,
        root: Path,
        search: Searcher,
        search_cache: SearchCache,
        source: Source,
        opened: Opened,
    ) -> None:
        self._root = str(root)
        self._search = search
        self.search_cache = search_cache
        self._source = source
        self._graph = Graph()
        self._conversations = Conversations()
        self._changes = Changes(root, opened)

    def prepare(self, snapshot: Snapshot, pause: Callable[[], None]) -> None:
        """Make what searches and packs need before anyone asks; `pause` is called between bits."""
        self.search_cache.prepare(snapshot, pause)
        self._graph.prepare(snapshot.files, pause)
        for make in packing.TABLES:
            make()
            pause()

    def touched(self) -> None:
        """Something on the disk may have changed."""
        self._changes.touched()

    def pack(
        self, snapshot: Snapshot, request: PackRequest, cancel: threading.Event | None = None
    ) -> Pack:
        """The best code for a prompt within a budget of tokens. Raises as `pack.pack` does."""
        return packing.pack(self.context(snapshot, cancel), request)

    def context(self, snapshot: Snapshot, cancel: threading.Event | None = None) -> PackContext:
        """A snapshot and the ways to ask it, as packs are made from it."""
        # Git answers while the search runs.
        self._changes.refresh()
        self._graph.update(snapshot.files)
        return PackContext(
            snapshot=snapshot,
            root=self._root,
            search=lambda query: self._search(snapshot, query, cancel),
            source=lambda path: self._source(path, snapshot),
            graph=self._graph,
            conversations=self._conversations,
            changed=self._changes.lines,
            cancel=cancel,
        )

    def neighbors(
        self, snapshot: Snapshot, node_id: NodeId
    ) -> tuple[tuple[EdgeKind, NodeRef], ...]:
        """What a node contains and refers to, and what refers to it."""
        self._graph.update(snapshot.files)
        # The graph may have been shown a newer snapshot by another thread meanwhile.
        known = (
            edge
            for edge in self._graph.neighbors(node_id)
            if edge.node_id < snapshot.n_node_ids and snapshot.live[edge.node_id]
        )
        return tuple((edge.kind, snapshot.ref(edge.node_id, self._root)) for edge in known)
