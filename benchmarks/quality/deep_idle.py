"""Measure the gain of reading in idle time for deep searches, and its cost for an edit.

Run: python -m benchmarks.quality.deep_idle --suite SUITE=CORPORA ... --folder FOLDER
Gives: of the 50 hits that each question has read, the share that was read in advance, by how many
nodes are (`deep.idleNodes`). Costs: milliseconds from an edit to the answer of a search after it,
while the model reads in idle time and without that, one after the other over two copies of FOLDER.
Results go to results/deep_idle.json.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from benchmarks.stored import save
from packhound.core.settings_reader import settings_from
from packhound.core.types import Budget, Document, Query
from packhound.indexing import Timing
from packhound.search import DeepRanker, parse_query
from packhound.service import Engine
from packhound.service.deep_filling import likely_nodes

RESULTS = Path(__file__).parent / "results" / "deep_idle.json"
SIZES = (500, 1_000, 2_000, 5_000)
DEPTH = 50
PATIENT = Budget(60_000)
SOON = Timing(deep_idle_s=0.3, deep_poll_s=0.3)


def shares(suite: Path, corpora: Path) -> dict[str, dict[str, float]]:
    """The number of nodes and the shares of each repository of a suite."""
    figures = {}
    for file in sorted(suite.glob("*.jsonl")):
        cases = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        engine = Engine.open(
            corpora / file.stem / cases[0]["root"], settings_from({"index.persist": False})
        )
        engine.settled()
        hits = [
            hit.node.node_id
            for query in (Query(case["query"], DEPTH, budget=PATIENT) for case in cases)
            if DeepRanker().applies(parse_query(query))
            for hit in engine.search(query).hits
        ]
        snapshot = engine.snapshot
        read = {n: set(likely_nodes(snapshot, n, ()).tolist()) for n in SIZES}
        figures[file.stem] = {"nodes": snapshot.n_nodes} | {
            str(n): round(sum(hit in read[n] for hit in hits) / len(hits), 3) for n in SIZES
        }
        engine.close()
    return figures


def costs(folder: Path, n_edits: int) -> dict[str, float]:
    """The median milliseconds of an edit and a search, with and without reading in idle time."""
    times = defaultdict[str, list[float]](list)
    with tempfile.TemporaryDirectory() as temporary:
        engines = {}
        for name, n_nodes in (("with", 20_000), ("without", 0)):
            copy = Path(temporary, name)
            shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".git"))
            engines[name] = Engine.open(
                copy, settings_from({"deep.idleNodes": n_nodes}), timing=SOON
            )
        for engine in engines.values():
            engine.settled()
            engine.prepare().join()
        path = max(engines["with"].snapshot.files, key=lambda p: p.endswith(".py"))
        source = (folder / path).read_bytes()
        for number in range(n_edits):
            time.sleep(5 * SOON.deep_idle_s)  # So that it reads when the edit comes.
            for name in sorted(engines, reverse=number % 2 > 0):
                engine = engines[name]
                text = source + b"\n\ndef added_%d(parcel):\n    return parcel\n" % number
                started = time.perf_counter()
                engine.update(Document(path, text))
                hits = engine.search(Query(f"added_{number}", budget=PATIENT)).hits
                times[name].append((time.perf_counter() - started) * 1_000)
                assert hits[0].node.name == f"added_{number}"
        n_read, n_nodes = engines["with"].status().deep_vectors or (0, 0)
        for engine in engines.values():
            engine.close()
    assert n_read < n_nodes, "all nodes were read: take a larger folder"
    medians = {name: round(statistics.median(each), 2) for name, each in times.items()}
    return {"edits": n_edits, **medians, "ratio": round(medians["with"] / medians["without"], 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", action="append", required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--edits", type=int, default=40)
    options = parser.parse_args()
    gains = {}
    for suite in options.suite:
        folder, corpora = map(Path, suite.split("=", 1))
        gains[folder.name] = shares(folder, corpora)
    means = {
        str(n): round(
            statistics.mean(row[str(n)] for each in gains.values() for row in each.values()), 3
        )
        for n in SIZES
    }
    results = {
        "share of hits read in advance": {"mean": means, **gains},
        "edit and search, milliseconds": costs(options.folder, options.edits),
    }
    print(json.dumps(results, indent=1))
    save(RESULTS, results)


if __name__ == "__main__":
    main()
