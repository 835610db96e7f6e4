"""Time searches of this checkout beside those of another, taking turns.

    python -m benchmarks.search_speed FOLDER --before CHECKOUT [--queries 240] [--rounds 3]

Both index FOLDER, then answer the same queries in turns: the graded ones of `quality/nodes`, names
of FOLDER's definitions, and error messages. A query counts with the least time of its rounds, since
others use the machine too. Writes benchmarks/results/search_speed.json; times in milliseconds.
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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.stored import save

HERE = Path(__file__).parent
RESULT = HERE / "results" / "search_speed.json"
MESSAGE = "c"


def main() -> None:
    options = _options()
    if options.serve:
        serve(options.folder)
        return
    with tempfile.TemporaryDirectory() as scratch:
        before = Side(options.before, options.folder, Path(scratch) / "before")
        now = Side(HERE.parent, options.folder, Path(scratch) / "now")
        report = measure(before, now, options.queries, options.rounds)
    print(json.dumps(report, indent=1))
    save(RESULT, report)


class Side:
    """A process that searches with the code of one checkout."""

    def __init__(self, checkout: Path, folder: Path, cache: Path) -> None:
        path = f"{checkout / 'server'}{os.pathsep}{HERE.parent}"
        environment = {"PYTHONPATH": path, "PACKHOUND_CACHE_DIR": str(cache)}
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(folder), "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
        )
        git = ["git", "-C", str(checkout), "log", "-1", "--format=%h %s"]
        self.commit = subprocess.run(git, capture_output=True, text=True).stdout.strip()
        self.nodes, self.names = self._read()

    def search_ms(self, query: str) -> float:
        """Return how long a search took."""
        assert self._process.stdin
        print(json.dumps(query), file=self._process.stdin, flush=True)
        return self._read()

    def _read(self) -> Any:  # noqa: ANN401 - what JSON holds
        assert self._process.stdout
        return json.loads(self._process.stdout.readline())


def serve(folder: Path) -> None:
    """Answer each query of standard input with its time."""
    from packhound.core.settings import Settings
    from packhound.core.types import Query
    from packhound.service.engine import Engine

    engine = Engine.open(folder.resolve(), Settings())
    engine.settled()
    snapshot = engine.snapshot
    names = random.Random(0).sample(sorted({n for n in snapshot.names if len(n) > 3}), 400)
    print(json.dumps([snapshot.n_nodes, names]), flush=True)
    for line in sys.stdin:
        query = Query(json.loads(line))
        start = time.perf_counter()
        engine.search(query)
        print((time.perf_counter() - start) * 1e3, flush=True)
    engine.close()


def measure(before: Side, now: Side, n_queries: int, n_rounds: int) -> dict[str, object]:
    """Return the figures of each kind of query."""
    queries = [*graded_queries(n_queries), *(("names", name) for name in now.names)]
    queries = queries[: n_queries + n_queries // 3]
    times: dict[tuple[str, str], list[list[float]]] = {}
    for number in range(n_rounds):
        for position, pair in enumerate(queries):
            sides = (before, now) if (position + number) % 2 else (now, before)
            taken = {side: side.search_ms(pair[1]) for side in sides}
            times.setdefault(pair, []).append([taken[before], taken[now]])
    report: dict[str, object] = {
        "command": f"python -m benchmarks.search_speed FOLDER --before CHECKOUT --queries"
        f" {n_queries} --rounds {n_rounds}",
        "before": before.commit,
        "now": now.commit,
        "nodes": {"before": before.nodes, "now": now.nodes},
    }
    for kind in ("questions", "names", "messages"):
        rows = [[min(x) for x in zip(*t, strict=True)] for (k, _), t in times.items() if k == kind]
        report[kind] = figures(rows)
    return report


def graded_queries(n_queries: int) -> Iterator[tuple[str, str]]:
    """Yield the kind and text of queries drawn from the graded ones."""
    files = sorted((HERE / "quality" / "nodes").glob("*/*.jsonl"))
    cases = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    for case in random.Random(0).sample(cases, n_queries):
        yield ("messages" if case["kind"] == MESSAGE else "questions"), case["query"]


def figures(rows: list[list[float]]) -> dict[str, object]:
    """Return p50 and p95 before and now, and the median of the queries' ratios."""
    report: dict[str, object] = {"queries": len(rows)}
    for column, side in enumerate(("before", "now")):
        values = [row[column] for row in rows]
        p95 = statistics.quantiles(values, n=20)[-1]
        report[side] = {"p50": round(statistics.median(values), 2), "p95": round(p95, 2)}
    report["ratio"] = round(statistics.median(now / before for before, now in rows), 3)
    return report


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--before", type=Path, help="checkout of the other commit")
    parser.add_argument("--queries", type=int, default=240)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
