"""The packs of one folder, and the state that they share: graph, conversations, changed lines."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from packhound.core.errors import SettingsError
from packhound.core.types import NodeId, NodeRef, Query, Results
from packhound.git import Changes, Since
from packhound.graph import CallGraph, EdgeKind, Graph, ScipFile, Use
from packhound.index import Snapshot
from packhound.llm import counter_for
from packhound.pack import pipeline
from packhound.pack.context import GRAPH_TOP_K, PackContext
from packhound.pack.conversations import Conversations
from packhound.pack.excerpt import Excerpts
from packhound.pack.request import Lines, Pack, PackRequest
from packhound.pack.uses import sure_uses
from packhound.redact import CleanTexts, redact
from packhound.search import SearchCache

Searcher: TypeAlias = Callable[[Snapshot, Query, "threading.Event | None"], Results]
Source: TypeAlias = Callable[[str, Snapshot], "bytes | None"]


class PackService:
    """Packs and neighbours of any snapshot; thread-safe."""

    def __init__(
        self,
        root: Path,
        search: Searcher,
        search_cache: SearchCache,
        source: Source,
        changes: Changes,
        clean_texts: CleanTexts,
        conversations: Conversations,
        graph: Graph | None = None,
    ) -> None:
        """`graph` is that of a like folder, to begin with."""
        self._root = str(root)
        self._search, self.search_cache, self._source = search, search_cache, source
        self._graph, self._scip = graph or Graph(), ScipFile(root)
        self.conversations, self.changes = conversations, changes
        self._clean_texts = clean_texts

    def prepare(self, snapshot: Snapshot) -> Iterator[None]:
        """Build what searches and packs need before the first, in small steps."""
        yield from self.search_cache.prepare(snapshot)
        yield from self._graph.prepare(snapshot.files)
        counter_for()  # Loads the table of tokens; the next one loads that of secrets.
        yield
        redact("")

    def copy_graph(self, snapshot: Snapshot) -> Graph:
        """Return a graph of another folder's snapshot, which shares what it can with this one."""
        return self._graph.copy(snapshot.files)

    def pack(
        self,
        snapshot: Snapshot,
        request: PackRequest,
        cancel: threading.Event | None = None,
        graph_top_k: int = GRAPH_TOP_K,
        search: Callable[[Query], Results] | None = None,
    ) -> Pack:
        """Return the best code for a prompt within a budget of tokens. Raises as `pack.pack`.

        `search` ranks the candidates, where they are among those of other folders.
        """
        context = self.context(snapshot, cancel)
        context = replace(context, graph_top_k=graph_top_k, search=search or context.search)
        return pipeline.pack(context, request)

    def context(self, snapshot: Snapshot, cancel: threading.Event | None = None) -> PackContext:
        """Return a snapshot and the ways to ask it."""
        # Git answers while the search runs.
        self.changes.refresh()
        self._graph.update(snapshot.files)
        return PackContext(
            snapshot=snapshot,
            root=self._root,
            search=lambda query: self._search(snapshot, query, cancel),
            source=lambda path: self._source(path, snapshot),
            graph=self._graph,
            scip=self._scip.current(),
            conversations=self.conversations,
            changed=self.changes.lines,
            all_changed=lambda: self._uncommitted_lines(snapshot),
            clean_texts=self._clean_texts,
            cancel=cancel,
        )

    def excerpts(self, snapshot: Snapshot) -> Excerpts:
        """Return the files of a snapshot as they leave, without secrets."""
        return Excerpts(
            snapshot.files,
            lambda path: self._source(path, snapshot),
            counter_for(),
            self._clean_texts,
        )

    def _uncommitted_lines(self, snapshot: Snapshot) -> Mapping[str, Sequence[Lines]]:
        """Return the lines that differ from the last commit, none where there is none."""
        try:
            return self.changed_since(snapshot, "HEAD").lines
        except SettingsError:
            return {}

    def changed_since(self, snapshot: Snapshot, base: str, emptied: Iterable[str] = ()) -> Since:
        """Return what differs from a commit, unsaved text and emptied documents included.

        Raises SettingsError: there is no such commit.
        """
        open_paths = [path for path, file in snapshot.files.items() if file.stamp is None]
        return self.changes.since(base, [*open_paths, *emptied])

    def call_graph(self, snapshot: Snapshot, cancel: threading.Event | None = None) -> CallGraph:
        """Return the resolved uses of a snapshot, for the questions of one request."""
        self._graph.update(snapshot.files)
        scip = self._scip.current()
        return CallGraph(self._graph, lambda path: self._source(path, snapshot), cancel, scip)

    def neighbors(
        self, snapshot: Snapshot, node_id: NodeId
    ) -> tuple[tuple[EdgeKind, NodeRef], ...]:
        """Return what a node contains and refers to, and what refers to it."""
        graph = self.call_graph(snapshot)
        edges: list[tuple[EdgeKind, int]] = [
            (edge.kind, edge.node_id)
            for edge in self._graph.neighbors(node_id, limit=0)
            if edge.kind in _STRUCTURE
        ]
        edges += [("references", use.node_id) for use in _surest(graph.uses(node_id))]
        edges += [("referenced-by", use.node_id) for use in _surest(graph.users(node_id))]
        # Another thread may have updated the graph to a newer snapshot meanwhile.
        return tuple(
            (kind, snapshot.ref(neighbor, self._root))
            for kind, neighbor in edges
            if neighbor < snapshot.n_node_ids and snapshot.live[neighbor]
        )


_STRUCTURE = ("contains", "contained-in", "imports")


def _surest(uses: Sequence[Use]) -> list[Use]:
    """Return the uses that are more than possible, the resolved ones first."""
    return sorted(sure_uses(uses), key=lambda use: use.grade)
