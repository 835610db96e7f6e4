"""What is not needed any more is given back: large arrays at once, and indexes when they end."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from packhound.core.settings_reader import settings_from
from packhound.indexing.indexer import Indexer
from packhound.service.workspace import Workspace

CHILD = """
import os, threading
from pathlib import Path
import numpy as np
from packhound.indexing.malloc import limit_malloc_arenas, malloc_trim

def resident_mb():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

def work(small):
    for size in (30_000_000, 8_000_000, 7_000_000):
        large = np.ones(size, np.uint8)
        small.append(np.ones(2_000, np.uint8))

limit_malloc_arenas()
before, small = resident_mb(), []
for _ in range(8):
    threads = [threading.Thread(target=work, args=(small,)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
# Without a call of malloc_trim: what is large goes at once.
print(resident_mb() - before)
malloc_trim()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_large_arrays_are_given_back_at_once() -> None:
    child = subprocess.run(
        [sys.executable, "-c", CHILD], capture_output=True, text=True, check=True
    )
    assert float(child.stdout) < 15


def n_indexers() -> int:
    return sum(isinstance(item, Indexer) for item in gc.get_objects())


def test_an_index_that_was_let_go_of_is_gone(root):
    gc.collect()
    before, workspace = n_indexers(), Workspace(settings_from({"index.workers": 1}))
    gc.disable()
    try:
        engine = workspace.add(root)
        for _ in range(3):
            assert workspace.settled(60)
            workspace.rebuild()
        assert n_indexers() == before + 1
        assert workspace.settled(60)
        assert engine.preparation.join(60)
        del engine
        workspace.remove(root)
        assert n_indexers() == before
    finally:
        gc.enable()
        workspace.close()
