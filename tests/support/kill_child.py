"""An engine at work, to be killed; run as `python kill_child.py ROOT SEED`."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from packhound.indexing.timing import Timing
from packhound.service.engine import Engine

SAVED_AT_ONCE = Timing(save_s=0.01)
"""So that most kills fall into a save."""
N_FILES = 30


def change(root: Path, seeded: random.Random) -> list[str]:
    """Some files are written, some removed; their paths."""
    paths = [f"m{seeded.randrange(N_FILES)}.py" for _ in range(seeded.choice((1, 1, 3, 25)))]
    for path in paths:
        if seeded.random() < 0.15:
            (root / path).unlink(missing_ok=True)
        else:
            word = f"zebra_{seeded.randrange(10_000)}"
            text = f"def {word}(left):\n    'Reads a {word}.'\n    return left\n\n\n"
            (root / path).write_text(text * seeded.randrange(1, 40))
    return paths


def main(root: Path, seed: int) -> None:
    seeded = random.Random(seed)
    while True:
        engine = Engine.open(root, timing=SAVED_AT_ONCE)
        sys.stdout.write("open\n")
        sys.stdout.flush()
        for _ in range(seeded.randrange(1, 20)):
            engine.refresh(change(root, seeded))
            if seeded.random() < 0.8:
                engine.settled()
        if seeded.random() < 0.2:
            engine.rebuild()
        engine.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
