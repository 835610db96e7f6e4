"""A server that lives and works for a while stays right and leaves nothing over."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.release
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_minute_of_work() -> None:
    command = [sys.executable, "-m", "benchmarks.soak", "server", "--minutes", "1"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
