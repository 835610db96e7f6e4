"""Vectors of the deep model for the nodes most likely to be asked for, made while nobody asks."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from packhound.core.arrays import NodeIds
from packhound.core.errors import ModelError
from packhound.core.log import log
from packhound.core.types import FIELDS, KINDS
from packhound.encoder import Interruption
from packhound.index import FLAG, Codes, Snapshot, scales_of
from packhound.indexing import Timing
from packhound.search import DeepText, ReadNodes
from packhound.text import FLAGS

if TYPE_CHECKING:
    from packhound.service.indexed_folder import IndexedFolder
    from packhound.service.preparation import Activity

_IS_CODE = np.array([kind not in ("test", "section", "file", "window") for kind in KINDS])
_BESIDE = sum(1 << FLAGS.index(flag) for flag in ("is_test", "is_example", "is_stale"))
_BODY = FIELDS.index("body")
_REST = 2.0
"""Pause after a text, in the time that it took: a third of one core is used."""
_LOWEST_PRIORITY = 19
_PUBLISHED_AT_ONCE = 200
"""Nodes that are read before searches get them: some seconds of work."""


class DeepFilling:
    """Thread that reads nodes of a folder one by one, and stops when the engine is used.

    It reads texts that are on disk alone, in the process that writes the index.
    """

    def __init__(self, folder: IndexedFolder, activity: Activity, timing: Timing) -> None:
        self._folder, self._activity, self._timing = folder, activity, timing
        self._closed = threading.Event()
        self._interruption = Interruption()
        self._thread: threading.Thread | None = None
        self._read: dict[tuple[str, bytes, bytes], Codes] = {}
        """Codes that were read, by path, digest and node ids of their file: not read again."""
        self._called_at = 0.0

    def start(self) -> None:
        """Begin to wait for quiet if the settings ask for it; returns at once."""
        if self._thread is None and self._is_on:
            self._thread = threading.Thread(target=self._run, name="packhound-deep", daemon=True)
            self._activity.on_use = self._interruption.set
            self._thread.start()
            # A daemon that is in native code when the interpreter ends would abort the process.
            atexit.register(self.close)

    def close(self) -> None:
        """Stop, and wait for the text that is being read."""
        self._closed.set()
        if self._thread:
            self._interruption.set()
            self._thread.join()
            atexit.unregister(self.close)

    @property
    def _is_on(self) -> bool:
        folder = self._folder
        return bool(folder.settings.deep.idle_nodes and folder.models.deep and folder.vectors)

    @property
    def _delay_s(self) -> float:
        """Seconds until the engine has been idle for long enough."""
        return self._timing.deep_idle_s - self._activity.idle_s

    @property
    def _is_idle(self) -> bool:
        return self._delay_s <= 0 and not self._folder.queue.pending

    def _run(self) -> None:
        lower_priority()
        generation, pause_s = None, self._timing.deep_idle_s
        while not self._closed.wait(max(pause_s, self._timing.recent_use_s)):
            snapshot, pause_s = self._folder.snapshot, self._timing.deep_poll_s
            if snapshot.generation != generation and self._is_on and self._folder.writer:
                pause_s = self._delay_s
                if self._is_idle and self._fill(snapshot):
                    generation = snapshot.generation

    def _fill(self, snapshot: Snapshot) -> bool:
        """Read the nodes without a vector; return False if it was interrupted."""
        ranker, cache = self._folder.models.deep, self._folder.vectors
        nodes = likely_nodes(snapshot, self._folder.settings.deep.idle_nodes, self._activity.edited)
        by_file = _by_file(snapshot, nodes)
        if ranker is None or cache is None:
            return False
        self._read = {key: self._read[key] for key in by_file if key in self._read}
        n_read = n_published = self._publish(snapshot, by_file)
        self._called_at = time.perf_counter()
        for key, node_ids in by_file.items():
            if key in self._read or not self._folder.is_on_disk(snapshot, key[0]):
                continue
            texts = [*self._texts(snapshot, key[0], node_ids)]
            try:
                codes = ranker.read_ahead(texts, cache, self._may_go_on, self._interruption)
            except ModelError as error:
                log.warning("nothing is read in advance: %s", error)
                return True
            if codes is None:
                self._publish(snapshot, by_file)
                return False
            if len(codes) == len(node_ids):
                self._read[key] = codes
                n_read += len(codes)
            if n_read >= n_published + _PUBLISHED_AT_ONCE:
                n_published = self._publish(snapshot, by_file)
        self._publish(snapshot, by_file, is_done=True)
        return True

    def _publish(
        self,
        snapshot: Snapshot,
        by_file: Mapping[tuple[str, bytes, bytes], Sequence[int]],
        *,
        is_done: bool = False,
    ) -> int:
        """Give searches the nodes that were read, and return how many these are.

        If it `is_done`, what is left is not on disk, and no answer waits for it.
        """
        node_ids = np.array([i for key in self._read for i in by_file[key]], np.int32)
        n_wanted = sum(map(len, by_file.values()))
        if len(node_ids):
            order = node_ids.argsort()
            codes = np.concatenate([*self._read.values()])[order]
            self._folder.read_nodes = ReadNodes(
                snapshot.epoch,
                len(node_ids) if is_done else n_wanted,
                node_ids[order],
                codes,
                scales_of(codes),
            )
        self._folder.deep_progress = (len(node_ids), n_wanted)
        return len(node_ids)

    def _texts(self, snapshot: Snapshot, path: str, node_ids: Sequence[int]) -> Iterator[DeepText]:
        """Yield what the model reads of nodes of a file; nothing if it changed since."""
        source = self._folder.source(path, snapshot)
        for node in (snapshot.ref(node_id, "") for node_id in node_ids if source is not None):
            text = source[node.span.start : node.span.end] if source else b""
            yield DeepText(node.qualname, text.decode("utf-8", "replace"))

    def _may_go_on(self) -> bool:
        """Rest after a text; return False, a moment later, once the engine is used or closed."""
        elapsed_s = time.perf_counter() - self._called_at
        self._closed.wait(min(_REST * elapsed_s, self._timing.recent_use_s))
        self._called_at = time.perf_counter()
        self._interruption.clear()
        if self._closed.is_set() or self._is_idle:
            return not self._closed.is_set()
        # What was read is saved when the edit or question has its answer.
        self._closed.wait(self._timing.recent_use_s)
        return False


def likely_nodes(snapshot: Snapshot, limit: int, edited: Sequence[str]) -> NodeIds:
    """Return the nodes that searches are most likely to read, the likeliest first.

    They are code, neither tests nor examples nor copies; those of files that were edited lately
    come first, then the longest: benchmarks/quality/deep_idle.py says how many hits they are.
    """
    rows = snapshot.path_table.rows(snapshot.n_file_ids)
    is_first_party = rows[:, FLAG] & _BESIDE == 0
    is_edited = np.zeros(snapshot.n_file_ids, np.bool_)
    is_edited[[snapshot.files[path].file_id for path in edited if path in snapshot.files]] = True
    node_ids = np.flatnonzero(snapshot.live & _IS_CODE[snapshot.kind_of])
    node_ids = node_ids[is_first_party[snapshot.file_of[node_ids]]]
    order = np.lexsort((-snapshot.lengths[_BODY][node_ids], ~is_edited[snapshot.file_of[node_ids]]))
    return np.asarray(node_ids[order[:limit]], np.int32)


def _by_file(
    snapshot: Snapshot, node_ids: NodeIds
) -> dict[tuple[str, bytes, bytes], Sequence[int]]:
    """Group nodes by path and digest of their file, in the order of the first of each."""
    groups: dict[str, list[int]] = defaultdict(list)
    for node_id, file_id in zip(
        node_ids.tolist(), snapshot.file_of[node_ids].tolist(), strict=True
    ):
        groups[snapshot.paths[file_id]].append(node_id)
    return {
        (path, snapshot.files[path].digest, np.array(group).tobytes()): group
        for path, group in groups.items()
    }


def lower_priority() -> None:
    """Let all other threads of the machine go first, where a thread has a priority."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _LOWEST_PRIORITY)
