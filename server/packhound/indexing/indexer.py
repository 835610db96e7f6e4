"""The one writer of an index: takes tasks from a queue and publishes the next snapshots.

Only its thread touches the index; everyone else reads the snapshots it publishes.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from packhound import team
from packhound.core.backoff import RetryBackoff
from packhound.core.settings import Settings
from packhound.core.status import NOT_CHECKED_OUT, LeftOut
from packhound.core.types import Document
from packhound.files import (
    Omissions,
    WalkLimits,
    is_large,
    is_searchable,
    read,
    stamp_at,
    why_left_out,
)
from packhound.git import not_checked_out, tracked_but_ignored, user_ignore_file
from packhound.index import Index
from packhound.indexing.autosave import Autosave
from packhound.indexing.bulk_read import IndexingPass
from packhound.indexing.folder_scan import FolderScan, classify_changed_paths
from packhound.indexing.malloc import collect_and_trim
from packhound.indexing.open_documents import OpenDocumentFilter, OpenDocumentParser
from packhound.indexing.timing import DEFAULT_TIMING, Timing
from packhound.indexing.work_queue import (
    DifferenceList,
    Edits,
    Flush,
    NamedPaths,
    Rescan,
    Task,
    WorkQueue,
)
from packhound.parsing import NO_EXTRACTORS, Extractors, SharedPool
from packhound.storage import Store

log = logging.getLogger("packhound")

_SMALL_PASS = 8
"""Files that the one warm parser reads itself; more are worth starting a pool."""
_SLOW_BYTES = 1_000_000
"""Size of a file that takes a parser a second or more."""
_MAX_FAULTS = 3
"""Failed steps in a row, before no more is tried until the next change."""
_FAULT = "an indexing step failed; see the log"
_TRACKED = "ignored but tracked"
_GONE = "is gone: it was renamed, moved or deleted"
_CAP = "files are indexed (see index.maxFiles)"


class Indexer:
    """Consumer of a `WorkQueue`, in its own thread from `start` to `close`."""

    def __init__(
        self,
        root: Path,
        settings: Settings,
        index: Index,
        store: Store | None,
        on_change: Callable[[], None],
        timing: Timing = DEFAULT_TIMING,
        extractors: Extractors = NO_EXTRACTORS,
    ) -> None:
        self.queue = WorkQueue()
        self.thread = threading.Thread(target=self._run, name="packhound-indexer", daemon=True)
        self._root, self._index = root, index
        self._autosave = Autosave(store, timing)
        self._on_change = on_change
        self._timing = timing
        self._faults = RetryBackoff(timing.fault_s, timing.max_fault_s)
        self._unparsed = RetryBackoff(timing.unparsed_s)
        self._suffixes = extractors.suffixes
        self._new_pool = partial(SharedPool, with_texts=index.needs_texts, extractors=extractors)
        self._parser = OpenDocumentParser(index, self._new_pool(1, is_for_edits=True))
        self._bulk_pool: SharedPool | None = None
        self.stored: team.StoredFiles | None = None
        self._filter = OpenDocumentFilter(root)
        self._warnings: dict[str, None] = {}
        self._omissions, self._unread = Omissions(), dict[str, str]()
        self.left_out = LeftOut()
        """Files that the last scan and the passes since have left out; replaced as a whole."""
        self._gc_due = True
        self.configure(settings)
        index.on_maintenance(self.queue.wake)

    def configure(self, settings: Settings) -> None:
        """Take new settings; a change of what is indexed is followed at the next refresh."""
        self._settings, self._is_on = settings, settings.index.enabled
        url = settings.team.store
        if url != (self.stored.url if self.stored else ""):
            # Encoders from outside read texts, which no store has.
            has_all = not self._index.needs_texts
            self.stored = (
                team.StoredFiles(url, self._root, self._timing.stored_s)
                if url and has_all
                else None
            )
        self._index.set_graph_threshold(settings.index.graph_from)
        max_bytes, exclude = settings.index.max_file_kilobytes * 1_000, settings.index.exclude
        user_file, suffixes = user_ignore_file(self._root), self._suffixes
        self.limits = WalkLimits(settings.index.max_files, max_bytes, exclude, user_file, suffixes)

    def start(self, *, is_copy: bool = False) -> None:
        """Begin with a scan of the whole folder; the index of a copy lacks a few files."""
        if is_copy:
            self._start_bulk_pool(1)
        self.thread.start()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Present problems, one line each."""
        return (*self._warnings, *filter(None, [self.save_problem]))

    @property
    def save_problem(self) -> str:
        """The reason why the index is not saved at present, in one line."""
        return self._autosave.problem

    def close(self) -> None:
        """Stop, write what is not yet written, and leave the parser processes."""
        self.queue.close()
        # The thread may wait for a parser, which on a busy machine takes seconds to start.
        self._parser.close()
        if bulk_pool := self._bulk_pool:
            bulk_pool.close()
        if self.thread.is_alive():
            # However long it writes: a save that is left is lost with the process, and what was
            # written of it stays on disk beside the one before.
            self.thread.join()
        self._close_bulk_pool()
        self._index.close()
        self._autosave.close()

    def step(self, task: Task | None) -> None:
        """Do a task of the queue, or a slice of it; None is for what idle time is used for."""
        if self._is_on:
            self._do(task)
        else:
            self._leave(task)
        self.queue.task_done()

    def _do(self, task: Task | None) -> None:
        match task:
            case Edits():
                self._apply_edits(task)
            case Rescan():
                self._start_scan(task)
            case FolderScan():
                self._scan_slice(task)
            case IndexingPass():
                self._advance_pass(task)
            case NamedPaths():
                self._classify_paths(task)
            case DifferenceList():
                self._start_pass(task)
            case Flush():
                self._flush(task)
            case None:
                self._idle()

    def _leave(self, task: Task | None) -> None:
        """Count a task as done while the folder is off; nothing is read."""
        match task:
            case Edits():
                self.queue.mark_applied(task)
            case Rescan():
                scan = FolderScan(self._root, self.limits, task.cancelled, retry_unparsed=False)
                self.queue.start(scan, task.cancelled)
                self.queue.finish(scan)
                self._on_change()
            case Flush():
                task.done.set()
            case None:
                self.queue.wait_for_work(lambda: False, None)

    def _run(self) -> None:
        while not self.queue.closed:
            try:
                self.step(self.queue.take())
            except Exception:
                if self.queue.closed:
                    break  # Its parsers were taken from it.
                # The catch-all: a fault in one step must not end indexing for the session.
                log.exception("indexing step failed")
                self._recover()
        self._autosave.save(self._index.snapshot)

    def _recover(self) -> None:
        """Begin again with a scan after a pause, unless that has failed too often."""
        self._warnings[_FAULT] = None
        self._faults.fail()
        self._close_bulk_pool()
        self.queue.reset(rescan=self._faults.failures <= _MAX_FAULTS)
        self.queue.wait_closed(self._faults.remaining_s)

    def _apply_edits(self, edits: Edits) -> None:
        self._index.publish()  # The files read so far: `is_indexed` must know of them.
        try:
            for path, document in edits.documents.items():
                if document is None:
                    self._apply_release(path)
                else:
                    self._apply_update(document)
            self._index.publish()
            self._gc_due = True
        finally:
            self.queue.mark_applied(edits)
        self._on_change()

    def _apply_update(self, document: Document) -> None:
        most = self.limits.max_file_bytes
        document = replace(document, is_large=is_large(document.path, document.source, most))
        if not self._filter.admits(document, self.limits):
            self._index.remove([document.path])
        elif self._parser.is_indexed(document):
            self._parser.prewarm(document)
        else:
            self._index.replace([self._parser.parse(document)], {document.path: None})

    def _apply_release(self, path: str) -> None:
        """Put the file on disk in place of a text that its editor has discarded."""
        readable = is_searchable(self._root, path, self.limits)
        file = read(self._root, path, self.limits.max_file_bytes) if readable else None
        if file is None:
            self._index.remove([path])
        elif not self._parser.is_indexed(file):
            self._index.replace([self._parser.parse(file)], {path: file.stamp})
        self._autosave.mark_dirty()

    def _start_scan(self, rescan: Rescan) -> None:
        retry_unparsed = self._unparsed.due
        if retry_unparsed:
            self._unparsed.fail()
        scan = FolderScan(self._root, self.limits, rescan.cancelled, retry_unparsed=retry_unparsed)
        self._filter.clear()
        self.queue.resubmit_open()
        self.queue.start(scan, rescan.cancelled)

    def _scan_slice(self, scan: FolderScan) -> None:
        differences = scan.step(self._index.snapshot.files, self.queue.open_paths)
        n_differences = self.queue.add_differences(differences, scan.cancelled)
        if scan.over:
            for path in not_checked_out(self._root):
                if not scan.has_seen(path):
                    scan.omissions.add(path, NOT_CHECKED_OUT, is_folder=False)
            self._omissions = scan.omissions
            unread = {p: why for p, why in self._unread.items() if scan.has_seen(p)}
            self._set_unread({**unread, **scan.in_part, **self._tracked(scan)})
            self.queue.finish(scan)
            self._unwarn(_CAP)
            self._unwarn(_GONE)
            if not scan.is_there:
                self._warn(f"folder '{self._root}' {_GONE}")
            if scan.n_seen >= self._settings.index.max_files:
                self._warn(f"only the first {scan.n_seen:,} {_CAP}")
        if n_differences > _SMALL_PASS:
            self._start_bulk_pool()  # Its processes start while the walk goes on.
        self._on_change()

    def _tracked(self, scan: FolderScan) -> dict[str, str]:
        """Return files that nobody would think are left out: git tracks them all the same."""
        if not scan.omissions.has_ignored:
            return {}
        paths = tracked_but_ignored(self._root)
        known = scan.omissions.with_unread({}).files
        return {p: _TRACKED for p in paths if not scan.has_seen(p) and p not in known}

    def _set_unread(self, reasons: Mapping[str, str]) -> None:
        """Name files that the walk has met and that are not, or only in part, in the index."""
        self._unread = {path: reason for path, reason in reasons.items() if reason}
        self.left_out = self._omissions.with_unread(self._unread)

    def _classify_paths(self, named: NamedPaths) -> None:
        files = self._index.snapshot.files
        differences, rescan = classify_changed_paths(self._root, named.paths, files, self.limits)
        unread = {
            path: why_left_out(self._root, path, self.limits)
            for path in named.paths
            if not differences.get(path)
        }
        if any(unread.values()):
            walked = self._omissions.with_unread({}).files
            unread = {path: reason for path, reason in unread.items() if path not in walked}
        self._set_unread({**self._unread, **unread})
        self.queue.add_differences(differences, named.cancelled)
        if rescan:
            self.queue.refresh()

    def _start_pass(self, task: DifferenceList) -> None:
        open_paths = self.queue.open_paths
        closed = {path: read for path, read in task.differences.items() if path not in open_paths}
        # A large file may not keep the parser from edits.
        is_bulk = sum(closed.values()) > _SMALL_PASS or any(map(self._is_slow, closed))
        self._gc_due = self._gc_due or is_bulk
        pool: team.Parsers = self._start_bulk_pool() if is_bulk else self._parser.pool
        if is_bulk and self.stored:
            pool = self.stored.beside(pool)
        first_pool, files = self._parser.pool, self._index.snapshot.files
        limits = self.limits.max_file_bytes, task.cancelled, self._timing
        reading = IndexingPass(self._root, closed, pool, first_pool, *limits, files, open_paths)
        self.queue.start(reading, task.cancelled)

    def _is_slow(self, path: str) -> bool:
        stamp = stamp_at(self._root, path)
        return stamp is not None and stamp.size > _SLOW_BYTES

    def _advance_pass(self, reading: IndexingPass) -> None:
        unfinished = reading.parse_next()
        publish_due = reading.publish_due or not unfinished
        if publish_due or reading.batch_full:
            reading.flush(self._index, self.queue.open_paths)
        if not publish_due:
            return
        self._index.publish()
        reading.mark_published()
        if not unfinished:
            self._set_unread({**self._unread, **reading.unread})
            self.queue.finish(reading)
            self._close_bulk_pool()
            if reading.n_parsed > len(self._index.snapshot.files) // 2:
                # A first pass, or one as good as that: all later searches and starts gain.
                collect_and_trim()  # Nothing takes more memory than this merge.
                self._index.merge()
                self._index.publish()
        self._autosave.mark_dirty()
        if unfinished:
            self._autosave.save_while_reading(self._index.snapshot)
        self._on_change()

    def _flush(self, flush: Flush) -> None:
        try:
            self._autosave.save(self._index.snapshot)
        finally:
            flush.done.set()
        self._on_change()

    def _idle(self) -> None:
        """Parse what was opened, embed, maintain; then sleep until there is work, or save."""
        if self._parser.has_prewarm_work:
            self._parser.prewarm_next()
            return
        self._faults.reset()
        self._unwarn(_FAULT)
        self._close_bulk_pool()  # A cancelled scan can leave one.
        if self._index.embed_some() or self._index.maintain():
            self._gc_due = True
            self._autosave.mark_dirty()
            self._index.publish()
            self._on_change()
            return
        quiet_s = self._timing.quiet_s if self._gc_due else None
        delays = (self._autosave.delay_s or quiet_s, self._index.embed_retry_s)
        timeout_s = min((delay for delay in delays if delay is not None), default=None)
        if not self.queue.wait_for_work(lambda: self._index.maintenance_done, timeout_s):
            self._on_quiet()

    def _on_quiet(self) -> None:
        if self._autosave.on_quiet(self._index.snapshot):
            self._on_change()
        if self._gc_due:
            collect_and_trim()
            self._gc_due = False

    def _start_bulk_pool(self, at_most: int | None = None) -> SharedPool:
        """Return the pool for many files, started if there is none yet."""
        if self._bulk_pool is None:
            self._bulk_pool = self._new_pool(self._settings.index.workers)
            self._bulk_pool.start(at_most)
        return self._bulk_pool

    def _close_bulk_pool(self) -> None:
        if self._bulk_pool:
            self._bulk_pool.close()
            self._bulk_pool = None

    def _warn(self, text: str) -> None:
        if text not in self._warnings:
            log.warning(text)
            self._warnings[text] = None

    def _unwarn(self, part: str) -> None:
        """Withdraw the warnings that contain `part`."""
        self._warnings = {text: None for text in self._warnings if part not in text}
