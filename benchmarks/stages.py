"""Time each stage of a hybrid search by its trace, and what the trace itself costs.

    python -m benchmarks.stages FOLDER [OUT.json]

Questions of queries.json, each asked for the first time; milliseconds, median and 95th percentile,
of a stage with what is within. Then each question again, with and without a trace in turns, and
what the calls cost that would record it. `benchmarks.million` has the stages at a million nodes.
"""

from __future__ import annotations

import json
import sys
import timeit
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from benchmarks.stored import save
from packhound.core import trace
from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.service.engine import Engine

QUERIES = json.loads((Path(__file__).parent / "queries.json").read_text("utf-8"))


def main() -> None:
    engine = Engine.open(Path(sys.argv[1]), settings_from({"ranking.gitHistory": False}))
    engine.settled()
    engine.prepare().join()  # As whoever serves a folder does.
    engine.search(Query("warm up"))
    took: dict[str, list[float]] = defaultdict(list)
    n_spans = []
    for text in QUERIES:
        with trace.recording() as spans:
            engine.search(Query(text))
        n_spans.append(len(spans))
        add(took, spans)
    for i, text in enumerate(QUERIES):
        for traced in (True, False) if i % 2 else (False, True):
            took["asked again, traced" if traced else "asked again"].append(
                once(engine, text, traced=traced)
            )
    off_ms = median(n_spans) * nothing_recorded_ms()
    figures = {
        "nodes": engine.status().nodes,
        "n": len(QUERIES),
        "spans": median(n_spans),
        "share of a search when off": round(off_ms / median(took["asked again"]), 5),
        "share of a search when on": round(
            median(took["asked again, traced"]) / median(took["asked again"]) - 1, 3
        ),
        "ms": {name: described(values) for name, values in took.items()},
    }
    engine.close()
    print(json.dumps(figures, indent=1))
    if len(sys.argv) > 2:
        save(Path(sys.argv[2]), figures)


def add(took: dict[str, list[float]], spans: Sequence[trace.Span]) -> None:
    """Add the milliseconds of each stage of one search."""
    for row in trace.stage_rows(spans):
        took[row["stage"]].append(row["ms"])


def once(engine: Engine, text: str, *, traced: bool) -> float:
    """Return the milliseconds of one search."""
    began = perf_counter()
    if traced:
        with trace.recording():
            engine.search(Query(text))
    else:
        engine.search(Query(text))
    return (perf_counter() - began) * 1e3


def nothing_recorded_ms() -> float:
    """Return what a call of a stage costs more than that of a plain function, without a trace."""

    def plain() -> None: ...

    stage, n = trace.traced("stage")(plain), 100_000
    return (timeit.timeit(stage, number=n) - timeit.timeit(plain, number=n)) / n * 1e3


def described(values: list[float]) -> dict[str, float]:
    return {"p50": round(median(values), 2), "p95": round(quantiles(values, n=20)[-1], 2)}


if __name__ == "__main__":
    main()
