"""Time each stage of a hybrid search, and what the learned ranker adds to it.

    python -m benchmarks.stages FOLDER [OUT.json]

Every stage of `packhound.search.pipeline` in its order, each question being asked for the first
time; then whole searches with the learned ranker and with reciprocal rank fusion in turns.
Milliseconds, median and 95th percentile over the questions of queries.json.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import median, quantiles

from benchmarks.stored import save
from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.encoder.embedder import Embedder
from packhound.index.snapshot import Snapshot
from packhound.search.environment import SearchEnvironment
from packhound.search.pipeline import parse, retrieve_context, search
from packhound.search.query.encode import encode
from packhound.search.rank.fusion import rank
from packhound.service.engine import Engine

QUERIES = json.loads((Path(__file__).parent / "queries.json").read_text("utf-8"))
DEPTH = 10


def main() -> None:
    folder = Path(sys.argv[1])
    engine = Engine.open(folder, settings_from({"ranking.gitHistory": False}))
    engine.settled()
    snapshot, embedder = engine.snapshot, Embedder.open()
    environment = SearchEnvironment(str(folder), embedder)
    search(snapshot, Query("warm up"), environment)
    took: dict[str, list[float]] = defaultdict(list)
    for text in QUERIES:
        for stage, ms in by_stage(snapshot, Query(text), environment).items():
            took[stage].append(ms)
    for i, text in enumerate(QUERIES):
        ways = ("linear", "rrf")
        ms = {
            way: whole(
                snapshot,
                Query(text),
                replace(environment, settings=settings_from({"search.fuser": way})),
            )
            for way in (ways if i % 2 else reversed(ways))
        }
        took["whole search, ranker"].append(ms["linear"])
        took["whole search, reciprocal ranks"].append(ms["rrf"])
        took["added by the ranker"].append(ms["linear"] - ms["rrf"])
    figures = {
        "nodes": engine.status().nodes,
        "n": len(QUERIES),
        "ms": {name: described(values) for name, values in took.items()},
    }
    engine.close()
    print(json.dumps(figures, indent=1))
    if len(sys.argv) > 2:
        save(Path(sys.argv[2]), figures)


def by_stage(snapshot: Snapshot, query: Query, environment: SearchEnvironment) -> dict[str, float]:
    """Return the milliseconds of each stage of one search."""
    moments = [time.perf_counter()]
    parsed = parse(snapshot, query, environment)
    moments.append(time.perf_counter())
    vectors, _ = encode(parsed, query.mode, snapshot, environment.embedder)
    moments.append(time.perf_counter())
    context = retrieve_context(snapshot, query, parsed, vectors, environment)
    moments.append(time.perf_counter())
    ranking = rank(context, environment.settings, "node", "hybrid", DEPTH)
    moments.append(time.perf_counter())
    best = sorted(range(len(ranking.nodes)), key=lambda i: -ranking.scores[i])[:DEPTH]
    ranking.why(best)
    moments.append(time.perf_counter())
    names = ("parse", "encode", "retrieve", "signals and ranker", "why")
    return {
        name: (after - before) * 1e3
        for name, (before, after) in zip(names, pairwise(moments), strict=True)
    }


def whole(snapshot: Snapshot, query: Query, environment: SearchEnvironment) -> float:
    """Return the milliseconds of one search."""
    began = time.perf_counter()
    search(snapshot, query, environment)
    return (time.perf_counter() - began) * 1e3


def described(values: list[float]) -> dict[str, float]:
    return {"p50": round(median(values), 2), "p95": round(quantiles(values, n=20)[-1], 2)}


if __name__ == "__main__":
    main()
