"""Measure the processor time of searches with a pattern of code.

    python -m benchmarks.patterns.speed FOLDER

Patterns with a literal are calls of names that FOLDER defines, drawn with a seed; those without one
have keywords and signs alone. All are asked once of an engine that runs, after one that starts
the processes, with time enough for all files. Writes benchmarks/results/pattern_speed.json;
milliseconds of processor time, of the engine and of both parser processes together.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from benchmarks.stored import save
from packhound.core.settings_reader import settings_from
from packhound.core.types import Budget, Query
from packhound.grep import GrepRequest
from packhound.parsing.pool import patterns
from packhound.service.engine import Engine

RESULT = Path(__file__).parents[1] / "results" / "pattern_speed.json"
N_NAMES = 60
WITHOUT = (
    "if $A: return $B",
    "$A = $A or $B",
    "for $X in $Y: $$$",
    "raise $E($$$)",
    "$F($A, $A)",
    "def $F(self, $$$)",
    "class $C($B)",
    "except $E as $N: $$$",
    "$X is None",
    "return $A if $B else $C",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    settings = settings_from(
        {"ranking.gitHistory": False, "index.persist": False, "meaning.enabled": False}
    )
    with closing(Engine.open(folder, settings)) as engine:
        engine.settled()
        engine.preparation.join()
        engine.grep(GrepRequest("nothing has this"))  # Has filters made.
        engine.preparation.join()
        snapshot = engine.snapshot
        engine.search(Query("raise $E($$$)"))
        names = sorted(name for name in snapshot.names if len(name) > 3 and name.isidentifier())
        drawn = Random(1).sample(names, N_NAMES)
        report: dict[str, Any] = {
            "nodes": snapshot.n_nodes,
            "files": snapshot.n_files,
            "with a literal": measure(engine, [f"{name}($$$)" for name in drawn]),
            "without": measure(engine, WITHOUT),
        }
    print(json.dumps(report, indent=1))
    save(RESULT, report)


def processor_s() -> float:
    """Return the processor time of this process and of its parser processes."""
    pool = patterns._Shared.pool
    workers = pool.workers if pool else ()
    return time.process_time() + sum(worker.cpu_s or 0.0 for worker in workers)


def measure(engine: Engine, texts: Sequence[str]) -> dict[str, Any]:
    """Return the median and the 95th percentile of searches, and how many were cut short."""
    times, n_cut = [], 0
    for pattern in texts:
        start = processor_s()
        results = engine.search(Query(pattern, deep=False, budget=Budget(60_000)))
        times.append(1_000 * (processor_s() - start))
        n_cut += results.truncated
        print(f"{times[-1]:7.0f} {pattern} {results.candidates}", file=sys.stderr)
    return {
        "patterns": len(times),
        "cpu_ms_p50": round(float(np.median(times)), 1),
        "cpu_ms_p95": round(float(np.percentile(times, 95)), 1),
        "cut_short": n_cut,
    }


if __name__ == "__main__":
    main()
