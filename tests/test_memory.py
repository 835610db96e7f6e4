"""Large arrays that were freed are given back, also after many threads have had some."""

from __future__ import annotations

import subprocess
import sys

import pytest

CHILD = """
import os, threading
from pathlib import Path
import numpy as np
from packhound.memory import give_back, keep_little

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
