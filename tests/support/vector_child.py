"""A process that puts vectors until it is killed; `python vector_child.py FOLDER SEED`."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

import numpy as np

from packhound.storage import VectorStore


def digest(number: int) -> bytes:
    return number.to_bytes(16, "little")


def vector(number: int) -> bytes:
    """The vector of a number, so that any reader knows what it must be."""
    return np.random.default_rng(number).bytes(384)


def main(folder: Path, seed: int) -> None:
    store = VectorStore(folder, 500)
    for first in count(seed * 1_000_000, 20):
        store.put("model", {digest(n): vector(n) for n in range(first, first + 20)})
        sys.stdout.write(f"{first}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
