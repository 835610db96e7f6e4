"""The facade: one folder, its index, and every question that can be asked of it.

Front ends call this and render; they hold no search logic. Each answer is made from one snapshot.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from packhound import impact, llm, pack
from packhound.core.log import log
from packhound.core.settings import Settings
from packhound.core.settings_files import FolderSettings, SettingsInForce
from packhound.core.settings_reader import changed
from packhound.core.status import GREP_ALONE, LeftOut, Reading, Status
from packhound.core.types import Document, Hit, NodeId, NodeRef, Query, Results
from packhound.grep import GrepRequest, GrepResults
from packhound.index import Snapshot
from packhound.indexing import DEFAULT_TIMING, Timing, collect_all_and_trim
from packhound.search import (
    ablate,
    add_unread_files,
    as_far_as_searched,
    pipeline,
    related,
    so_far,
    without_files,
)
from packhound.service.cells import add_cells
from packhound.service.changes import changes_since
from packhound.service.folder_search import FolderSearch
from packhound.service.indexed_folder import Current, IndexedFolder
from packhound.service.line_history import add_line_history
from packhound.service.notes import FolderNotes, notes_folder
from packhound.service.open_texts import OpenTexts
from packhound.service.other_roots import OtherRoots
from packhound.service.overlays import take_back_interrupted
from packhound.service.pack_sources import add_records, choose_records, earlier_pack
from packhound.service.packs import Packs
from packhound.service.peers import Peers
from packhound.service.preparation import Activity, BackgroundPreparation
from packhound.service.proposals import Proposals
from packhound.service.roots import check_root
from packhound.service.seen_texts import is_empty
from packhound.service.sources import FolderSources
from packhound.service.status import Listener
from packhound.service.token_counts import TokenCounts
from packhound.text import offset_in

if TYPE_CHECKING:
    from packhound.graph import EdgeKind
    from packhound.pack import Excerpts, Pack, PackRequest

AnySettings: TypeAlias = Settings | FolderSettings

_CHANGED_S = 1.0
"""Time to read files of hits that have changed, where nothing else is read."""


class Engine:
    """Everything about one folder. Methods may be called from any thread."""

    def __init__(
        self, root: Path, settings: AnySettings, notify: Listener, timing: Timing, peers: Peers
    ) -> None:
        self._taken_back = take_back_interrupted(root)
        self._folder_settings, self._in_force = _followed(settings)
        settings = self._in_force.settings
        self.root, self._settings_lock = root, threading.Lock()
        self._activity = Activity(timing.recent_use_s)
        self.watchers: dict[object, bool] = {}
        """Who follows the folder, and if they say which files change. In memory nothing does."""
        self._off_for: frozenset[Listener] = frozenset()
        self._parts = notify, timing, peers
        self._build(settings)
        self.texts = OpenTexts(self.index)
        self.token_counts = TokenCounts(notes_folder(root))

    def _build(self, settings: Settings) -> None:
        """Open all that goes and comes when the folder is switched off and on."""
        notify, timing, peers = self._parts
        self.index = IndexedFolder(self.root, settings, notify, timing, peers)
        self._search = FolderSearch(self.index, self._activity)
        self.packs = Packs(self.index, self._search, peers)
        self.notes = FolderNotes(self.index, self._search)
        self.sources = FolderSources(self.index, self.notes)
        self.preparation = BackgroundPreparation(
            self.index, self.packs, self._activity, timing, peers
        )
        self._trust()
        self.others = OtherRoots(self.index)
        self.proposals = Proposals(self)

    @classmethod
    def open(
        cls,
        root: Path,
        settings: AnySettings | None = None,
        on_change: Listener | None = None,
        timing: Timing = DEFAULT_TIMING,
        peers: Peers | None = None,
    ) -> Engine:
        """Load the last generation and begin to follow the folder; indexing goes on behind.

        Settings of a folder are followed; `peers` share what is equal. Raises as `check_root`.
        """
        settings = settings or Settings()
        current = settings.read().settings if isinstance(settings, FolderSettings) else settings
        root, notify = check_root(root, current), on_change or (lambda: None)
        return cls(root, settings, notify, timing, peers or Peers())

    def over(self, index: IndexedFolder) -> Engine:
        """Return an engine of another index of this folder; notes and uses stay those of here."""
        engine = copy(self)
        engine._turn_to(index)
        return engine

    def _turn_to(self, index: IndexedFolder) -> None:
        self.index, self._folder_settings = index, None
        self._in_force = self._in_force._replace(settings=index.settings)
        self._search = FolderSearch(index, self._activity)
        self.packs = Packs(index, self._search, index.peers)
        self.sources = FolderSources(index, self.notes)

    @property
    def snapshot(self) -> Snapshot:
        """The current generation."""
        return self.index.snapshot

    def update(self, document: Document, editor: object = None) -> None:
        """Submit a text that is open in an editor, of several the newest; returns at once."""
        if not self.index.settings.index.enabled:
            self.texts.update(document, editor)
            return
        if is_edit := document.path in self.texts:
            self._activity.mark_edited(document.path)
            self.sources.episodes.record_edit(document.path)
        self._search.personalization.record_use(document.path, "edit" if is_edit else "open")
        self._activity.mark_used()
        self.texts.update(document, editor)

    def release(self, path: str, editor: object = None) -> None:
        """Submit that an editor closed `path`: the text of another one counts, or the file."""
        self.packs.invalidate_changes()
        self._search.personalization.invalidate()
        self.texts.release(path, editor)

    def refresh(self, paths: Sequence[str] | None = None) -> None:
        """Compare with the disk again: `paths` (files or folders), or everything."""
        self.packs.invalidate_changes()
        if paths is not None:
            self._search.personalization.invalidate()
        self.index.refresh(paths)

    def take_back(self) -> None:
        """Take back acceptances of patches that were killed halfway."""
        if notes := take_back_interrupted(self.root):
            self._taken_back += notes
            self.refresh()

    def say_taken_back(self) -> list[str]:
        """Return a note on each acceptance that was taken back, once."""
        notes = [*self._taken_back]
        self._taken_back.clear()
        return notes

    def picked(self, path: str, line: int) -> None:
        """Record that the user opened the result at a 0-based line."""
        if (node := self.node_at(path, line)) is not None:
            self._search.personalization.record_use(path, "pick", node.qualname)

    def forget(self) -> None:
        """Forget what the user opened, edited and picked, and conversations. Raises StoreError."""
        self._search.personalization.clear()
        self.packs.forget()

    def read_first(self, text: str, near: Collection[str] = ()) -> None:
        """Have files read first that a text names or that are around `near`; returns at once."""
        self.index.queue.read_first(text, near)

    def settled(self, timeout_s: float | None = None) -> bool:
        """Wait until nothing is pending; False if that took longer than `timeout_s`."""
        return self.index.queue.settled(timeout_s)

    @property
    def unwatched_s(self) -> float:
        """Seconds since the disk was looked at; 0 where somebody watches it, or nobody asks."""
        watchers = [*self.watchers.values()]
        is_watched = any(watchers) or not watchers
        return 0.0 if is_watched else self.index.queue.unseen_s

    @property
    def reading(self) -> Reading:
        """Files of the folder that can be found, of those that were listed."""
        return self.index.queue.reading

    def flush(self, timeout_s: float | None = None) -> bool:
        """Save the index now; False after `timeout_s`. Why it failed is in the status."""
        return self.index.queue.flush(timeout_s)

    def configure(self, settings: Settings) -> None:
        """Follow changed settings: another model or persistence means another index."""
        if settings.index.enabled != self.index.settings.index.enabled:
            self._switch(settings)
            return
        self._search.configure(settings)
        self.index.configure(settings)
        self.preparation.deep.start()
        self.preparation.checks.start()

    def switch(self, follower: Listener, *, off: bool) -> None:
        """Switch the folder off for all while one of its followers wants that."""
        with self._settings_lock:
            others = self._off_for - {follower}
            self._off_for = others | {follower} if off else others
            self._apply(self._in_force)

    @property
    def is_off(self) -> bool:
        """Return True if the folder is switched off."""
        self.follow_settings()
        return not self.index.settings.index.enabled

    def _switch(self, settings: Settings) -> None:
        """Give back all that is in memory, or read the folder again."""
        self.close()
        self._build(settings)
        self.texts.move_to(self.index)
        if settings.index.enabled:
            self.prepare()
        collect_all_and_trim()

    def use_settings(self, settings: AnySettings) -> None:
        """Follow the settings of a first follower, where those before it have gone."""
        with self._settings_lock:
            self._folder_settings, in_force = _followed(settings)
            self._apply(in_force)

    def follow_settings(self) -> SettingsInForce:
        """Apply the settings of the folder where they changed, and return those in force."""
        if self._folder_settings is None:
            return self._in_force._replace(settings=self.index.settings)
        with self._settings_lock:
            in_force = self._folder_settings.read()
            if in_force is not self._in_force:
                for problem in set(in_force.problems) - set(self._in_force.problems):
                    log.warning("%s", problem)
                self._apply(in_force)
            return in_force

    def search(self, query: Query, cancel: threading.Event | None = None) -> Results:
        """Answer a query over all `update`s that returned before.

        The files of the hits are looked at: where one has changed, it is read and all is searched
        again; hits that are still of another text are left out.
        """
        results, snapshot = self._search_once(query, cancel)
        changed = self._changed(results, snapshot)
        if not changed:
            return results
        is_idle = self.settled(0)
        self.refresh(sorted(changed))
        if is_idle and self.settled(_CHANGED_S):
            results, snapshot = self._search_once(query, cancel)
            changed = self._changed(results, snapshot)
        return without_files(results, changed)

    def _changed(self, results: Results, snapshot: Snapshot) -> set[str]:
        paths = {hit.node.path for hit in results.hits if not hit.record}
        return self.index.changed_on_disk(paths, snapshot)

    def _search_once(
        self, query: Query, cancel: threading.Event | None
    ) -> tuple[Results, Snapshot]:
        snapshot, reading, notes = self._current(query, cancel)
        results = self.sources.search(query, partial(self._search, snapshot, cancel=cancel))
        if query.git:
            hits, late = add_line_history(self.index, snapshot, results.hits)
            results = replace(results, hits=hits, remarks=(*results.remarks, *late))
        results = as_far_as_searched(so_far(results, reading), self.left_out)
        results = add_cells(results, notes, self.index, snapshot)
        results = self.packs.add_snippets(results, snapshot, query.snippet_lines)
        return add_unread_files(results, query, snapshot, self.left_out, self.root), snapshot

    def explain(
        self,
        query: Query,
        path: str,
        line: int,
        cancel: threading.Event | None = None,
        node: NodeRef | None = None,
    ) -> Hit | None:
        """Return a node, else the one at a 0-based line, scored whether it ranked or not."""
        snapshot = self._current(query).snapshot
        node_id = snapshot.node_id_of(node) if node else snapshot.node_id_at(path, line)
        entry = snapshot.files.get(path)
        is_further_down = node_id is None and entry and entry.degraded == GREP_ALONE
        if entry and is_further_down:
            node_id = NodeId(int(entry.node_ids[0]))
        if node_id is None:
            return None
        environment = self._search.environment(snapshot, query)
        hit = pipeline.explain(snapshot, query, node_id, environment, cancel)
        if is_further_down and hit.node.span.start_line != line:
            return None
        return add_line_history(self.index, snapshot, [hit])[0][0] if query.git else hit

    def ablate(self, query: Query) -> dict[str, tuple[Hit, ...]]:
        """Return the hits, and those without each part of the ranking; nothing is personalized."""
        snapshot = self.snapshot
        return ablate(snapshot, query, self._search.environment(snapshot, query))

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
        environment = self._search.environment(snapshot, query)
        results = related(snapshot, path, line, query, environment, cancel)
        results = so_far(results, reading)
        results = add_cells(results, notes, self.index, snapshot)
        return self.packs.add_snippets(results, snapshot, snippet_lines)

    def pack(
        self,
        request: PackRequest,
        cancel: threading.Event | None = None,
        search: Callable[[Query], Results] | None = None,
    ) -> Pack:
        """Return the best code for a prompt within a budget of tokens.

        `search` ranks the candidates, where they are among those of other folders.
        """
        snapshot, reading, notes = self._current(Query(request.prompt), cancel)
        if request.map:
            packed = self.packs.service().pack(snapshot, request, cancel, search=search)
            return replace(packed, remarks=(*notes, *packed.remarks), reading=reading)
        service, settings = self.packs.service(), self.index.settings
        conversations = service.conversations
        chosen = choose_records(request, settings, self.notes, self.search, conversations)

        def answer(query: Query) -> Results:
            results = so_far(self._search(snapshot, query, cancel), reading)
            return as_far_as_searched(results, self.left_out)

        top_k = settings.graph.top_k
        packed = service.pack(snapshot, chosen.request, cancel, top_k, search or answer)
        packed = add_records(packed, request, chosen, self.notes, conversations)
        if settings.sources.episodes and "episodes" in settings.pack.sources:
            episodes = self.search(Query(request.prompt, types=("episode",)))
            packed = replace(packed, remarks=(*packed.remarks, *earlier_pack(episodes.hits)))
        self.sources.episodes.record_pack(request, packed)
        denials = () if reading.is_complete else pack.NoPath
        known = (note for note in packed.remarks if not isinstance(note, denials))
        notes = tuple(note for note in notes if note != reading.note)
        return replace(packed, remarks=(*notes, *known), reading=reading)

    def excerpts(self) -> Excerpts:
        """Return the texts of the current generation as they leave, without secrets."""
        return self.packs.service().excerpts(self.caught_up())

    def caught_up(self) -> Snapshot:
        """Wait for the edits submitted before; return the snapshot."""
        return self._current(Query("")).snapshot

    def is_empty(self, path: str) -> bool:
        """Return True for a file without text, as the user sees it."""
        return is_empty(self.index, path)

    def grep(
        self,
        request: GrepRequest,
        cancel: threading.Event | None = None,
        *,
        redacted: bool = False,
    ) -> GrepResults:
        """Find the lines that match a pattern, `redacted` as they leave.

        A search ranks their definitions where the request has a question. Filters that it lacked
        are made in the background. Raises SettingsError for a bad pattern.
        """
        snapshot, _, notes = self._current(Query(""))
        grep = self.index.redacted_grep if redacted else self.index.grep
        rank = partial(self._search.scores, snapshot, cancel)
        results = grep.search(snapshot, request, rank, cancel)
        if grep.lacks_filters:
            self.preparation.start()
        return replace(results, notes=(*results.notes, *notes))

    def symbol(
        self, node: NodeRef, distance: int = 1, cancel: threading.Event | None = None
    ) -> impact.Symbol | None:
        """Return a node with what it touches, None if it is not there any more.

        Raises Cancelled.
        """
        snapshot = self.caught_up()
        if (node_id := snapshot.node_id_of(node)) is None:
            return None
        graph = self.packs.service().call_graph(snapshot, cancel)
        return impact.describe_symbol(snapshot, str(self.root), graph, node_id, distance)

    def named(self, name: str) -> tuple[NodeRef, ...]:
        """Return the definitions of a name or of the tail of a qualified name, tests last."""
        snapshot = self.caught_up()
        return impact.definitions_named(snapshot, str(self.root), name)

    def changes(self, base: str = "HEAD", limit: int = 10) -> impact.ChangeSet:
        """Return what differs from a commit, unsaved text included, what that touches and breaks.

        Raises SettingsError: there is no such commit, or no repository.
        """
        snapshot = self.caught_up()
        return changes_since(self.index, self.packs.service(), snapshot, base, limit)

    def docs(self, out: str, cancel: threading.Event | None = None) -> dict[str, str]:
        """Return pages of documentation by their paths, which are below `out`. Raises Cancelled."""
        snapshot, service = self.caught_up(), self.packs.service()
        excerpts = service.excerpts(snapshot)

        def line_of(path: str, line: int) -> str:
            excerpt = excerpts.of(path)
            return excerpt.lines[line] if excerpt and line < len(excerpt.lines) else ""

        return impact.make_pages(snapshot, service.call_graph(snapshot), line_of, out, cancel)

    def prepare(self) -> BackgroundPreparation:
        """Make ready what a first search and pack need once nothing is pending; returns at once."""
        return self.preparation.start()

    def neighbors(self, path: str, line: int) -> tuple[tuple[EdgeKind, NodeRef], ...]:
        """Return what the node at a 0-based line contains and refers to, and what refers to it."""
        snapshot = self.caught_up()
        node_id = snapshot.node_id_at(path, line)
        return () if node_id is None else self.packs.service().neighbors(snapshot, node_id)

    def node_at(self, path: str, line: int, column: int = -1) -> NodeRef | None:
        """Return the innermost node at a 0-based line, at a 0-based character if one is given."""
        snapshot = self._current(Query("")).snapshot
        source = self.source(path, snapshot) if column >= 0 else None
        offset = -1 if source is None else offset_in(source, (line, column), "utf-32")
        node_id = snapshot.node_id_at(path, line, offset)
        return None if node_id is None else snapshot.ref(node_id, str(self.root))

    def outline(self, path: str = "") -> tuple[NodeRef, ...]:
        """Return the nodes of a file, or of all files below a folder, in reading order."""
        return self._current(Query("")).snapshot.refs_below(path, str(self.root))

    def source(self, path: str, snapshot: Snapshot | None = None) -> bytes | None:
        """Return the text that a generation, if not the current one, holds of `path`.

        None if it changed since: places in a snapshot say nothing of any other text.
        """
        return self.index.source(path, snapshot or self.snapshot)

    def status(self, *, every_source: bool = False) -> Status:
        """Return the state, figures and problems of the index and of the sources in use, or all.

        Files of other commits and of dependencies that are being read are pending too.
        """
        status, elsewhere = self.index.status(), self.others.pending
        return replace(
            status,
            sources=self.sources.statuses(every=every_source),
            pending=status.pending + elsewhere,
            state="indexing" if elsewhere else status.state,
            notes=(*status.notes, *self.notes.team.problems),
        )

    @property
    def left_out(self) -> LeftOut:
        """Files and folders that are not indexed, with the reasons."""
        return self.index.left_out

    def count_answer(self, text: str) -> None:
        """Count the text of an answer to an agent."""
        self.count_tokens(llm.counter_for().count(text))

    def count_tokens(self, tokens: int) -> None:
        """Count a pack or an answer, unless nothing of the folder is kept."""
        if self.index.settings.index.persist:
            self.token_counts.add(tokens)

    def rebuild(self) -> None:
        """Discard the index and read everything again."""
        self.index.reopen(discard=True)

    def close(self) -> None:
        """Stop following the folder; what was read is saved."""
        self.proposals.close()
        self.notes.team.close()
        self.others.close()
        self.preparation.deep.close()
        self.preparation.checks.close()
        self.index.close()
        self._search.personalization.close()

    def _apply(self, in_force: SettingsInForce) -> None:
        self._in_force = in_force
        self._trust()
        settings = in_force.settings
        if self._off_for:
            settings = changed(settings, {"index.enabled": False})
        if settings != self.index.settings:
            self.configure(settings)
        self.preparation.checks.start()

    def _trust(self) -> None:
        """Tell those parts that depend on it whether the folder is trusted."""
        self.notes.notebook.shared.trusted = self._in_force.trusted
        self.preparation.checks.trusted = self._in_force.trusted

    def _current(self, query: Query, cancel: threading.Event | None = None) -> Current:
        self._activity.mark_used()
        self.follow_settings()
        return self.index.current(query, cancel)


def _followed(settings: AnySettings) -> tuple[FolderSettings | None, SettingsInForce]:
    """Return the settings that change with the folder's files, None for fixed ones, and as now."""
    if isinstance(settings, Settings):
        return None, SettingsInForce(settings, {})
    return settings, settings.read()
