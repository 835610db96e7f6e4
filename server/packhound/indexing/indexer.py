"""The one writer of an index: what changed, editor first, disk after, becomes the next snapshot.

Newest text per path wins. A document that an editor has open stands above its file until it is
released. Only this thread touches the index; everyone else reads the snapshots it publishes.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from packhound.core.settings import Settings
from packhound.core.types import Document
from packhound.files.reader import decode, is_indexed_text
from packhound.files.walk import WalkLimits, is_included
from packhound.git.client import user_ignore_file
from packhound.index.writer import Index
from packhound.indexing.autosave import Saver
from packhound.indexing.bulk_read import Reading
from packhound.indexing.folder_scan import Differences, Look, Mending, sorted_out
from packhound.indexing.malloc import tidy
from packhound.indexing.open_documents import LiveParser
from packhound.parsing.analyse import source_digest
from packhound.parsing.pool.pool import ParsePool
from packhound.storage.sqlite_store import Store

log = logging.getLogger("packhound")

_SMALL_PASS = 8
"""Files that the one warm parser reads itself; more are worth starting a pool."""
_AFTER_FAULT_S = 1.0
"""A fault that comes back at once must not fill the log; the wait doubles."""
_LONGEST_AFTER_FAULT_S = 30.0
_MOST_FAULTS = 3
"""In a row, before no more is tried until the next change."""
_QUIET_S = 1.5
"""Without a change for so long, there is time to tidy up."""
_FOREVER_S = 3_600.0
_FAULT = "an indexing step failed; see the log"
_CAP = "files are indexed (see index.maxFiles)"


class Indexer:
    """Runs in its own thread from `start` to `close`."""

    def __init__(
        self,
        root: Path,
        settings: Settings,
        index: Index,
        store: Store | None,
        on_change: Callable[[], None],
    ) -> None:
        self._root = root
        self._index = index
        self._saver = Saver(store)
        self._on_change = on_change
        self._wake = threading.Condition()
        self._open: dict[str, Document] = {}
        self._edits: dict[str, Document] = {}
        self._disk: dict[str, None] = {}
        self._found: Differences = {}
        self._rescan = True
        self._look: Look | None = None
        self._mending = Mending()
        self._reading: Reading | None = None
        self._submitted = self._published = 0
        self._in_hand = 0
        self._faults = 0
        self._untidy = True
        self._welcome: dict[str, bool] = {}
        self._closed = False
        self._live = LiveParser(index)
        self._bulk_pool: ParsePool | None = None
        self._thread = threading.Thread(target=self._run, name="packhound-indexer", daemon=True)
        self._warnings: dict[str, None] = {}
        self.configure(settings)
        index.on_maintenance(self._wake_up)

    def configure(self, settings: Settings) -> None:
        """Take new settings; a change of what is indexed is followed at the next refresh."""
        self._settings = settings
        max_bytes = settings.max_file_kilobytes * 1_000
        self._limits = WalkLimits(
            settings.max_files, max_bytes, settings.exclude, user_ignore_file(self._root)
        )

    def start(self) -> None:
        """Begin with a look at the whole folder."""
        self._thread.start()

    def update(self, document: Document) -> None:
        """The text of an open document; returns at once."""
        document = replace(document, source=decode(document.source))
        with self._wake:
            self._open[document.path] = self._edits[document.path] = document
            self._submitted += 1
            self._wake.notify_all()

    def release(self, path: str) -> None:
        """The editor closed the document; its file counts again."""
        with self._wake:
            self._open.pop(path, None)
            self._edits.pop(path, None)
            self._disk[path] = None
            self._wake.notify_all()

    def opened(self, path: str) -> Document | None:
        """The document an editor has open at `path`."""
        return self._open.get(path)

    @property
    def open_documents(self) -> tuple[Document, ...]:
        """All documents that an editor has open."""
        with self._wake:
            return tuple(self._open.values())

    def refresh(self, paths: Iterable[str] | None = None) -> None:
        """Look at these paths, files or folders, on the disk again; None means at everything."""
        with self._wake:
            if paths is None:
                self._rescan = True
            else:
                self._disk.update(dict.fromkeys(paths))
            self._wake.notify_all()

    def cancel(self) -> None:
        """Read no more files until the next refresh; what was read stays."""
        with self._wake:
            self._disk.clear()
            self._found.clear()
            self._rescan, self._look = False, None
            if self._reading:
                self._reading.paths = frozenset()
            self._wake.notify_all()

    @property
    def pending(self) -> int:
        """Documents not yet in the published snapshot, as far as they are known."""
        reading = self._reading
        unread = max(1, len(reading.paths) - reading.collected) if reading else 0
        looking = int(self._rescan or self._look is not None)
        waiting = len(self._edits) + len(self._disk) + len(self._found)
        return self._in_hand + waiting + unread + looking

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is not as it should be, one line each."""
        return (*self._warnings, *filter(None, [self._saver.problem]))

    def settled(self, timeout_s: float | None = None) -> bool:
        """Wait until nothing is pending; False if that took longer than `timeout_s`."""
        with self._wake:
            return self._wake.wait_for(lambda: self._closed or not self.pending, timeout_s)

    def caught_up(self, timeout_s: float) -> bool:
        """Wait until every `update` that returned before this call is published."""
        with self._wake:
            goal = self._submitted
            return self._wake.wait_for(lambda: self._closed or self._published >= goal, timeout_s)

    def close(self) -> None:
        """Stop, write what is not yet written, and end the parser processes."""
        with self._wake:
            self._closed = True
            self._wake.notify_all()
        # The thread may wait for a parser, which on a busy machine takes seconds to start.
        self._live.close()
        if bulk_pool := self._bulk_pool:
            bulk_pool.close()
        if self._thread.is_alive():
            self._thread.join(timeout=10.0)
        self._end_reading()
        self._index.close()
        self._saver.close()

    def _run(self) -> None:
        while not self._closed:
            try:
                self._step()
            except Exception:
                if self._closed:
                    break  # Its parsers were taken from it.
                # The fence: a fault in one step must not end indexing for the session.
                log.exception("indexing step failed")
                self._warnings[_FAULT] = None
                self._forget_work()
                with self._wake:
                    wait_s = min(_AFTER_FAULT_S * 2**self._faults, _LONGEST_AFTER_FAULT_S)
                    self._wake.wait_for(lambda: self._closed, wait_s)
        self._saver.save(self._index.snapshot)

    def _step(self) -> None:
        # What is taken from one queue and not yet in the next must not look like nothing to do.
        self._in_hand = 1
        if self._edits:
            self._apply_edits()
        elif self._rescan or self._look is not None:
            self._look_around()
        elif self._reading:
            self._read_on(self._reading)
        elif self._disk:
            self._sort_out()
        elif self._found:
            self._begin_reading()
        elif self._live.waiting:
            self._live.warm_up()
        else:
            self._rest()
        with self._wake:
            self._in_hand = 0
            if not self.pending:
                self._wake.notify_all()

    def _apply_edits(self) -> None:
        with self._wake:
            edits, self._edits = self._edits, {}
            reached = self._submitted
        self._index.publish()  # What was read from the disk: `_has` must know of it.
        try:
            for document in edits.values():
                if not self._admits(document):
                    self._index.remove([document.path])
                elif self._has(document):
                    self._live.show(document)
                else:
                    self._index.replace([self._live.parse(document)], {document.path: None})
            self._index.publish()
            self._untidy = True
        finally:
            with self._wake:
                self._published = reached
        self._changed()

    def _has(self, document: Document) -> bool:
        """Whether the index holds this very text already, as when a file is opened unchanged."""
        entry = self._index.snapshot.files.get(document.path)
        return entry is not None and entry.digest == source_digest(document.source)

    def _admits(self, document: Document) -> bool:
        """Whether the file of an open document would be read; secrets stay out though shown."""
        path = document.path
        if path not in self._welcome:
            self._welcome[path] = is_included(self._root, path, self._limits)
        max_bytes = self._limits.max_file_bytes
        return self._welcome[path] and is_indexed_text(path, document.source, max_bytes)

    def _look_around(self) -> None:
        """One slice of a walk over the whole folder; what differs from the index is read later."""
        if self._rescan:
            self._rescan = False
            self._look = Look(self._root, self._limits, mending=self._mending.due())
            self._welcome.clear()
            with self._wake:
                self._edits = {**self._open, **self._edits}
        look = self._look
        if look is None:
            return  # Cancelled meanwhile.
        self._found.update(look.step(self._index.snapshot.files, self._open))
        if look.over:
            self._look = None
            self._unwarn(_CAP)
            if look.n_seen >= self._settings.max_files:
                self._warn(f"only the first {look.n_seen:,} {_CAP}")
        if len(self._found) > _SMALL_PASS:
            self._many_at_once()  # Its processes start while the walk goes on.
        self._changed()

    def _sort_out(self) -> None:
        """Which of the paths that were named are to be read, and which have left the folder."""
        with self._wake:
            named, self._disk = self._disk, {}
        files = self._index.snapshot.files
        found, everything = sorted_out(self._root, named, files, self._limits)
        self._found.update(found)
        self._rescan = self._rescan or everything

    def _begin_reading(self) -> None:
        with self._wake:
            found, self._found = self._found, {}
            closed = {path: read for path, read in found.items() if path not in self._open}
        paths = [path for path, read in closed.items() if read]
        gone = [path for path, read in closed.items() if not read]
        # Neighbours share a grammar, so that not every process must load each of them.
        paths.sort(key=lambda path: path.rpartition(".")[2])
        many = len(paths) > _SMALL_PASS
        self._untidy = self._untidy or many
        pool = self._many_at_once() if many else self._live.pool
        self._reading = Reading(self._root, paths, gone, pool, self._limits.max_file_bytes)

    def _many_at_once(self) -> ParsePool:
        """The pool for many files."""
        if self._bulk_pool is None:
            texts = self._index.needs_texts
            self._bulk_pool = ParsePool(self._settings.workers, with_texts=texts)
            self._bulk_pool.start()
        return self._bulk_pool

    def _read_on(self, reading: Reading) -> None:
        going_on = bool(reading.paths) and reading.step()
        due = reading.due or not going_on
        if due or reading.full:
            reading.flush(self._index, self._open)
        if not due:
            return
        self._index.publish()
        reading.published()
        if not going_on:
            self._end_reading()
            if reading.collected > len(self._index.snapshot.files) // 2:
                # A first pass, or one as good as that: all later searches and starts gain.
                self._index.merge()
                self._index.publish()
        self._saver.changed()
        self._changed()

    def _end_reading(self) -> None:
        self._reading = None
        if self._bulk_pool:
            self._bulk_pool.close()
            self._bulk_pool = None

    def _rest(self) -> None:
        """Nothing to read: embed what waits, tidy, save, then sleep until there is work."""
        self._faults = 0
        self._unwarn(_FAULT)
        self._end_reading()  # Cancelled, it can leave processes that were started for it.
        if self._index.embed_some() or self._index.maintain():
            self._untidy = True
            self._saver.changed()
            self._index.publish()
            self._changed()
            return
        with self._wake:
            self._in_hand = 0
            self._wake.notify_all()
            woken = self._wake.wait_for(
                lambda: (
                    self._closed
                    or self._edits
                    or self._disk
                    or self._rescan
                    or self._index.maintenance_done
                ),
                min(
                    self._saver.patience_s or (_QUIET_S if self._untidy else _FOREVER_S),
                    _FOREVER_S if (retry_s := self._index.embed_retry_s) is None else retry_s,
                ),
            )
        if not woken:
            self._use_the_quiet()

    def _use_the_quiet(self) -> None:
        if self._saver.rested(self._index.snapshot):
            self._changed()
        if self._untidy:
            self._untidy = False
            tidy()

    def _forget_work(self) -> None:
        """Begin again with a look at everything, unless that has failed too often."""
        with self._wake:
            self._faults += 1
            self._rescan = self._faults <= _MOST_FAULTS
            self._look, self._in_hand = None, 0
            self._end_reading()
            self._wake.notify_all()

    def _warn(self, text: str) -> None:
        if text not in self._warnings:
            log.warning(text)
            self._warnings[text] = None

    def _unwarn(self, part: str) -> None:
        """Take back what has come right."""
        self._warnings = {text: None for text in self._warnings if part not in text}

    def _changed(self) -> None:
        self._wake_up()
        self._on_change()

    def _wake_up(self) -> None:
        with self._wake:
            self._wake.notify_all()
