"""The facade: one folder, its index, and every question that can be asked of it.

Front ends call this and render; they hold no search logic. Each answer is made from one snapshot.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from packhound import pack
from packhound.core.settings import Settings
from packhound.core.settings_files import FolderSettings, SettingsInForce
from packhound.core.settings_reader import changed
from packhound.core.status import LeftOut, Reading, Status
from packhound.core.types import Document, Hit, NodeRef, Query, Results
from packhound.index import Snapshot
from packhound.indexing import DEFAULT_TIMING, Timing
from packhound.search import (
    Personalization,
    SearchEnvironment,
    ablate,
    pipeline,
    related,
    scope_of,
    so_far,
)
from packhound.service.cells import add_cells
from packhound.service.editor_texts import EditorTexts
from packhound.service.grep import FolderGrep
from packhound.service.impact import Impact
from packhound.service.indexed_folder import Current, IndexedFolder
from packhound.service.notes import FolderNotes
from packhound.service.packs import Packs
from packhound.service.preparation import Activity, BackgroundPreparation
from packhound.service.roots import check_root
from packhound.service.sources import FolderSources
from packhound.service.stages import near_stages, stages_of
from packhound.service.status import Listener

if TYPE_CHECKING:
    from packhound.graph import EdgeKind
    from packhound.pack import Excerpts, Pack, PackContext, PackRequest

log = logging.getLogger("packhound")

AnySettings: TypeAlias = Settings | FolderSettings
Others: TypeAlias = "Callable[[], Sequence[Engine]]"


class Engine:
    """Everything about one folder. Methods may be called from any thread."""

    def __init__(
        self, root: Path, settings: AnySettings, notify: Listener, timing: Timing, others: Others
    ) -> None:
        self._folder_settings, self._in_force = _followed(settings)
        settings = self._in_force.settings
        self.root, self._settings_lock = root, threading.Lock()
        self._activity = Activity(timing.recent_use_s)
        self._index = IndexedFolder(
            root, settings, notify, timing, lambda: [e._index for e in others()]
        )
        self.read_first = self._index.read_first
        self.texts = EditorTexts(self._index)
        self._personalization = Personalization(root, self.folder, settings)
        self._packs = Packs(
            root,
            self._index,
            self._search,
            lambda: [e._packs for e in others()],
            settings.index.persist,
        )
        self.notes = FolderNotes(self._index, self._search)
        self.notes.notebook.shared.trusted = self._in_force.trusted
        self.sources = FolderSources(self._index, self.notes)
        self.impact = Impact(root, self._current, self._packs)
        self.preparation = BackgroundPreparation(self._index, self._packs, self._activity, timing)
        self.grep = FolderGrep(self._index, self.preparation, self._current, self._environment)

    @classmethod
    def open(
        cls,
        root: Path,
        settings: AnySettings | None = None,
        on_change: Listener | None = None,
        timing: Timing = DEFAULT_TIMING,
        others: Others = tuple,
    ) -> Engine:
        """Load the last generation and begin to follow the folder; indexing goes on behind.

        Settings of a folder are followed; `others` share what is equal. Raises as `check_root`.
        """
        settings = settings or Settings()
        current = settings.read().settings if isinstance(settings, FolderSettings) else settings
        return cls(check_root(root, current), settings, on_change or (lambda: None), timing, others)

    @property
    def snapshot(self) -> Snapshot:
        """The current generation."""
        return self._index.snapshot

    @property
    def folder(self) -> Path:
        """Folder that the index is saved in."""
        return self._index.cache

    @property
    def writer(self) -> bool:
        """Return True if this process is the one that saves this folder's index."""
        return self._index.writer

    def update(self, document: Document, editor: object = None) -> None:
        """Submit a text that is open in an editor, of several the newest; returns at once."""
        if is_edit := document.path in self.texts:
            self._activity.mark_edited(document.path)
            self.sources.episodes.record_edit(document.path)
        self._personalization.record_use(document.path, "edit" if is_edit else "open")
        self._activity.mark_used()
        self.texts.update(document, editor)

    def release(self, path: str, editor: object = None) -> None:
        """Submit that an editor closed `path`: the text of another one counts, or the file."""
        self._packs.invalidate_changes()
        self._personalization.invalidate()
        self.texts.release(path, editor)

    def refresh(self, paths: Sequence[str] | None = None) -> None:
        """Compare with the disk again: `paths` (files or folders), or everything."""
        self._packs.invalidate_changes()
        if paths is not None:
            self._personalization.invalidate()
        self._index.refresh(paths)

    def picked(self, path: str, line: int) -> None:
        """Record that the user opened the result at a 0-based line."""
        if (node := self.node_at(path, line)) is not None:
            self._personalization.record_use(path, "pick", node.qualname)

    def forget(self) -> None:
        """Forget what the user opened, edited and picked, and conversations. Raises StoreError."""
        self._personalization.clear()
        self._packs.forget()

    def settled(self, timeout_s: float | None = None) -> bool:
        """Wait until nothing is pending; False if that took longer than `timeout_s`."""
        return self._index.queue.settled(timeout_s)

    @property
    def reading(self) -> Reading:
        """Files of the folder that can be found, of those that were listed."""
        return self._index.queue.reading

    def flush(self, timeout_s: float | None = None) -> bool:
        """Save the index now; False after `timeout_s`. Why it failed is in the status."""
        return self._index.queue.flush(timeout_s)

    def cancel_indexing(self) -> None:
        """Read no more files until `refresh` or `rebuild`."""
        self._index.queue.cancel()

    def configure(self, settings: Settings) -> None:
        """Follow changed settings: another model or persistence means another index."""
        if self._index.settings.ranking != settings.ranking:
            self._personalization.close()
            self._personalization = Personalization(self.root, self.folder, settings)
        self._index.configure(settings)
        self.preparation.deep.start()

    def use_settings(self, settings: AnySettings) -> None:
        """Follow the settings of a first follower, where those before it have gone."""
        with self._settings_lock:
            self._folder_settings, in_force = _followed(settings)
            self._apply(in_force)

    def follow_settings(self) -> SettingsInForce:
        """Apply the settings of the folder where they changed, and return those in force."""
        if self._folder_settings is None:
            return self._in_force._replace(settings=self._index.settings)
        with self._settings_lock:
            in_force = self._folder_settings.read()
            if in_force is not self._in_force:
                for problem in set(in_force.problems) - set(self._in_force.problems):
                    log.warning("%s", problem)
                self._apply(in_force)
            return in_force

    def search(self, query: Query, cancel: threading.Event | None = None) -> Results:
        """Answer a query over all `update`s that returned before."""
        snapshot, reading, notes = self._current(query)
        results = self.sources.search(query, partial(self._search, snapshot, cancel=cancel))
        results = so_far(results, reading)
        results = add_cells(results, notes, partial(self.source, snapshot=snapshot))
        return self._packs.add_snippets(results, snapshot, query.snippet_lines)

    def explain(
        self, query: Query, path: str, line: int, cancel: threading.Event | None = None
    ) -> Hit | None:
        """Return the node at a 0-based line, scored for the query whether it ranked or not."""
        snapshot = self._current(query).snapshot
        if (node_id := snapshot.node_id_at(path, line)) is None:
            return None
        hit = pipeline.explain(snapshot, query, node_id, self._environment(snapshot, query), cancel)
        return self.sources.add_git([hit])[0][0] if query.git else hit

    def ablate(self, query: Query) -> dict[str, tuple[Hit, ...]]:
        """Return the hits, and those without each part of the ranking; nothing is personalized."""
        snapshot = self.snapshot
        return ablate(snapshot, query, self._environment(snapshot, query))

    def related(
        self,
        path: str,
        line: int,
        limit: int = 10,
        cancel: threading.Event | None = None,
        snippet_lines: int = 0,
    ) -> Results:
        """Return nodes like the one at a 0-based line, with lines of code where asked for."""
        query = Query(text=f"{path}:{line + 1}", limit=limit)
        snapshot, reading, notes = self._current(query)
        results = related(snapshot, path, line, query, self._environment(snapshot, query), cancel)
        results = so_far(results, reading)
        results = add_cells(results, notes, partial(self.source, snapshot=snapshot))
        return self._packs.add_snippets(results, snapshot, snippet_lines)

    def pack(
        self,
        request: PackRequest,
        cancel: threading.Event | None = None,
        search: Callable[[Query], Results] | None = None,
    ) -> Pack:
        """Return the best code for a prompt within a budget of tokens.

        `search` ranks the candidates, where they are among those of other folders.
        """
        snapshot, reading, notes = self._current(Query(request.prompt))
        service, graph_top_k = self._packs.service(), self._index.settings.graph.top_k
        make = partial(
            service.pack, snapshot, cancel=cancel, graph_top_k=graph_top_k, search=search
        )
        packed = self.sources.pack(request, make, self.search, service.conversations)
        denials = () if reading.is_complete else pack.unknown_notes(packed.notes)
        known = (note for note in packed.notes if note not in denials)
        return replace(packed, notes=(*notes, *known))

    def pack_context(self, cancel: threading.Event | None = None) -> PackContext:
        """Return the current generation and the ways to ask it, for making packs."""
        return self._packs.service().context(self.snapshot, cancel)

    def excerpts(self) -> Excerpts:
        """Return the texts of the current generation as they leave, without secrets."""
        return self._packs.service().excerpts(self.snapshot)

    def prepare(self) -> BackgroundPreparation:
        """Make ready what a first search and pack need once nothing is pending; returns at once."""
        return self.preparation.start()

    def neighbors(self, path: str, line: int) -> tuple[tuple[EdgeKind, NodeRef], ...]:
        """Return what the node at a 0-based line contains and refers to, and what refers to it."""
        snapshot = self._current(Query("")).snapshot
        node_id = snapshot.node_id_at(path, line)
        return () if node_id is None else self._packs.service().neighbors(snapshot, node_id)

    def node_at(self, path: str, line: int) -> NodeRef | None:
        """Return the innermost node at a 0-based line."""
        snapshot = self.snapshot
        node_id = snapshot.node_id_at(path, line)
        return None if node_id is None else snapshot.ref(node_id, str(self.root))

    def outline(self, path: str = "") -> tuple[NodeRef, ...]:
        """Return the nodes of a file, or of all files below a folder, in reading order."""
        return self._current(Query("")).snapshot.refs_below(path, str(self.root))

    def source(self, path: str, snapshot: Snapshot | None = None) -> bytes | None:
        """Return the text that a generation, if not the current one, holds of `path`.

        None if it changed since: places in a snapshot say nothing of any other text.
        """
        return self._index.source(path, snapshot or self.snapshot)

    def status(self, *, every_source: bool = False) -> Status:
        """Return the state, figures and problems of the index and of the sources in use, or all."""
        return replace(self._index.status(), sources=self.sources.statuses(every=every_source))

    @property
    def left_out(self) -> LeftOut:
        """Files and folders that are not indexed, with the reasons."""
        return self._index.left_out

    def rebuild(self) -> None:
        """Discard the index and read everything again."""
        self._index.reopen(discard=True)

    def close(self) -> None:
        """Stop following the folder; what was read is saved."""
        self.preparation.deep.close()
        self._index.close()
        self._personalization.close()

    def _apply(self, in_force: SettingsInForce) -> None:
        self._in_force = in_force
        self.notes.notebook.shared.trusted = in_force.trusted
        if in_force.settings != self._index.settings:
            self.configure(in_force.settings)

    def _search(self, snapshot: Snapshot, query: Query, cancel: threading.Event | None) -> Results:
        with self._activity.searching():
            return pipeline.search(snapshot, query, self._environment(snapshot, query), cancel)

    def _environment(self, snapshot: Snapshot, query: Query) -> SearchEnvironment:
        models, settings = self._index.models, self._index.settings
        scope, _ = scope_of(query)
        dated = scope.is_dated and scope.has_code
        near = near_stages(query, str(self.root), self._activity.edited, snapshot)
        return SearchEnvironment(
            root=str(self.root),
            embedder=models.embedder,
            cache=self._index.search_cache,
            settings=changed(settings, {"search.fuser": query.fuser}) if query.fuser else settings,
            stages=stages_of(query, settings, models, near, self._personalization, snapshot),
            text_of=partial(self._index.node_text, snapshot),
            vectors=self._index.node_vectors(snapshot),
            texts=self._index.redacted_grep if query.redacted else self._index.grep,
            history=self._personalization.dates(query.budget.time_ms / 1_000) if dated else None,
        )

    def _current(self, query: Query) -> Current:
        self._activity.mark_used()
        self.follow_settings()
        return self._index.current(query)


def _followed(settings: AnySettings) -> tuple[FolderSettings | None, SettingsInForce]:
    """Return the settings that change with the folder's files, None for fixed ones, and as now."""
    if isinstance(settings, Settings):
        return None, SettingsInForce(settings, {})
    return settings, settings.read()
