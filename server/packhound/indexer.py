"""The one writer of an index: what changed, editor first, disk after, becomes the next snapshot.

Newest text per path wins. A document that an editor has open stands above its file until it is
released. Only this thread touches the index; everyone else reads the snapshots it publishes.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from packhound.errors import StoreError
from packhound.index.index import Index
from packhound.index.store import Store
from packhound.reading import Reading
from packhound.settings import Settings
from packhound.syntax.analyse import source_digest
from packhound.syntax.worker import ParsePool
from packhound.text.walk import WalkLimits, walk, wanted
from packhound.types import Document, FileStamp

log = logging.getLogger("packhound")

_SCAN_SLICE = 500
"""Files looked at before edits get their turn again: some 10 ms."""
_SMALL_PASS = 8
"""Files that the one warm parser reads itself; more are worth starting a pool."""
_AFTER_FAULT_S = 1.0
"""A fault that comes back at once must not fill the log."""
_SAVE_AFTER_S = 1.5
"""Quiet time after which the index is written to disk; after a failure the wait doubles."""
_LONGEST_WAIT_S = 300.0
_CLAIM_EVERY_S = 2.0
"""How often a process that may not write looks whether the one that may is gone."""
_IN_MEMORY = "the index is kept in memory only: "


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
        self._store = store
        self._on_change = on_change
        self._wake = threading.Condition()
        self._open: dict[str, Document] = {}
        self._edits: dict[str, Document] = {}
        self._disk: dict[str, None] = {}
        self._found: dict[str, bool] = {}  # path -> read it (True) or drop it from the index
        self._rescan = True
        self._scan: Iterator[tuple[str, FileStamp]] | None = None
        self._seen: set[str] = set()
        self._reading: Reading | None = None
        self._submitted = self._published = 0
        self._in_hand = 0
        self._closed = False
        self._dirty = False
        self._save_after_s = _SAVE_AFTER_S
        self._live_pool = ParsePool(workers=1)
        self._bulk_pool: ParsePool | None = None
        self._thread = threading.Thread(target=self._run, name="packhound-indexer", daemon=True)
        self.warnings: dict[str, None] = {}
        self.configure(settings)
        index.on_upkeep(self._wake_up)

    def configure(self, settings: Settings) -> None:
        """Take new settings; a change of what is indexed is followed at the next refresh."""
        self._settings = settings
        max_bytes = settings.max_file_kilobytes * 1_000
        self._limits = WalkLimits(settings.max_files, max_bytes, settings.exclude)

    def start(self) -> None:
        """Begin with a look at the whole folder."""
        self._thread.start()

    def update(self, document: Document) -> None:
        """The text of an open document; returns at once."""
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
            self._rescan, self._scan = False, None
            if self._reading:
                self._reading.paths = frozenset()
            self._wake.notify_all()

    @property
    def pending(self) -> int:
        """Documents not yet in the published snapshot, as far as they are known."""
        reading = self._reading
        unread = max(1, len(reading.paths) - reading.collected) if reading else 0
        looking = int(self._rescan or self._scan is not None)
        waiting = len(self._edits) + len(self._disk) + len(self._found)
        return self._in_hand + waiting + unread + looking

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
        if self._thread.is_alive():
            self._thread.join(timeout=10.0)
        self._end_reading()
        self._index.close()
        self._live_pool.close()
        if self._store:
            self._store.close()

    def _run(self) -> None:
        while not self._closed:
            try:
                self._step()
            except Exception:
                # The fence: a fault in one step must not end indexing for the session.
                log.exception("indexing step failed")
                self.warnings["an indexing step failed; see the log"] = None
                self._forget_work()
                time.sleep(_AFTER_FAULT_S)
        self._save()

    def _step(self) -> None:
        # What is taken from one queue and not yet in the next must not look like nothing to do.
        self._in_hand = 1
        if self._edits:
            self._apply_edits()
        elif self._rescan or self._scan is not None:
            self._look_around()
        elif self._reading:
            self._read_on(self._reading)
        elif self._disk:
            self._sort_out()
        elif self._found:
            self._begin_reading()
        else:
            self._rest()
        with self._wake:
            self._in_hand = 0
            self._wake.notify_all()

    def _apply_edits(self) -> None:
        with self._wake:
            edits, self._edits = self._edits, {}
            reached = self._submitted
        self._index.publish()  # What was read from the disk: `_has` must know of it.
        try:
            changed = [document for document in edits.values() if not self._has(document)]
            for document in changed:
                self._index.replace([self._live_pool.parse(document)], {document.path: None})
            if changed:
                self._index.publish()
        finally:
            with self._wake:
                self._published = reached
        self._changed()

    def _has(self, document: Document) -> bool:
        """Whether the index holds this very text already, as when a file is opened unchanged."""
        entry = self._index.snapshot.files.get(document.path)
        return entry is not None and entry.digest == source_digest(document.source)

    def _look_around(self) -> None:
        """One slice of a walk over the whole folder; what differs from the index is read later."""
        if self._rescan:
            self._rescan, self._seen = False, set()
            self._scan = walk(self._root, self._limits)
        files, scan = self._index.snapshot.files, self._scan
        for path, stamp in scan or ():
            self._seen.add(path)
            entry = files.get(path)
            if path not in self._open and (entry is None or entry.stamp != stamp):
                self._found[path] = True
            if len(self._seen) % _SCAN_SLICE == 0:
                break
        else:
            self._found.update((path, False) for path in files if path not in self._seen)
            if len(self._seen) >= self._settings.max_files:
                self._warn(f"only the first {len(self._seen):,} files are indexed (see maxFiles)")
            self._scan = None
        self._changed()

    def _sort_out(self) -> None:
        """Which of the paths that were named are to be read, and which have left the folder."""
        with self._wake:
            asked, self._disk = self._disk, {}
        files = self._index.snapshot.files
        for path in asked:
            full = self._root / path
            if full.is_file() and wanted(self._root, path, self._limits):
                self._found[path] = True
            elif path in files:
                self._found[path] = False
            elif full.is_dir() or any(known.startswith(path + "/") for known in files):
                self._rescan = True

    def _begin_reading(self) -> None:
        with self._wake:
            found, self._found = self._found, {}
            closed = {path: read for path, read in found.items() if path not in self._open}
        paths = [path for path, read in closed.items() if read]
        gone = [path for path, read in closed.items() if not read]
        pool = self._live_pool
        if len(paths) > _SMALL_PASS:
            pool = self._bulk_pool = ParsePool(workers=self._settings.workers)
        self._reading = Reading(self._root, paths, gone, pool, self._limits.max_file_bytes)

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
        self._dirty = True
        self._changed()

    def _end_reading(self) -> None:
        self._reading = None
        if self._bulk_pool:
            self._bulk_pool.close()
            self._bulk_pool = None

    def _rest(self) -> None:
        """Nothing to read: embed what waits, tidy, save, then sleep until there is work."""
        if self._index.embed_some() or self._index.maintain():
            self._dirty = True
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
                    or self._index.upkeep_done
                ),
                self._patience_s(),
            )
        if not woken and self._may_write():
            self._save()

    def _patience_s(self) -> float | None:
        """How long to rest if nothing happens; None where there is nothing to wait for."""
        if self._store and not self._store.writer:
            return _CLAIM_EVERY_S
        return self._save_after_s if self._store and self._dirty else None

    def _may_write(self) -> bool:
        """Whether this process is the writer, which it becomes when the one before it ends."""
        if self._store is None or self._store.writer:
            return self._store is not None
        try:
            claimed = self._store.claim()
        except StoreError:
            return False  # It was said when the store was opened, or the folder is gone.
        if claimed:
            # What the other process had not yet saved is in this index only.
            self._dirty = True
            self._changed()
        return claimed

    def _save(self) -> None:
        if not (self._dirty and self._store and self._store.writer):
            return
        try:
            self._store.save(self._index.snapshot)
        except StoreError as error:
            self._save_after_s = min(2 * self._save_after_s, _LONGEST_WAIT_S)
            if not any(text.startswith(_IN_MEMORY) for text in self.warnings):
                self._warn(f"{_IN_MEMORY}{error}")
            return
        self._dirty, self._save_after_s = False, _SAVE_AFTER_S
        self.warnings = {text: None for text in self.warnings if not text.startswith(_IN_MEMORY)}

    def _forget_work(self) -> None:
        with self._wake:
            self._scan, self._in_hand = None, 0
            self._end_reading()
            self._wake.notify_all()

    def _warn(self, text: str) -> None:
        if text not in self.warnings:
            log.warning(text)
            self.warnings[text] = None

    def _changed(self) -> None:
        self._wake_up()
        self._on_change()

    def _wake_up(self) -> None:
        with self._wake:
            self._wake.notify_all()
