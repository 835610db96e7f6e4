"""The everyday commands of `dev.py`."""

import subprocess
import sys
from pathlib import Path

DEV = Path(__file__).parents[1] / "dev.py"


def test_help_prints_the_targets_and_runs_none():
    answer = subprocess.run([sys.executable, DEV, "--help"], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert "python3 dev.py TARGET" in answer.stdout
    assert "figures" in answer.stdout
