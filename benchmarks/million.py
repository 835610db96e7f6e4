"""A folder of a million definitions: reading it, starting over it, searches, edits, memory, disk.

    python -m benchmarks.million SOURCE [--copies 22] [--corpus FOLDER] [--save]

SOURCE is a folder of some 46,000 nodes; it is copied as by `benchmarks/synthetic.py`, unless
FOLDER has the copies already. One process reads all of it and ends; another starts over the index
on disk, waits until the graph of neighbours is built, searches and edits. Searches are traced,
which costs 2 % of them, for the times of their stages. Times are of the clock, with those of the
processor beside them, which a busy machine changes less; those of stages are of the clock alone.
Memory is anonymous memory, parsers apart.
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
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.search_speed import graded_queries
from benchmarks.stages import add, described
from benchmarks.stored import save
from benchmarks.synthetic import make_copies
from packhound.core import trace
from packhound.core.settings import GRAPH_FROM
from packhound.core.settings_reader import settings_from
from packhound.core.types import Budget, Document, Query
from packhound.index.vectors.hnsw import graph_problem
from packhound.service import Engine

RESULTS = Path(__file__).parent / "results" / "million.json"
_SAMPLE_S = 0.05
_POLL_S = 1.0
_PAUSE_S = 0.2
"""Between opening a file and the first key; nobody types sooner."""
_NO_LIMIT = Budget(time_ms=60_000.0)
"""A busy machine takes longer than the second that a search has otherwise."""
_CLOCKS = (time.perf_counter, time.process_time)


def main() -> None:
    """Measure and print; keep the figures where asked to."""
    options = _options()
    if options.step:
        print(json.dumps(_STEPS[options.step](options)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        corpus = options.corpus or Path(scratch) / "corpus"
        if not corpus.exists():
            make_copies(options.source, corpus, options.copies)
        cache = options.cache or Path(scratch) / "cache"
        figures: dict[str, Any] = {"cores": os.cpu_count()}
        for step in _STEPS:
            figures |= _run(step, corpus, cache, options)
            print(json.dumps(figures, indent=1), flush=True)
    if options.save:
        save(RESULTS, figures)


def _run(step: str, corpus: Path, cache: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of a step, in a process of its own."""
    sizes = ["--queries", str(options.queries), "--edits", str(options.edits)]
    command = [sys.executable, "-m", "benchmarks.million", str(corpus), "--step", step, *sizes]
    environment = os.environ | {"PACKHOUND_CACHE_DIR": str(cache)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def read(options: argparse.Namespace) -> dict[str, Any]:
    """Read a folder that was never read, and save its index."""
    peak = _Peak()
    before = [clock() for clock in _CLOCKS]
    engine = _open(options.source)
    engine.settled()
    seconds, cpu = (clock() - b for clock, b in zip(_CLOCKS, before, strict=True))
    status = engine.status()
    engine.close()
    cache = Path(os.environ["PACKHOUND_CACHE_DIR"])
    n_bytes = sum(path.stat().st_size for path in cache.rglob("*") if path.is_file())
    children = os.times()
    return {
        "files": status.files,
        "nodes": status.nodes,
        "read": {
            "s": round(seconds, 1),
            "processor_s": round(cpu, 1),
            "parsers_processor_s": round(children.children_user + children.children_system, 1),
            "peak_mb": peak.mb(),
        },
        "disk_bytes_a_node": round(n_bytes / status.nodes),
    }


def serve(options: argparse.Namespace) -> dict[str, Any]:
    """Start over the index on disk, search by kind of query, edit, and say what memory it takes."""
    peak = _Peak()
    figures: dict[str, Any] = {}
    before = [clock() for clock in _CLOCKS]
    engine = _open(options.source)
    engine.search(Query("settle", budget=_NO_LIMIT))
    figures["start"] = {
        name: round(clock() - b, 2)
        for name, clock, b in zip(("s", "processor_s"), _CLOCKS, before, strict=True)
    }
    engine.settled()
    _wait_for_graph(engine)
    figures["graph"] = {
        name: round(clock() - b, 1)
        for name, clock, b in zip(("s", "processor_s"), _CLOCKS, before, strict=True)
    }
    figures["dense"] = engine.status().dense
    figures["search_ms"], figures["stages_ms"] = {}, {}
    for kind, texts in _queries(engine, options.queries).items():
        stages: dict[str, list[float]] = defaultdict(list)
        figures["search_ms"][kind] = _spread(_taken(engine, texts, stages))
        figures["stages_ms"][kind] = {
            name: described(ms) for name, ms in stages.items() if len(ms) > 1
        }
    figures["serving_mb"] = anonymous_mb()
    figures["edit_ms"] = _spread([*_edits(engine, options.source, options.edits)])
    figures["peak_serving_mb"] = peak.mb()
    figures["bytes_of_memory_a_node"] = round(figures["serving_mb"] * 1e6 / engine.status().nodes)
    engine.close()
    return figures


_STEPS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {"read": read, "serve": serve}


def _open(folder: Path) -> Engine:
    # Without the history, which copies have none of.
    return Engine.open(folder.resolve(), settings_from({"ranking.gitHistory": False}))


def _wait_for_graph(engine: Engine) -> None:
    """Wait until the graph is built in which neighbours are looked for, if there is to be one."""
    while True:
        status = engine.status()
        is_wanted = status.vectors >= GRAPH_FROM and graph_problem() is None
        if not status.pending_vectors and (status.dense != "exact" or not is_wanted):
            return
        time.sleep(_POLL_S)


def _queries(engine: Engine, n: int) -> dict[str, list[str]]:
    """Return queries by kind; one of each warms up."""
    names = sorted({name for name in engine.snapshot.name_table.names if len(name) > 3})
    by_kind = {"questions": list[str](), "messages": list[str]()}
    for kind, text in graded_queries(4 * n):
        by_kind[kind].append(text)
    by_kind["names"] = random.Random(0).sample(names, n + 1)
    return {kind: texts[: n + 1] for kind, texts in by_kind.items()}


def _taken(
    engine: Engine, texts: list[str], stages: dict[str, list[float]]
) -> Iterator[tuple[float, float]]:
    """Yield the time of each search but the first, and add those of its stages."""
    engine.search(Query(texts[0], budget=_NO_LIMIT))
    for text in texts[1:]:
        before = [clock() for clock in _CLOCKS]
        with trace.recording() as spans:
            engine.search(Query(text, budget=_NO_LIMIT))
        wall, cpu = (1e3 * (clock() - b) for clock, b in zip(_CLOCKS, before, strict=True))
        add(stages, spans)
        yield wall, cpu


def _edits(engine: Engine, folder: Path, n: int) -> Iterator[tuple[float, float]]:
    """Yield the time from each of `n` edits, in files all over the folder, until it is found."""
    paths = sorted(path for path in engine.snapshot.files if path.endswith(".ts"))
    for number in range(n):
        path = paths[number * len(paths) // n]
        text = (folder / path).read_text("utf-8", "replace")
        engine.update(Document(path, text.encode()))
        engine.search(Query("settle", budget=_NO_LIMIT))
        time.sleep(_PAUSE_S)
        word = f"packhoundprobe{'abcdefghij'[number % 10]}{'klmnopqrst'[number // 10 % 10]}"
        before = [clock() for clock in _CLOCKS]
        engine.update(Document(path, f"{text}\n// {word}\n".encode()))
        hits = engine.search(Query(word, budget=_NO_LIMIT)).hits
        wall, cpu = (1e3 * (clock() - b) for clock, b in zip(_CLOCKS, before, strict=True))
        if not hits or hits[0].node.path != path:
            raise SystemExit(f"the edit of {path} is not first")
        yield wall, cpu
        engine.release(path)


def _spread(taken: Any) -> dict[str, float]:  # noqa: ANN401 - pairs of milliseconds
    figures = {}
    for name, values in zip(("", "processor_"), zip(*taken, strict=True), strict=True):
        figures[f"{name}p50"] = round(statistics.median(values), 1)
        figures[f"{name}p95"] = round(statistics.quantiles(values, n=20)[-1], 1)
    return figures


def anonymous_mb() -> int:
    """Return the anonymous memory of this process."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    [kilobytes] = (line.split()[1] for line in lines if line.startswith("RssAnon"))
    return int(kilobytes) * 1024 // 1_000_000


class _Peak:
    """The most anonymous memory of this process, looked at many times a second."""

    def __init__(self) -> None:
        self._mb = 0
        threading.Thread(target=self._follow, daemon=True).start()

    def mb(self) -> int:
        """Return the most so far."""
        return self._mb

    def _follow(self) -> None:
        while True:
            self._mb = max(self._mb, anonymous_mb())
            time.sleep(_SAMPLE_S)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("--copies", type=int, default=22)
    parser.add_argument("--corpus", type=Path, help="where the copies are, or are to be")
    parser.add_argument("--cache", type=Path, help="where the index is to be")
    parser.add_argument("--queries", type=int, default=100, help="of each kind")
    parser.add_argument("--edits", type=int, default=40)
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--step", choices=("read", "serve"), help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
