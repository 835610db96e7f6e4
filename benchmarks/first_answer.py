"""Time until an answer on a folder that was never read holds the definition that it names.

    python -m benchmarks.first_answer FOLDER [--names 20] [--save]

FOLDER has thousands of files, such as a clone, or copies made by `benchmarks/synthetic.py`. Names
that one definition has are drawn from it; for each the folder is opened with an empty index and
asked at once. Times are of the clock, from before the folder is opened; beside them stands the
processor time of this process, parsers apart, which a busy machine changes less.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from benchmarks.stored import save
from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.service import Engine

RESULTS = Path(__file__).parent / "results" / "first_answer.json"
KINDS = ("function", "method", "class")
MIN_LETTERS = 8
_LONGEST_S = 120.0


class Asked(NamedTuple):
    """Seconds to the first answer, and to one with the definition; files read by the first."""

    first_s: float
    held_s: float
    n_read: int
    first_cpu_s: float
    held_cpu_s: float


def main() -> None:
    """Measure and print; keep the figures where asked to."""
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PACKHOUND_CACHE_DIR"] = os.environ["PACKHOUND_DATA_DIR"] = folder
        engine = _open(options.folder)
        engine.settled()
        names, n_files = _draw(engine, options.names), engine.reading.n_files
        n_nodes = engine.status().nodes
        engine.close()
        rows = {name: _ask(options.folder, name) for name in names}
    for name, row in rows.items():
        print(*row, name)
    asked = [*rows.values()]
    figures = {
        "files": n_files,
        "nodes": n_nodes,
        "names": len(asked),
        "held_by_first_answer": sum(row.first_s == row.held_s for row in asked),
        "held_within_3_s": sum(row.held_s <= 3.0 for row in asked),
        "first_answer_s": _spread([row.first_s for row in asked]),
        "first_answer_processor_s": _spread([row.first_cpu_s for row in asked]),
        "held_processor_s": _spread([row.held_cpu_s for row in asked]),
        "held_s": _spread([row.held_s for row in asked]),
        "files_read_by_first_answer": _spread([row.n_read for row in asked]),
    }
    print(json.dumps(figures, indent=1))
    if options.save:
        save(RESULTS, figures)


def _open(folder: Path) -> Engine:
    return Engine.open(folder, settings_from({"index.persist": False}))


def _draw(engine: Engine, n_names: int) -> list[str]:
    """Return names that one definition has, of so many files."""
    nodes = [node for node in engine.outline() if node.kind in KINDS]
    counts = Counter(node.name for node in nodes)
    by_file = {
        node.path: node.name
        for node in nodes
        if counts[node.name] == 1 and len(node.name) >= MIN_LETTERS and node.name.isidentifier()
    }
    return random.Random(7).sample(sorted(by_file.values()), n_names)


def _ask(folder: Path, name: str) -> Asked:
    """Ask until the definition is among the hits."""
    start, cpu_start = time.monotonic(), time.process_time()
    engine = _open(folder)
    first: Asked | None = None
    while True:
        results = engine.search(Query(name))
        now_s = round(time.monotonic() - start, 2)
        cpu_s = round(time.process_time() - cpu_start, 2)
        first = first or Asked(now_s, 0.0, results.reading.n_read, cpu_s, 0.0)
        if any(hit.node.name == name for hit in results.hits) or now_s > _LONGEST_S:
            engine.close()
            return first._replace(held_s=now_s, held_cpu_s=cpu_s)
        time.sleep(0.05)


def _spread(values: list[float] | list[int]) -> dict[str, float]:
    return {"median": round(statistics.median(values), 2), "max": max(values)}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--names", type=int, default=20)
    parser.add_argument("--save", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
