"""One folder's models and index, followed by an indexer; a rebuild replaces the index in place."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from packhound import indexing
from packhound.core.log import log
from packhound.core.settings import Settings
from packhound.core.status import LeftOut, Reading, Status
from packhound.core.types import Document, NodeRef, Query
from packhound.encoder import Embedder
from packhound.files import WalkLimits, read_text, read_unchanged, stamp_at
from packhound.git import Changes
from packhound.grep import Grep
from packhound.index import Snapshot
from packhound.parsing import load_extractors, source_digest
from packhound.redact import CleanTexts
from packhound.search import NodeVectors, ReadNodes, SearchCache
from packhound.service.models import Models, model_settings
from packhound.service.open_index import OpenedIndex, WaitForEmbedder, open_index
from packhound.service.peers import Peers
from packhound.service.redacted_texts import RedactedTexts
from packhound.service.roots import index_folder
from packhound.service.status import Listener, build_status
from packhound.storage import MemoryRows, VectorStore
from packhound.text import identifiers

if TYPE_CHECKING:
    from packhound.team import StoredFiles

_FIRST_EDITS_S = 5.0
"""Time to read unsaved texts after a start, when a parser has to start too."""
_NAMED_POLL_S = 0.02


class Current(NamedTuple):
    """A snapshot, how much of the folder it has, and what a person should know of both."""

    snapshot: Snapshot
    reading: Reading
    notes: tuple[str, ...]


class IndexedFolder:
    """Index of one folder that follows the disk and an editor. Any thread may call."""

    def __init__(
        self,
        root: Path,
        settings: Settings,
        on_change: Listener,
        timing: indexing.Timing,
        peers: Peers,
    ) -> None:
        """Load models and the last generation at once; most of both needs no interpreter.

        What an index of `peers` has is shared with it.
        """
        indexing.limit_malloc_arenas()
        indexing.raise_gc_threshold()
        self.root, self.peers, self.settings = root, peers, settings
        self.on_change, self._timing = on_change, timing
        self.replacing = threading.Lock()
        self.grep = Grep(str(root), self.source)
        self.clean_texts = CleanTexts()
        redacted = RedactedTexts(self.source, self.clean_texts)
        self.redacted_grep = Grep(str(root), redacted, redacted.prefilter)
        self.closed = self._is_reopened = self._is_loading = False
        self.deep_progress: tuple[int, int] | None = None
        """Nodes whose deep vector was made in advance, and how many are to be; None if none."""
        self.read_nodes: ReadNodes | None = None
        """These nodes."""
        self._first_edits_s = _FIRST_EDITS_S
        self._indexer: indexing.Indexer
        self.extractors = load_extractors(settings.index.extractors)
        with ThreadPoolExecutor(1) as pool:
            loading = pool.submit(self._open_models)
            opened = self._open_index(lambda: loading.result().embedder)
            self.models = loading.result()
        self._follow(opened)

    @property
    def snapshot(self) -> Snapshot:
        """The current generation."""
        return self._opened.index.snapshot

    def current(self, query: Query, cancel: threading.Event | None = None) -> Current:
        """Wait for the edits submitted before; return the snapshot, and what is to know of it.

        The first time after the index was opened anew it waits for all files, and after a start
        longer for edits: an editor that comes from another process has sent what is not saved.
        """
        timeout_s = query.budget.time_ms / 1_000
        self.queue.read_first(query.text, [query.focus.path] if query.focus else [])
        if self._is_reopened:
            self._is_reopened = False
            self.queue.settled(timeout_s)
        in_time = self.queue.caught_up(max(timeout_s, self._first_edits_s))
        self._first_edits_s = 0.0
        self._wait_for_names(query.text, cancel)
        late = () if in_time else ("the last edits are still being read",)
        reading = self.queue.reading  # Before the snapshot: what is published since is more.
        note = (reading.note,) if reading.note else ()
        return Current(self.snapshot, reading, (*note, *late, *self.models.problems))

    def _wait_for_names(self, text: str, cancel: threading.Event | None) -> None:
        """While files are unread, wait for those that may define a name that nothing has yet.

        A saved index answers while the folder is only compared with it.
        """
        reading = self.queue.reading
        if reading.is_complete or (not reading.is_listed and self.snapshot.n_files):
            return
        names, until = identifiers(text), time.monotonic() + self._timing.named_s
        while (
            any(not len(self.snapshot.node_ids_named(name)) for name in names)
            and time.monotonic() < until
            and not (cancel is not None and cancel.is_set())
            and not self.queue.named_is_read(_NAMED_POLL_S)
        ):
            pass

    @property
    def embedder(self) -> Embedder | None:
        """The model that encodes nodes, None where only words are searched."""
        return self.models.embedder

    @property
    def memory_rows(self) -> MemoryRows | None:
        """The part of the saved index that is in memory."""
        opened = self._opened
        return opened.store.rows_of(opened.index.snapshot) if opened.store else None

    @property
    def needs_texts(self) -> bool:
        """Return True if nodes are encoded from their texts."""
        return self._opened.index.needs_texts

    @property
    def limits(self) -> WalkLimits:
        """The limits of what is indexed."""
        return self._indexer.limits

    def changes(self) -> Changes:
        """Return the lines that differ from the last commit."""
        return Changes(self.root, self.open_document)

    def adds(self, _path: str, _first: int, _last: int) -> bool:
        """Return True if lines of a file are there by a patch alone."""
        return False

    @property
    def n_unencoded(self) -> int:
        """Number of nodes whose vectors are still to come."""
        return self._opened.index.n_unencoded

    @property
    def queue(self) -> indexing.WorkQueue:
        """The work queue of the indexer that follows the folder now."""
        return self._indexer.queue

    @property
    def cache(self) -> Path:
        """Folder that the index is saved in."""
        return index_folder(self.root)

    @property
    def writer(self) -> bool:
        """Return True if this process is the one that saves the index."""
        return self._opened.writer

    def update(self, document: Document) -> None:
        """Submit the text of an open document; returns at once."""
        with self.replacing:
            self.queue.update(document)

    def release(self, path: str) -> None:
        """Submit that the editor has closed a document; returns at once."""
        with self.replacing:
            self.queue.release(path)

    def refresh(self, paths: Sequence[str] | None = None) -> None:
        """Compare files or folders, None for everything, with the disk again."""
        with self.replacing:
            self.queue.refresh(paths)

    def configure(self, settings: Settings) -> None:
        """Follow changed settings: another model or persistence means another index."""
        before, self.settings = self.settings, settings
        self._indexer.configure(settings)
        if model_settings(before) != model_settings(settings):
            self._is_loading = True
            try:
                self.models = self._open_models()
            finally:
                self._is_loading = False
        if (before.words.k1, before.words.b) != (settings.words.k1, settings.words.b):
            self.search_cache = SearchCache(settings.words.k1, settings.words.b)
        if before.index.extractors != settings.index.extractors:
            self.extractors = load_extractors(settings.index.extractors)
        if _index_settings(before) != _index_settings(settings):
            self.reopen()
        elif before != settings:
            self.queue.refresh()

    def reopen(self, *, discard: bool = False) -> None:
        """Open the index again; with `discard`, start from an empty one."""
        self._indexer.close()
        # The store asks again when it saves, which may be after the next change of models.
        embedder = self.models.embedder
        opened = self._open_index(lambda: embedder, discard=discard)
        # An edit meanwhile waits for the new indexer, or is in the list.
        with self.replacing:
            open_documents = self.queue.open_documents
            self._follow(opened)
            for document in open_documents:
                self.queue.update(document)
        self._is_reopened = True
        indexing.collect_all_and_trim()

    def open_document(self, path: str) -> Document | None:
        """Return the document that an editor has open at `path`."""
        return self.queue.open_document(path)

    def source(self, path: str, snapshot: Snapshot) -> bytes | None:
        """Return the text of a file as a generation has it; None if it changed since."""
        entry = snapshot.files.get(path)
        if entry is None:
            return None
        document = self.open_document(path)
        if document is None and entry.stamp is not None:
            unchanged = read_unchanged(str(self.root), path, entry.stamp)
            if unchanged is not None:
                return unchanged
        source = document.source if document else read_text(self.root, path)
        return source if source is not None and source_digest(source) == entry.digest else None

    def changed_on_disk(self, paths: Iterable[str], snapshot: Snapshot) -> set[str]:
        """Return those of some files whose text is not the one that a generation has of them.

        Files that an editor has open are not looked at; an unchanged file costs one stat.
        """
        changed = set()
        for path in paths:
            entry = snapshot.files.get(path)
            stamp = entry.stamp if entry else None
            if stamp is None or self.open_document(path) is not None:
                continue
            if stamp_at(self.root, path) != stamp and self.source(path, snapshot) is None:
                changed.add(path)
        return changed

    def node_text(self, snapshot: Snapshot, node: NodeRef) -> str:
        """Return path and source of a node; the path alone if the file changed since."""
        source = self.source(node.path, snapshot) or b""
        text = source[node.span.start : node.span.end].decode("utf-8", "replace")
        return f"{node.path}\n{text}"

    def node_vectors(self, snapshot: Snapshot) -> NodeVectors | None:
        """Return the cache of vectors of nodes; None where nothing is persisted."""
        cache = self.vectors
        if cache is None:
            return None
        return NodeVectors(cache, lambda node: self.is_on_disk(snapshot, node.path))

    def is_on_disk(self, snapshot: Snapshot, path: str) -> bool:
        """Return True if the text that a generation has of a file is the one on disk."""
        entry = snapshot.files.get(path)
        if entry is None or entry.stamp is not None:
            return entry is not None
        source = read_text(self.root, path)
        return source is not None and source_digest(source) == entry.digest

    @property
    def vectors(self) -> VectorStore | None:
        """The vectors that earlier processes made; None where nothing is persisted."""
        index = self.settings.index
        return VectorStore(self.cache) if index.persist and index.enabled else None

    def status(self) -> Status:
        """Return the state, figures and problems of the index."""
        models, settings = self.models, self.settings
        problems = (*models.problems, *self.extractors.problems)
        of_models = models.embedder, problems, models.encoder_problem
        status = build_status(self.root, settings, *of_models, self._opened, self._indexer)
        status = replace(status, deep_vectors=self.deep_progress)
        if not settings.index.enabled:
            status = replace(status, state="off", encoder="off", model="none")
        elif self._is_loading and settings.meaning.enabled:
            status = replace(status, encoder="loading")
        return replace(status, state="closed") if self.closed else status

    @property
    def stored(self) -> StoredFiles | None:
        """Files of the folder in a team's store; None where the user has none."""
        return self._indexer.stored

    @property
    def left_out(self) -> LeftOut:
        """Files and folders that are not indexed, with the reasons."""
        return self._indexer.left_out

    def close(self) -> None:
        """Stop following the folder; what was read is saved."""
        self.closed = True
        self._indexer.close()

    def _follow(self, opened: OpenedIndex) -> None:
        self._opened = opened
        self.search_cache = SearchCache(self.settings.words.k1, self.settings.words.b)
        self._indexer = indexing.Indexer(
            self.root,
            self.settings,
            opened.index,
            opened.store,
            self.on_change,
            self._timing,
            self.extractors,
        )
        self._indexer.start(is_copy=opened.is_copy)

    def _open_index(self, embedder: WaitForEmbedder, *, discard: bool = False) -> OpenedIndex:
        opened = open_index(
            self.cache,
            embedder,
            persist=self.settings.index.persist and self.settings.index.enabled,
            discard=discard,
            timing=self._timing,
            root=self.root,
            indexes=[
                rows
                for peer in self.peers.engines
                if peer.index is not self and (rows := peer.index.memory_rows)
            ],
            extractors=self.extractors,
        )
        for problem in filter(
            None, (*self.extractors.problems, opened.problem, opened.rebuild_reason)
        ):
            log.warning("%s: %s", self.root, problem)
        return opened

    def _open_models(self) -> Models:
        models = Models.open(self.settings)
        for problem in models.problems:
            log.warning("%s: %s", self.root, problem)
        return models


def _index_settings(settings: Settings) -> tuple[object, ...]:
    """Return the settings that decide which index is open."""
    index = settings.index
    return settings.meaning.enabled, settings.encoder.path, index.persist, index.extractors
