"""Work that a kill -9 during a first reading loses: what was read and is read again.

    python -m benchmarks.reading_kills FOLDER [--kills 50] [--save]

One first reading is timed; then each further one, with an empty cache, is killed at a moment drawn
from that time. Lost is the time from when as many files could be found as the next start loads
until the kill; where nothing was saved, from when the folder was open. It is given by the clock
and in processor time of the process that serves, parsers apart, which a busy machine changes less.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.stored import save
from packhound.core.settings_reader import settings_from
from packhound.service import Engine

RESULTS = Path(__file__).parent / "results" / "reading_kills.json"
_MOST_LOST_S = 10.0
_READ = """
import sys, time
from pathlib import Path
from packhound.core.settings_reader import settings_from
from packhound.service import Engine
engine = Engine.open(Path(sys.argv[1]), settings_from({}))
while True:
    is_read = engine.reading.is_complete
    print(time.monotonic(), time.process_time(), engine.snapshot.n_files, flush=True)
    if is_read:
        sys.exit()
    time.sleep(0.05)
"""


class Kill(NamedTuple):
    """Files that could be found at the kill, those loaded, and seconds lost."""

    n_read: int
    n_loaded: int
    lost_s: float = 0.0
    lost_cpu_s: float = 0.0


class Step(NamedTuple):
    """A moment of a reading by two clocks, and the files that could be found."""

    clock_s: float
    cpu_s: float
    n_read: int


def main() -> None:
    """Measure and print; keep the figures where asked to. Ends with 1 if too much was lost."""
    options = _options()
    start = time.monotonic()
    whole_s = _read(options.folder, None)[-1].clock_s - start
    chance = random.Random(options.seed)
    kills = []
    for _ in range(options.kills):
        kills.append(_kill(options.folder, chance.uniform(0.0, whole_s)))
        print(*kills[-1])
    lost, lost_cpu = [kill.lost_s for kill in kills], [kill.lost_cpu_s for kill in kills]
    figures = {
        "kills": len(kills),
        "whole_reading_s": round(whole_s, 1),
        "files": max(kill.n_read for kill in kills),
        "lost_at_most_10_s": sum(seconds <= _MOST_LOST_S for seconds in lost),
        "lost_s": {"median": round(statistics.median(lost), 1), "max": max(lost)},
        "lost_processor_s": {
            "median": round(statistics.median(lost_cpu), 1),
            "max": max(lost_cpu),
        },
    }
    print(json.dumps(figures, indent=1))
    if options.save:
        save(RESULTS, figures)
    sys.exit(max(lost) > _MOST_LOST_S)


def _kill(folder: Path, at_s: float) -> Kill:
    """Kill a first reading and load what it has left."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ["PACKHOUND_CACHE_DIR"] = os.environ["PACKHOUND_DATA_DIR"] = cache
        steps = _read(folder, at_s)
        engine = Engine.open(folder, settings_from({}))
        n_loaded = engine.snapshot.n_files
        engine.close()
    if not steps:
        return Kill(0, n_loaded)
    last, saved = steps[-1], next((step for step in steps if step.n_read >= n_loaded), steps[-1])
    lost = last.clock_s - saved.clock_s, last.cpu_s - saved.cpu_s
    return Kill(last.n_read, n_loaded, *(round(seconds, 2) for seconds in lost))


def _read(folder: Path, kill_s: float | None) -> list[Step]:
    """Return the moments of a reading, until all is read or the kill."""
    with tempfile.TemporaryFile("w+") as printed:
        child = subprocess.Popen([sys.executable, "-c", _READ, folder], stdout=printed)
        if kill_s is None:
            child.wait()
        else:
            time.sleep(kill_s)
            child.kill()
            child.wait()
        printed.seek(0)
        lines = [line.split() for line in printed.read().split("\n")[:-1]]
    return [Step(float(clock), float(cpu), int(n_files)) for clock, cpu, n_files in lines]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--save", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
