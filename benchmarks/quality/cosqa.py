"""Mean reciprocal rank on CoSQA's development half, without and with the deep model.

    python -m benchmarks.quality.cosqa QUERIES.json POOL --cache DIR

QUERIES is a list of {"query", "function"}, POOL the repository's data/search/code_idx_map.txt
(https://github.com/Jun-jie-Huang/CoCLR: code -> number). One file a function, 100 hits.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.quality.corpora import snapshot_of
from benchmarks.quality.fit_deep import node_text_of
from benchmarks.stored import save
from packhound.core.types import Budget, Query, Results
from packhound.encoder import DeepEncoder, Embedder
from packhound.search import DeepRanker, SearchCache, SearchEnvironment, Stage
from packhound.search.pipeline import search

RESULTS = Path(__file__).parent / "results" / "cosqa.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("queries", type=Path)
    parser.add_argument("pool", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    options = parser.parse_args()
    root = options.cache / "cosqa"
    root.mkdir(parents=True, exist_ok=True)
    for code, number in json.loads(options.pool.read_text("utf-8")).items():
        (root / f"f{number}.py").write_text(code, "utf-8")
    embedder, encoder, cache = Embedder.open(), DeepEncoder.open(), SearchCache()
    snapshot = snapshot_of(root, embedder, options.cache)
    ranks: dict[str, list[float]] = {}
    variants: dict[str, tuple[Stage, ...]] = {
        "without": (),
        "with": (DeepRanker(lambda: encoder),),
    }
    for case in json.loads(options.queries.read_text("utf-8")):
        query = Query(case["query"], 100, budget=Budget(60_000))
        for name, stages in variants.items():
            environment = SearchEnvironment(
                str(root), embedder, cache, stages=stages, text_of=partial(node_text_of, root)
            )
            results = search(snapshot, query, environment)
            ranks.setdefault(name, []).append(reciprocal_rank(results, f"f{case['function']}.py"))
    gains = np.subtract(ranks["with"], ranks["without"])
    figures = {name: round(float(np.mean(values)), 4) for name, values in ranks.items()}
    error = round(float(gains.std() / np.sqrt(len(gains))), 4)
    result = {"mean reciprocal rank": figures, "standard error of the gain": error}
    save(RESULTS, {**result, "queries": len(gains)})
    print(json.dumps(result))


def reciprocal_rank(results: Results, path: str) -> float:
    paths = list(dict.fromkeys(hit.node.path for hit in results.hits))
    return 1 / (paths.index(path) + 1) if path in paths else 0.0


if __name__ == "__main__":
    main()
