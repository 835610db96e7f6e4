"""Time that the deep model adds to a search: nothing read before, at most 8 new hits, none new.

Run: python -m benchmarks.quality.deep_latency FOLDER [--questions 12]
Each question is asked without the deep model and with it. Cold: with no vector of before; new: with
the vectors of the question and of all but 8 of the hits that it reads; warm: with all of them;
restarted: warm, in an engine that has only what is on disk. Milliseconds that it adds at p50, of
the processor (all threads) and of the wall clock, the model loaded before, and what loading takes,
with megabytes; results go to results/deep_latency.json.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.sources.retrieval import rows
from benchmarks.stored import save
from packhound.core.settings import Settings
from packhound.core.settings_reader import settings_from
from packhound.core.types import Budget, Query
from packhound.encoder import DeepEncoder, Embedder
from packhound.search import DeepRanker
from packhound.service import Engine

RESULTS = Path(__file__).parent / "results" / "deep_latency.json"
PATIENT = Budget(60_000)
N_NEW = 8


def timed(call: Callable[[], object]) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    call()
    return (time.process_time() - processor) * 1_000, (time.perf_counter() - wall) * 1_000


def loading() -> dict[str, float]:
    """Processor milliseconds of loading the model and a first text, and the memory it takes."""
    Embedder.open().encode(["so that what both need is imported"])
    before = memory_mb()
    processor, _ = timed(lambda: DeepEncoder.open().encode("warm"))
    return {"processor": round(processor, 1), "megabytes": round(memory_mb() - before, 1)}


def memory_mb() -> float:
    """Return the memory of this process alone, without pages of files."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    [kilobytes] = [line.split()[1] for line in lines if line.startswith("RssAnon:")]
    return int(kilobytes) / 1_000


def forget(ranker: DeepRanker, n_left: int) -> None:
    """Leave the deep model the `n_left` vectors in memory that it used last."""
    before, ranker._vectors = ranker._vectors, DeepRanker()._vectors
    keys = before.keys[len(before.keys) - n_left :]
    ranker._vectors.put({key: before.get(key) for key in keys})


def opened(root: Path, settings: Settings) -> Engine:
    engine = Engine.open(root, settings)
    engine.settled()
    engine.search(Query("load the model that reads hits", deep=True, budget=PATIENT))
    return engine


def measure(root: Path, n_questions: int) -> dict[str, object]:
    questions = [Query(row[0]) for row in rows("questions.tsv")[:n_questions]]
    deep = [replace(query, deep=True, budget=PATIENT) for query in questions]
    times, loaded = defaultdict(list), loading()
    engine, n_read = opened(root, settings_from({"index.persist": False})), 0
    ranker = engine.index.models.deep
    assert ranker is not None, "the setting search.deep is off"
    for query, deep_query in zip(questions, deep, strict=True):
        engine.search(query)
        times["search alone"].append(timed(partial(engine.search, query)))
        forget(ranker, 0)
        times["cold"].append(timed(partial(engine.search, deep_query)))
        n_read = len(ranker._vectors.keys)
        forget(ranker, max(0, n_read - N_NEW))
        times["8 new"].append(timed(partial(engine.search, deep_query)))
        times["warm"].append(timed(partial(engine.search, deep_query)))
    n_nodes = engine.snapshot.n_nodes
    engine.close()
    for _ in range(2):
        engine = opened(root, Settings())
        for query in questions:
            engine.search(query)
        times["restarted"] = [timed(partial(engine.search, query)) for query in deep]
        engine.close()
    alone = times.pop("search alone")
    added = {
        stage: summary([(a[0] - b[0], a[1] - b[1]) for a, b in zip(each, alone, strict=True)])
        for stage, each in times.items()
    }
    head = {"code_nodes": n_nodes, "questions": n_questions, "hits_read": n_read, "loading": loaded}
    return {**head, "search alone": summary(alone), **added}


def summary(times: list[tuple[float, float]]) -> dict[str, float]:
    processor, wall = (round(statistics.median(each), 1) for each in zip(*times, strict=True))
    return {"processor": processor, "wall": wall}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=int, default=12)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(PACKHOUND_CACHE_DIR=f"{folder}/cache", PACKHOUND_DATA_DIR=folder)
        figures = measure(arguments.folder.resolve(), arguments.questions)
    print(json.dumps(figures, indent=1))
    save(RESULTS, figures)


if __name__ == "__main__":
    main()
