"""The size and the seed of a run: `benchmarks/reliability.py` asks for more than the suite does."""

from __future__ import annotations

import os

SIZE, SEED = "PACKHOUND_TEST_SIZE", "PACKHOUND_TEST_SEED"


def size(usual: int) -> int:
    """Return how many cases a test draws, edits or kills: as asked for, else as usual."""
    return int(os.environ.get(SIZE, usual))


def seed(usual: int = 0) -> int:
    """Return the seed of what a test draws, another one in each piece of a release run."""
    return int(os.environ.get(SEED, usual))
