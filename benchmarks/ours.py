"""One measured step of Packhound in a process of its own, for `benchmarks.speed`.

    python -m benchmarks.ours cold|warm|query|graph FOLDER

Prints one JSON object: `ms` runs from before the imports to the first answer. `cold` ends when the
index is on disk; `graph` is `query` once the HNSW graph stands, which 42,000 nodes do not get;
`peak_mb` is of this process, `workers_peak_mb` of its largest child.
"""

from __future__ import annotations

import time

BEGAN = time.perf_counter()

import json  # noqa: E402
import resource  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402

QUERIES = json.loads((Path(__file__).parent / "queries.json").read_text())


def main() -> None:
    step, folder = sys.argv[1:]
    from packhound.core.types import Query
    from packhound.service.engine import Engine

    engine = Engine.open(Path(folder))
    if step != "warm":
        engine.settled()
    engine.search(Query(QUERIES[0]))
    report: dict[str, object] = {"ms": (time.perf_counter() - BEGAN) * 1e3}
    while step == "graph" and engine.status().dense != "hnsw":
        time.sleep(0.1)
    if step in ("query", "graph"):
        report["query_ms"] = [timed(engine, Query(q)) for q in QUERIES[1:]]
    report["nodes"] = engine.status().nodes
    engine.close()
    if step == "cold":
        report["ms"] = (time.perf_counter() - BEGAN) * 1e3
    for name, who in (("peak_mb", "RUSAGE_SELF"), ("workers_peak_mb", "RUSAGE_CHILDREN")):
        report[name] = resource.getrusage(getattr(resource, who)).ru_maxrss / 1024
    print(json.dumps(report))


def timed(engine, query) -> float:  # noqa: ANN001
    began = time.perf_counter()
    engine.search(query)
    return (time.perf_counter() - began) * 1e3


if __name__ == "__main__":
    main()
