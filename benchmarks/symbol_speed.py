"""Measure how long it takes to say what a definition touches, and what is changed.

    python -m benchmarks.symbol_speed FOLDER

120 functions, methods, classes and interfaces of FOLDER, a git repository, are drawn by name, with
a seed, and each is asked for once of an engine that is prepared; then the uncommitted changes, five
times. Milliseconds on the clock and of the thread's processor. Writes
benchmarks/results/symbol_speed.json.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random

import numpy as np

from benchmarks.stored import save
from packhound.core.settings_reader import settings_from
from packhound.service import Engine

RESULT = Path(__file__).parent / "results" / "symbol_speed.json"
N_NAMES, N_CHANGES = 120, 5
KINDS = {"function", "method", "class", "interface"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    settings = settings_from({"ranking.gitHistory": False, "index.persist": False})
    with closing(Engine.open(folder, settings)) as engine:
        engine.settled()
        engine.preparation.join()
        files = engine.snapshot.files.values()
        named = {f.name(p) for f in files for p in range(len(f.node_ids)) if f.kind(p) in KINDS}
        first, *drawn = Random(1).sample(sorted(named), N_NAMES + 1)
        engine.symbol(engine.named(first)[0])
        definitions = [engine.named(name)[0] for name in drawn]
        engine.changes()
        report = {
            "nodes": engine.snapshot.n_nodes,
            "symbol": measure(partial(engine.symbol, each) for each in definitions),
            "changes": measure([engine.changes] * N_CHANGES),
        }
    print(json.dumps(report, indent=1))
    save(RESULT, report)


def measure(calls: Iterable[Callable[[], object]]) -> dict[str, dict[str, float]]:
    """Return the median and the 95th percentile of the time that calls take."""
    times = list[tuple[float, float]]()
    for call in calls:
        began = time.perf_counter(), time.thread_time()
        call()
        times.append((time.perf_counter() - began[0], time.thread_time() - began[1]))
    return {
        name: {"p50": round(p50, 1), "p95": round(p95, 1)}
        for name, (p50, p95) in zip(
            ("clock, ms", "processor, ms"),
            np.quantile(np.array(times) * 1e3, (0.5, 0.95), axis=0).T.tolist(),
            strict=True,
        )
    }


if __name__ == "__main__":
    main()
