"""Kill processes that write notes, and count what was acknowledged and is not there.

Run: python -m benchmarks.sources.kills [--kills 1000]
In pieces of a hundred kills, each beside a workspace of its own. The result has the kills of all
pieces so far, and a run that is stopped goes on where it was.
Results go to benchmarks/results/note_kills.json.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.stored import load_current, save
from packhound.core.errors import StoreError
from tests.support.note_kills import KILLS_A_ROUND, Kills, kill_writers

RESULTS = Path(__file__).parents[1] / "results" / "note_kills.json"
PIECE = 100


def piece(first_kill: int) -> tuple[Kills, int]:
    """Return the kills of a piece, and 1 if the notes could not be read then."""
    rounds = range(first_kill // KILLS_A_ROUND, (first_kill + PIECE) // KILLS_A_ROUND)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PACKHOUND_DATA_DIR"] = f"{folder}/data"
        try:
            return kill_writers(Path(folder), rounds), 0
        except StoreError as problem:
            print(problem)
            return Kills(PIECE, 0, 0), 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1_000)
    n_kills = parser.parse_args().kills
    total = Counter(load_current(RESULTS))
    while total["kills"] < n_kills:
        result, n_unreadable = piece(total["kills"])
        total.update(**result._asdict(), unreadable=n_unreadable)
        save(RESULTS, total)
        print(dict(total), flush=True)


if __name__ == "__main__":
    main()
