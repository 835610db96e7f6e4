"""The facade: one folder, its index, and every question that can be asked of it.

Fronts call this and render; they hold no search logic. Each answer is made from one snapshot.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from packhound.core.errors import StoreError
from packhound.core.settings import Settings
from packhound.core.types import Document, Hit, NodeId, NodeRef, Query, Results, State, Status
from packhound.files.reader import read_text
from packhound.index.snapshot import Snapshot
from packhound.indexing.indexer import Indexer
from packhound.indexing.malloc import collect, collect_seldom, keep_little, tidy
from packhound.parsing.analyse import source_digest
from packhound.search import pipeline
from packhound.search.ablation import ablated
from packhound.search.cache import SearchCache
from packhound.search.environment import SearchEnvironment
from packhound.search.rank.personalization import Personalization
from packhound.search.related import related
from packhound.service.models import Models, named_in
from packhound.service.open_index import Opening, Stored
from packhound.service.roots import check_root, index_folder

if TYPE_CHECKING:
    from packhound.graph.graph import EdgeKind
    from packhound.pack.context import PackContext
    from packhound.pack.request import Pack, PackRequest
    from packhound.pack.service import Packer

log = logging.getLogger("packhound")

_LATELY_S = 0.5
"""Longer than between two keys of one who types."""

Listener = Callable[[], None]
"""Told, on the indexing thread, that `status` has changed."""


class Engine:
    """Everything about one folder. Methods may be called from any thread."""

    def __init__(self, root: Path, settings: Settings, on_change: Listener | None = None) -> None:
        keep_little()
        collect_seldom()
        self.root = root
        self._settings = settings
        self._listener = on_change or (lambda: None)
        self._shown: set[str] = set()
        self._packing, self._following = threading.Lock(), threading.Lock()
        self._searching: set[object] = set()
        self._used_at = -math.inf
        self._personalization = Personalization(root, index_folder(root), settings)
        self._closed = False
        self._open()

    @classmethod
    def open(
        cls, root: Path, settings: Settings | None = None, on_change: Listener | None = None
    ) -> Engine:
        """Load the last generation and begin to follow the folder; indexing goes on behind.

        Raises:
            RootError: `root` is no folder, or a home directory that was not asked for.
        """
        settings = settings or Settings()
        return cls(check_root(root, settings), settings, on_change)

    @property
    def snapshot(self) -> Snapshot:
        """The current generation."""
        return self._index.snapshot

    def update(self, document: Document) -> None:
        """The text of a document that is open in an editor; returns at once."""
        self._personalization.record_use(
            document.path, "edit" if document.path in self._shown else "open"
        )
        self._shown.add(document.path)
        self._used_at = time.monotonic()
        with self._following:
            self._indexer.update(document)

    def release(self, path: str) -> None:
        """The editor closed `path`: the file on disk counts again."""
        self._shown.discard(path)
        self._disk_changed()
        self._personalization.invalidate()
        with self._following:
            self._indexer.release(path)

    def refresh(self, paths: Sequence[str] | None = None) -> None:
        """Look at the disk again: at `paths` (files or folders), or at everything."""
        self._disk_changed()
        if paths is not None:
            self._personalization.invalidate()
        with self._following:
            self._indexer.refresh(paths)

    def picked(self, path: str, line: int) -> None:
        """The user opened the result at a 0-based line."""
        node = self.node_at(path, line)
        if node is not None:
            self._personalization.record_use(path, "pick", node.qualname)

    def forget(self) -> None:
        """Forget what the user opened, edited and picked. Raises StoreError."""
        self._personalization.clear()

    def settled(self, timeout_s: float | None = None) -> bool:
        """Wait until nothing is pending; False if that took longer than `timeout_s`."""
        return self._indexer.settled(timeout_s)

    def cancel_indexing(self) -> None:
        """Read no more files until `refresh` or `rebuild`."""
        self._indexer.cancel()

    def configure(self, settings: Settings) -> None:
        """Follow changed settings: another model or persistence means another index."""
        before, self._settings = self._settings, settings
        self._indexer.configure(settings)
        if (before.git, before.activation) != (settings.git, settings.activation):
            self._save_personalization()
            self._personalization = Personalization(self.root, self.folder, settings)
        if named_in(before) != named_in(settings):
            self._models = self._open_models()
        if (before.model, before.persist) != (settings.model, settings.persist):
            self._reopen()
        elif before != settings:
            self._indexer.refresh()

    def search(self, query: Query, cancel: threading.Event | None = None) -> Results:
        """Answer a query over all `update`s that returned before."""
        snapshot, notes = self._current(query)
        results = self._search(snapshot, query, cancel)
        return replace(results, notes=(*results.notes, *notes))

    def explain(
        self, query: Query, path: str, line: int, cancel: threading.Event | None = None
    ) -> Hit | None:
        """The node at a 0-based line, scored for the query whether it ranked or not."""
        snapshot, _ = self._current(query)
        node_id = snapshot.node_id_at(path, line)
        if node_id is None:
            return None
        return pipeline.explain(snapshot, query, node_id, self._environment(snapshot), cancel)

    def ablated(self, query: Query) -> dict[str, tuple[Hit, ...]]:
        """The hits as they are, and without each part of the ranking; personalization left out."""
        snapshot = self.snapshot
        return ablated(snapshot, query, self._environment(snapshot))

    def related(
        self, path: str, line: int, limit: int = 10, cancel: threading.Event | None = None
    ) -> Results:
        """Nodes like the one at a 0-based line."""
        query = Query(text=f"{path}:{line + 1}", limit=limit)
        snapshot, notes = self._current(query)
        node_id = snapshot.node_id_at(path, line)
        if node_id is None:
            note = f"there is no indexed code at {path}:{line + 1}"
            return Results(query.text, (), False, snapshot.generation, 0.0, 0, (note,))
        results = related(snapshot, node_id, query, self._environment(snapshot), cancel)
        return replace(results, notes=(*results.notes, *notes))

    def pack(self, request: PackRequest, cancel: threading.Event | None = None) -> Pack:
        """The best code for a prompt within a budget of tokens."""
        _, notes = self._current(Query(request.prompt))
        packed = self._packs().pack(self.snapshot, request, cancel)
        return replace(packed, notes=(*packed.notes, *notes))

    def pack_context(self, cancel: threading.Event | None = None) -> PackContext:
        """The current generation and the ways to ask it, as packs are made from it."""
        return self._packs().context(self.snapshot, cancel)

    def prepare(self) -> threading.Thread:
        """Make ready what a first search and pack need once nothing is pending; returns at once.

        The thread that is returned does it, and ends when it is done.
        """

        def prepare() -> None:
            if self.settled() and not self._closed:
                self.snapshot.name_table.fold()
                self._packs().prepare(self.snapshot, self._busy)
                tidy()  # Else a search or pack soon waits for a look at all that is new.

        preparing = threading.Thread(target=prepare, name="packhound-graph", daemon=True)
        preparing.start()
        return preparing

    def neighbors(self, path: str, line: int) -> tuple[tuple[EdgeKind, NodeRef], ...]:
        """What the node at a 0-based line contains and refers to, and what refers to it."""
        snapshot, _ = self._current(Query(""))
        node_id = snapshot.node_id_at(path, line)
        return () if node_id is None else self._packs().neighbors(snapshot, node_id)

    def node_at(self, path: str, line: int) -> NodeRef | None:
        """The innermost node at a 0-based line."""
        snapshot = self.snapshot
        node_id = snapshot.node_id_at(path, line)
        return None if node_id is None else snapshot.ref(node_id, str(self.root))

    def outline(self, path: str = "") -> tuple[NodeRef, ...]:
        """The nodes of a file, or of all files below a folder, in reading order."""
        snapshot, root = self.snapshot, str(self.root)
        folder = path.rstrip("/") + "/" if path else ""
        found = [name for name in snapshot.files if name == path or name.startswith(folder)]
        return tuple(
            snapshot.ref(NodeId(int(node_id)), root)
            for name in sorted(found)
            for node_id in snapshot.files[name].node_ids
        )

    def source(self, path: str, snapshot: Snapshot | None = None) -> bytes | None:
        """The text that a generation, if not the current one, holds of `path`.

        None if it changed since: places in a snapshot say nothing of any other text.
        """
        entry = (snapshot or self.snapshot).files.get(path)
        if entry is None:
            return None
        document = self._indexer.opened(path)
        source = document.source if document else read_text(self.root, path)
        return source if source is not None and source_digest(source) == entry.digest else None

    def status(self) -> Status:
        """What the index is doing and how well it holds."""
        snapshot, health = self.snapshot, self._index.health()
        pending = self._indexer.pending
        languages = Counter(entry.language for entry in snapshot.files.values())
        return Status(
            state=self._state(pending),
            root=str(self.root),
            generation=snapshot.generation,
            pending=pending,
            files=snapshot.n_files,
            nodes=snapshot.n_nodes,
            languages=dict(languages.most_common()),
            vectors=health.vectors,
            dense=health.dense,
            dead_share=health.dead_share,
            recall=health.recall,
            model=self._settings.model or "bundled" if self._models.embedder else "none",
            writer=self.writer,
            notes=(
                *filter(None, (self._stored.news,)),
                *self._problems,
                *health.notes,
                *self._indexer.warnings,
            ),
        )

    def rebuild(self) -> None:
        """Forget the index and read everything again."""
        self._reopen(fresh=True)

    def close(self) -> None:
        """Stop following the folder; what was read is saved."""
        self._closed = True
        self._indexer.close()
        self._save_personalization()

    @property
    def folder(self) -> Path:
        """Where this folder's index is kept."""
        return index_folder(self.root)

    @property
    def writer(self) -> bool:
        """Whether this process is the one that saves this folder's index."""
        return bool(self._stored.store and self._stored.store.writer)

    def _search(self, snapshot: Snapshot, query: Query, cancel: threading.Event | None) -> Results:
        self._searching.add(this := object())
        try:
            return pipeline.search(snapshot, query, self._environment(snapshot), cancel)
        finally:
            self._searching.discard(this)

    def _environment(self, snapshot: Snapshot) -> SearchEnvironment:
        reranker = self._models.reranker
        return SearchEnvironment(
            root=str(self.root),
            embedder=self._models.embedder,
            cache=self._search_cache,
            fuser=self._settings.fuser,
            stages=(*((reranker,) if reranker else ()), self._personalization),
            text_of=self._texts_of(snapshot),
        )

    def _open(self) -> None:
        """Open the models and the index at the same time; most of both needs no interpreter."""
        with ThreadPoolExecutor(1) as pool:
            opening = pool.submit(self._open_models)
            stored = self._open_index(lambda: opening.result().embedder)
            self._models = opening.result()
        self._follow(stored)

    def _open_index(self, embedder: Opening, fresh: bool = False) -> Stored:
        persist = self._settings.persist
        stored = Stored.open(self.folder, embedder, persist=persist, fresh=fresh)
        for problem in filter(None, (stored.problem, stored.news)):
            self._said(problem)
        return stored

    def _follow(self, stored: Stored) -> None:
        """Go on from what was stored, and keep to the folder from now on."""
        self._stored = stored
        self._index = stored.index
        self._search_cache = SearchCache()
        self._packer: Packer | None = None
        self._indexer = Indexer(
            self.root, self._settings, stored.index, stored.store, self._listener
        )
        self._indexer.start()

    def _busy(self) -> bool:
        """Whether somebody waits for an answer, or types or asks so fast that they soon will."""
        lately = time.monotonic() - self._used_at < _LATELY_S
        return not self._closed and bool(lately or self._searching or self._indexer.pending)

    def _packs(self) -> Packer:
        """Made when first asked for: searches should not wait for what only packs import."""
        from packhound.pack.service import Packer

        with self._packing:
            if self._packer is None:
                self._packer = Packer(
                    self.root, self._search, self._search_cache, self.source, self._opened
                )
            return self._packer

    def _disk_changed(self) -> None:
        if self._packer:
            self._packer.touched()

    def _save_personalization(self) -> None:
        try:
            self._personalization.close()
        except StoreError as error:
            log.warning("what you used lately is forgotten: %s", error)

    def _opened(self, path: str) -> Document | None:
        return self._indexer.opened(path)

    def _open_models(self) -> Models:
        models = Models.open(self._settings)
        for problem in models.problems:
            self._said(problem)
        return models

    def _texts_of(self, snapshot: Snapshot) -> Callable[[NodeRef], str]:
        """Path and source of a node; the path alone if the file changed since."""

        def text_of_node(node: NodeRef) -> str:
            source = self.source(node.path, snapshot) or b""
            text = source[node.span.start : node.span.end].decode("utf-8", "replace")
            return f"{node.path}\n{text}"

        return text_of_node

    def _reopen(self, fresh: bool = False) -> None:
        self._indexer.close()
        stored = self._open_index(lambda: self._models.embedder, fresh)
        # What the editor says meanwhile waits for the new indexer, or is in the list.
        with self._following:
            shown = self._indexer.open_documents
            self._follow(stored)
            for document in shown:
                self._indexer.update(document)
        collect()

    def _current(self, query: Query) -> tuple[Snapshot, tuple[str, ...]]:
        """The snapshot to answer from, and what the user should know of it."""
        self._used_at = time.monotonic()
        in_time = self._indexer.caught_up(query.budget.time_ms / 1_000)
        late = () if in_time else ("the last edits are still being read",)
        pending = self._indexer.pending
        unread = (f"{pending:,} files are still being read",) if pending > 1 else ()
        return self.snapshot, (*late, *unread, *self._models.problems)

    def _state(self, pending: int) -> State:
        if self._closed:
            return "closed"
        if pending:
            return "indexing" if self.snapshot.n_files else "starting"
        limited = self._problems or self._indexer.warnings
        return "degraded" if limited else "ready"

    @property
    def _problems(self) -> tuple[str, ...]:
        return (*self._models.problems, *filter(None, (self._stored.problem,)))

    def _said(self, problem: str) -> str:
        log.warning("%s: %s", self.root, problem)
        return problem
