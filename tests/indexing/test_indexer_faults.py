"""The system refuses any one call of the indexing thread: a file, memory, a process, a thread.

Whatever it was, the next look at the folder makes the index what a rebuild makes it, on disk too.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import threading
from pathlib import Path

import pytest

from packhound.core.settings import Settings
from packhound.core.settings_reader import settings_from
from packhound.encoder.embedder import Embedder
from packhound.index.writer import Index
from packhound.indexing.indexer import Indexer
from packhound.indexing.timing import Timing
from packhound.parsing.pool import pool
from packhound.service.models import Models
from packhound.service.open_index import open_index
from tests.support.index_check import contents
from tests.support.project import write_files

FILES = {f"p{n % 3}/m{n}.py": f"def load_{n}(path):\n    return path + {n}\n" for n in range(12)}
POINTS = {
    "open": (os, "open", OSError(errno.EMFILE, "Too many open files")),
    "read": (os, "read", OSError(errno.EIO, "Input/output error")),
    "fstat": (os, "fstat", OSError(errno.EIO, "Input/output error")),
    "scandir": (os, "scandir", OSError(errno.ENFILE, "Too many open files in system")),
    "process": (subprocess, "Popen", OSError(errno.EAGAIN, "Resource temporarily unavailable")),
    "thread": (threading.Thread, "start", RuntimeError("can't start new thread")),
    "database": (sqlite3, "connect", sqlite3.OperationalError("disk I/O error")),
    "encode_runs": (Embedder, "encode_runs", MemoryError("out of memory")),
    "replace": (Index, "replace", MemoryError("out of memory")),
    "publish": (Index, "publish", MemoryError("out of memory")),
    "merge": (Index, "merge", MemoryError("out of memory")),
}


TIMING = Timing(fault_s=0.01, unparsed_s=0.0, save_s=0.05, embed_retry_s=0.0)


class Session:
    """An indexer over a folder, its index and its store."""

    def __init__(self, root: Path, *, persist: bool = True) -> None:
        embedder = Models.open(Settings()).embedder
        cache = root.with_name(f"{root.name}-cache")
        opened = open_index(cache, lambda: embedder, persist=persist, timing=TIMING)
        assert not opened.rebuild_reason and not opened.problem
        self.index = opened.index
        settings = settings_from({"index.workers": 1})
        self.indexer = Indexer(root, settings, opened.index, opened.store, lambda: None, TIMING)

    def start(self) -> Session:
        self.indexer.start()
        assert self.indexer.queue.settled(60)
        return self

    def refresh(self) -> None:
        self.indexer.queue.refresh()
        assert self.indexer.queue.settled(60)

    @property
    def contents(self) -> dict[str, object]:
        return contents(self.index.snapshot)


class Fault:
    """One call of a function fails, if it is the indexing thread that calls it."""

    def __init__(self, patch: pytest.MonkeyPatch, point: str, call: int, indexer: Indexer) -> None:
        owner, name, self._error = POINTS[point]
        self._function, self._calls_left = getattr(owner, name), call
        self._thread = indexer.thread
        self.raised = False
        patch.setattr(owner, name, lambda *args, **options: self._call(*args, **options))

    def _call(self, *args: object, **options: object) -> object:
        if threading.current_thread() is self._thread:
            self._calls_left -= 1
            if self._calls_left == 0:
                self.raised = True
                raise self._error
        return self._function(*args, **options)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(pool, "MIN_BACKOFF_S", 0.0)


def rebuilt(root: Path) -> dict[str, object]:
    session = Session(root, persist=False).start()
    session.indexer.close()
    return session.contents


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("calls", [(1,), pytest.param(range(1, 80), marks=pytest.mark.release)])
def test_after_a_refusal_the_next_scan_is_right(tmp_path, point, calls):
    for call in calls:
        root = tmp_path / f"root{call}"
        write_files(root, FILES)
        session = Session(root)
        with pytest.MonkeyPatch.context() as patch:
            fault = Fault(patch, point, call, session.indexer)
            session.start()
            changed = {"p0/m0.py": "def other(): pass\n", "p9/new.py": "def new(): pass\n"}
            write_files(root, changed)
            session.refresh()
        session.refresh()
        expected = rebuilt(root)
        assert session.contents == expected
        problems = session.indexer.warnings
        assert [problem for problem in problems if "memory only" not in problem] == []
        session.indexer.close()
        again = Session(root).start()
        assert again.contents == expected and again.indexer.warnings == ()
        again.indexer.close()
        if not fault.raised:
            assert call > 1 or point in ("thread", "database")
            break
