"""From how many vectors on hnswlib's graph answers faster than the exact scan.

Run: python -m benchmarks.graph FOLDER ... [--sizes 25000,50000,100000,200000] [--edits 100000]
The vectors are those of the folders' code, and copies of them with a little noise up to each size.
Each query is asked of both in turn, as a search does: all cosines by the scan; by the graph 110
neighbours, and the cosines of 2,400 candidates. Times are of the processor, so that a busy machine
does not change them. Then an index of 50,000 nodes has so many replaced, ten a publication, while
its maintenance goes on as ever, and its graph's recall against the scan is that of all queries.
Results go to benchmarks/results/graph.json.
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
from packhound.index.maintenance import Limits
from packhound.index.vectors.exact import Vectors
from packhound.index.vectors.hnsw import build_graph
from packhound.index.vectors.quantization import quantize, scales_of
from packhound.index.vectors.vector_column import VectorColumn
from packhound.index.writer import Index
from packhound.parsing import NodeRuns
from packhound.service import Engine
from tests.support.index_corpus import file, stamp

RESULTS = Path(__file__).parent / "results" / "graph.json"
QUERIES = Path(__file__).parent / "queries.json"
NEIGHBOURS, CANDIDATES, N_QUERIES = 110, 2_400, 200
EDITED, NODES_OF_FILE, EDITS_AT_ONCE = 50_000, 20, 10
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


class RowsByNumber:
    """The encoder of an index whose texts are the numbers of rows."""

    fast, reads_runs = True, False

    def __init__(self, rows: Floats) -> None:
        self.rows, self.dim = rows, rows.shape[1]

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return the rows whose numbers are the last words of the texts."""
        return self.rows[[int(text.split()[-1]) for text in texts]]

    def encode_runs(self, nodes: NodeRuns) -> Floats:
        """Raise, since it reads texts."""
        raise AssertionError("it reads texts")


def recall_after_edits(rows: Floats, n_edits: int, queries: Sequence[Floats]) -> dict[str, object]:
    """Replace nodes one by one, and compare the graph with the scan at the end."""
    rng = np.random.default_rng(3)
    index = Index(RowsByNumber(enlarged(rows, EDITED + n_edits)), limits=Limits(graph_from=1_000))
    files = np.arange(EDITED).reshape(-1, NODES_OF_FILE)
    put(index, files, range(len(files)))
    while index.maintain() or index.maintenance_running:
        index.publish()
        time.sleep(0.01)
    n_rebuilds = 0
    for first in range(EDITED, EDITED + n_edits, EDITS_AT_ONCE):
        edited = rng.integers(0, len(files), EDITS_AT_ONCE)
        files[edited, rng.integers(0, NODES_OF_FILE, EDITS_AT_ONCE)] = [
            *range(first, first + EDITS_AT_ONCE)
        ]
        put(index, files, np.unique(edited).tolist())
        graph = index.snapshot.vectors.graph
        if index.maintain():
            after = index.publish().vectors.graph
            n_rebuilds += len(after.node_id_of) < len(graph.node_id_of)
    snapshot, n_hits = index.snapshot, 0
    scan = replace(snapshot.vectors, graph=None)
    for query in queries:
        truth = scan.nearest(query, 10)[1]
        n_hits += int(np.count_nonzero(snapshot.nearest(query, 10)[1] >= truth[-1]))
    index.close()
    return {
        "nodes": EDITED,
        "edits": n_edits,
        "recall_at_10": round(n_hits / (10 * len(queries)), 4),
        "graphs_built_meanwhile": n_rebuilds,
    }


def put(index: Index, files: np.ndarray, numbers: Sequence[int]) -> None:
    """Put some files, whose nodes are numbers of rows, into an index and publish it."""
    texts = {
        f"{n}.py": "\n".join(f"function f{row}: {row}" for row in files[n].tolist())
        for n in numbers
    }
    index.replace([file(*each) for each in texts.items()], dict.fromkeys(texts, stamp()))
    index.publish()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--sizes", default="25000,50000,100000,200000")
    parser.add_argument("--edits", type=int, default=100_000)
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
    edited = recall_after_edits(rows, options.edits, queries)
    print(json.dumps(edited))
    save(RESULTS, {"code": len(rows), "sizes": results, "edited": edited})


if __name__ == "__main__":
    main()
