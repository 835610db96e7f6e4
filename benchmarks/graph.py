"""From how many vectors on hnswlib's graph answers faster than the exact scan.

Run: python -m benchmarks.graph FOLDER ... [--sizes 25000,50000,100000,200000]
The vectors are those of the folders' code, and copies of them with a little noise up to each size.
Each query is asked of both in turn, as a search does: all cosines by the scan; by the graph 110
neighbours, and the cosines of 2,400 candidates. Times are of the processor, so that a busy machine
does not change them. Results go to benchmarks/results/graph.json.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.stored import save
from packhound.core.arrays import Floats, unit_rows
from packhound.core.settings_reader import settings_from
from packhound.encoder import Embedder
from packhound.index.vectors.exact import Vectors
from packhound.index.vectors.hnsw import build_graph
from packhound.index.vectors.quantization import quantize, scales_of
from packhound.index.vectors.vector_column import VectorColumn
from packhound.service import Engine

RESULTS = Path(__file__).parent / "results" / "graph.json"
QUERIES = Path(__file__).parent / "queries.json"
NEIGHBOURS, CANDIDATES, N_QUERIES = 110, 2_400, 200
NOISE = 0.6
"""Length of the noise on a copy beside that of its vector, 1."""


def vectors_of(folder: Path) -> Floats:
    engine = Engine.open(folder, settings_from({"index.persist": False}))
    try:
        engine.settled()
        engine.flush()
        vectors = engine.snapshot.vectors
        return vectors.rows(np.flatnonzero(vectors.usable))
    finally:
        engine.close()


def enlarged(rows: Floats, n: int) -> Floats:
    """`n` vectors: those there are, then noisy copies."""
    rng = np.random.default_rng(1)
    copies = rows[rng.integers(0, len(rows), max(0, n - len(rows)))]
    noise = rng.standard_normal(copies.shape).astype(np.float32) * NOISE / rows.shape[1] ** 0.5
    return np.concatenate((rows[:n], unit_rows(copies + noise)))


def as_column(rows: Floats) -> Vectors:
    column = VectorColumn(rows.shape[1])
    codes = quantize(rows)
    column.append(0, codes, scales_of(codes))
    usable = np.ones(len(rows), np.bool_)
    return Vectors(column.dim, tuple(column.blocks), usable.astype(np.uint8), usable, usable)


def ms(call: Callable[[], object]) -> float:
    start = time.thread_time()
    call()
    return (time.thread_time() - start) * 1_000


def measure(vectors: Vectors, queries: Sequence[Floats]) -> dict[str, float]:
    build_start = time.process_time()
    graph = build_graph(vectors, 1.0)
    build_s = time.process_time() - build_start
    indexed = replace(vectors, graph=graph)
    rng = np.random.default_rng(2)
    scans, lookups = [], []
    for query in queries:
        candidates = np.sort(rng.choice(len(vectors.usable), CANDIDATES, False)).astype(np.int32)

        def look_up(query: Floats = query, candidates: np.ndarray = candidates) -> None:
            indexed.nearest(query, NEIGHBOURS)
            indexed.similarities(query, candidates)

        scans.append(ms(lambda query=query: vectors.nearest(query, NEIGHBOURS)))
        lookups.append(ms(look_up))
    scan, lookup = float(np.median(scans)), float(np.median(lookups))
    return {
        "vectors": len(vectors.usable),
        "scan_ms": round(scan, 3),
        "graph_ms": round(lookup, 3),
        "graph_over_scan": round(lookup / scan, 3),
        "recall_at_10": round(graph.recall, 4),
        "build_s_of_a_core": round(build_s, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--sizes", default="25000,50000,100000,200000")
    options = parser.parse_args()
    rows = np.concatenate([vectors_of(folder) for folder in options.folders])
    print(f"{len(rows):,} vectors of code", file=sys.stderr)
    encoder = Embedder.open(None)
    texts = json.loads(QUERIES.read_text("utf-8"))[:N_QUERIES]
    queries = [encoder.encode_query(text) for text in texts]
    results = []
    for size in map(int, options.sizes.split(",")):
        results.append(measure(as_column(enlarged(rows, size)), queries))
        print(json.dumps(results[-1]))
    save(RESULTS, {"code": len(rows), "sizes": results})


if __name__ == "__main__":
    main()
