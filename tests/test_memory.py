"""What is not needed any more is given back: large arrays at once, and indexes when they end."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading

import pytest

from packhound.core.settings import Settings
from packhound.indexing.indexer import Indexer
from packhound.service.workspace import Workspace

CHILD = """
import os, threading
from pathlib import Path
import numpy as np
from packhound.indexing.malloc import give_back, keep_little

def resident_mb():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

def work(kept):
    for size in (30_000_000, 8_000_000, 5_000_000):
        large = np.ones(size, np.uint8)
        kept.append(np.ones(2_000, np.uint8))

keep_little()
before, kept = resident_mb(), []
for _ in range(8):
    threads = [threading.Thread(target=work, args=(kept,)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
# Without a call of give_back: what is large goes at once.
print(resident_mb() - before)
give_back()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_large_arrays_are_given_back_at_once() -> None:
    child = subprocess.run(
        [sys.executable, "-c", CHILD], capture_output=True, text=True, check=True
    )
    assert float(child.stdout) < 15


def indexers() -> int:
    return sum(isinstance(found, Indexer) for found in gc.get_objects())


def test_an_index_that_was_let_go_of_is_gone(tmp_path, monkeypatch):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.py").write_text("def load(): pass\n")
    gc.collect()
    before, workspace = indexers(), Workspace(Settings(workers=1))
    gc.disable()
    try:
        workspace.add(tmp_path / "root")
        for _ in range(3):
            assert workspace.settled(60)
            workspace.rebuild()
        assert indexers() == before + 1
        assert workspace.settled(60)
        for thread in threading.enumerate():
            if thread.name == "packhound-graph":
                thread.join()
        workspace.remove(tmp_path / "root")
        assert indexers() == before
    finally:
        gc.enable()
        workspace.close()
