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
from packhound.encoder.embedder import Embedder
from packhound.index.writer import Index
from packhound.indexing import autosave as saver
from packhound.indexing import folder_scan as looking
from packhound.indexing import indexer
from packhound.parsing.pool import pool as worker
from packhound.service.engine import Engine
from tests.support.index_check import contents

FILES = {f"p{n % 3}/m{n}.py": f"def load_{n}(path):\n    return path + {n}\n" for n in range(12)}
POINTS = {
    "open": (os, "open", OSError(errno.EMFILE, "Too many open files")),
    "read": (os, "read", OSError(errno.EIO, "Input/output error")),
    "fstat": (os, "fstat", OSError(errno.EIO, "Input/output error")),
    "scandir": (os, "scandir", OSError(errno.ENFILE, "Too many open files in system")),
    "process": (subprocess, "Popen", OSError(errno.EAGAIN, "Resource temporarily unavailable")),
    "thread": (threading.Thread, "start", RuntimeError("can't start new thread")),
    "database": (sqlite3, "connect", sqlite3.OperationalError("disk I/O error")),
    "encode_runs": (Embedder, "encode_runs", MemoryError("no room")),
    "replace": (Index, "replace", MemoryError("no room")),
    "publish": (Index, "publish", MemoryError("no room")),
    "merge": (Index, "merge", MemoryError("no room")),
}


class Fault:
    """One call of a function fails, if it is the indexing thread that calls it."""

    def __init__(self, patch: pytest.MonkeyPatch, point: str, call: int) -> None:
        place, name, self._error = POINTS[point]
        self._works, self._left = getattr(place, name), call
        self.came = False
        patch.setattr(place, name, lambda *args, **options: self._run(*args, **options))

    def _run(self, *args: object, **options: object) -> object:
        if threading.current_thread().name == "packhound-indexer":
            self._left -= 1
            if self._left == 0:
                self.came = True
                raise self._error
        return self._works(*args, **options)


@pytest.fixture(autouse=True)
def quick(monkeypatch, tmp_path):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(indexer, "_AFTER_FAULT_S", 0.01)
    monkeypatch.setattr(looking, "_MEND_AFTER_S", 0.0)
    monkeypatch.setattr(worker, "MIN_BACKOFF_S", 0.0)
    monkeypatch.setattr(saver, "SAVE_AFTER_S", 0.05)


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def opened(root: Path, *, persist: bool = True) -> Engine:
    engine = Engine.open(root, Settings(workers=1, persist=persist))
    assert engine.settled(60)
    return engine


def rebuilt(root: Path) -> dict[str, object]:
    engine = opened(root, persist=False)
    engine.close()
    return contents(engine.snapshot)


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("calls", [(1,), pytest.param(range(1, 80), marks=pytest.mark.slow)])
def test_after_a_refusal_the_next_look_is_right(tmp_path, point, calls):
    for call in calls:
        root = tmp_path / f"root{call}"
        write(root, FILES)
        with pytest.MonkeyPatch.context() as patch:
            fault = Fault(patch, point, call)
            engine = opened(root)
            write(root, {"p0/m0.py": "def other(): pass\n", "p9/new.py": "def new(): pass\n"})
            engine.refresh()
            assert engine.settled(60)
        engine.refresh()
        assert engine.settled(60)
        expected = rebuilt(root)
        assert contents(engine.snapshot) == expected
        assert [note for note in engine.status().notes if "memory only" not in note] == []
        engine.close()
        again = opened(root)
        assert contents(again.snapshot) == expected and again.status().notes == ()
        again.close()
        if not fault.came:
            assert call > 1 or point in ("thread", "database")
            break
