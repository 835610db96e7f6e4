"""Fit the weight of the deep similarity, and measure what it adds.

    python -m benchmarks.quality.fit_deep --suite SUITE=CORPORA ... --held-out SUITE=CORPORA \
        --cache DIR [--write]

Suites are as in fit_nodes.py. The first pass of a query is made by weights of other repositories,
those of the held-out suite by the weights of the product. Its best 50 nodes have the cosine to the
query added, times a weight for each kind of query that is chosen on other repositories too, by
NDCG@10. Vectors are in DIR, one file a repository, so a run that was ended goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timezone
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.corpora import snapshot_of
from benchmarks.quality.fit_nodes import N_FOLDS, RANK, fit
from benchmarks.quality.node_examples import (
    FILE_NAMES,
    NODE_NAMES,
    Example,
    Floats,
    contexts_of,
    load,
    score,
)
from benchmarks.stored import save
from packhound.core.caching import BoundedMemo
from packhound.core.types import Budget, NodeRef, Query
from packhound.encoder.deep_encoder import DeepEncoder, node_text
from packhound.encoder.embedder import Embedder
from packhound.files.reader import read_text
from packhound.search import SearchCache, SearchEnvironment
from packhound.search.pipeline import search
from packhound.search.rank.deep import DeepRanker
from packhound.search.signals.context import SignalContext

RESULTS = Path(__file__).parent / "results" / "deep.json"
DEPTH = 50
MEASURES = ("ndcg@10", "s@1", "s@5", "r3@10")

TRANSFORMATIONS: dict[str, Callable[[Floats], Floats]] = {
    "cosine": lambda cosines: cosines,
    "standardized": lambda cosines: (cosines - cosines.mean()) / max(cosines.std(), 1e-6) / 10,
    "reciprocal rank": lambda cosines: 5 / (10.0 + np.argsort(np.argsort(-cosines))),
}
WEIGHTS = np.arange(0, 20.5, 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", action="append", required=True)
    parser.add_argument("--held-out", required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    suites = [*options.suite, options.held_out]
    examples = load(suites, options.cache)
    held_out = {e for e in examples if e.suite == Path(options.held_out.split("=")[0]).name}
    training = [e for e in examples if e not in held_out]
    scores = first_pass(training, held_out)
    cosines = similarities(suites, examples, scores, options.cache)
    figures = {
        name: figures_of(training, held_out, scores, {e: f(c) for e, c in cosines.items()})
        for name, f in TRANSFORMATIONS.items()
    }
    times = milliseconds(options.held_out, options.cache)
    print(json.dumps({"figures": figures, "milliseconds": times}, indent=1))
    if options.write:
        report = {
            "command": "python -m benchmarks.quality.fit_deep --suite nodes_dev=dev"
            " --suite nodes/train=corpora --held-out nodes/dev=corpora --cache cache --write",
            "data": f"{len(training)} graded queries, {len(held_out)} held out",
            "date": datetime.now(timezone.utc).date().isoformat(),
            "figures": figures,
            "processor milliseconds of one search, the best of its runs": times,
        }
        save(RESULTS, report)


def first_pass(training: Sequence[Example], held_out: set[Example]) -> dict[Example, Floats]:
    """The scores of all candidates without the model."""
    scores = {}
    for fold in folds(training):
        weights = fit([e for e in training if e.repository not in fold], "hybrid")
        of_fold = (e for e in training if e.repository in fold)
        scores |= {e: e.signals @ weights for e in of_fold}
    sets = json.loads((RANK / "node_weights.json").read_text("utf-8"))["sets"]["hybrid"]
    parts = sets["question"]
    file_weights = [parts["file"].get(name, 0.0) for name in FILE_NAMES]
    node_weights = [parts["node"].get(name, 0.0) for name in NODE_NAMES]
    for example in held_out:
        scores[example] = example.signals @ np.array(file_weights + node_weights)
    return scores


def folds(examples: Sequence[Example]) -> Iterator[set[str]]:
    repositories = sorted({e.repository for e in examples})
    np.random.default_rng(0).shuffle(repositories)
    return (set(repositories[i::N_FOLDS]) for i in range(N_FOLDS))


def similarities(
    suites: Sequence[str], examples: Sequence[Example], scores: dict[Example, Floats], cache: Path
) -> dict[Example, Floats]:
    """The cosines of each query to the best nodes of its first pass."""
    embedder, model, cosines = Embedder.open(), DeepEncoder.open(), dict[Example, Floats]()
    for number, suite in enumerate(suites):
        folder, corpora = (Path(part) for part in suite.split("=", 1))
        for file in sorted(folder.glob("*.jsonl")):
            queries = [e for e in examples if e.suite == folder.name and e.repository == file.stem]
            cached = cache / f"deep-{number}-{file.stem}.json"
            if not cached.exists():
                contexts = contexts_of(file, corpora, embedder, cache)
                rows, texts = [], _Texts(corpora / file.stem)
                vectors = BoundedMemo(model.encode, 100_000)
                for example, (case, context) in zip(queries, contexts, strict=True):
                    query = model.encode(context.query.text)
                    nodes = context.candidates.node_ids[best(scores[example])]
                    rows.append([float(query @ vectors[t]) for t in texts.of(case, context, nodes)])
                cached.write_text(json.dumps(rows), "utf-8")
                print(file.stem, len(rows), file=sys.stderr, flush=True)
            rows = json.loads(cached.read_text("utf-8"))
            cosines |= {e: np.array(row) for e, row in zip(queries, rows, strict=True)}
    return cosines


class _Texts:
    """What the model reads of the nodes of one repository."""

    def __init__(self, folder: Path) -> None:
        self._sources = BoundedMemo(lambda key: read_text(folder / key[0], key[1]) or b"", 10_000)

    def of(self, case: dict, context: SignalContext, node_ids: Sequence[int]) -> Iterator[str]:
        for node_id in node_ids:
            node = context.snapshot.ref(int(node_id), "")
            source = self._sources[case["root"] or "", node.path]
            text = source[node.span.start : node.span.end].decode("utf-8", "replace")
            yield node_text(node.qualname, text)


def best(scores: Floats) -> NDArray[np.intp]:
    """The candidates that are read."""
    return np.argsort(-scores, kind="stable")[:DEPTH]


def figures_of(
    training: Sequence[Example],
    held_out: set[Example],
    scores: dict[Example, Floats],
    values: dict[Example, Floats],
) -> dict[str, object]:
    """The fitted weights, and quality without and with the model."""
    table = {e: scores_by_weight(e, scores[e], values[e]) for e in values}
    chosen: dict[Example, int] = {}
    for fold in folds(training):
        weights = choose([e for e in training if e.repository not in fold], table)
        chosen |= {e: weights.get(e.kind, 0) for e in training if e.repository in fold}
    weights = choose(training, table)
    chosen |= {e: weights.get(e.kind, 0) for e in held_out}
    result: dict[str, object] = {"weights": {k: float(WEIGHTS[w]) for k, w in weights.items()}}
    for suite in sorted({e.suite for e in table}):
        queries = [e for e in table if e.suite == suite]
        result[suite] = {
            kind: compare([table[e][0] for e in group], [table[e][chosen[e]] for e in group])
            for kind in ("all", *sorted({e.category for e in queries}))
            if (group := [e for e in queries if kind in ("all", e.category)])
        }
    return result


def scores_by_weight(example: Example, scores: Floats, values: Floats) -> Floats:
    """The measures of one query under each of `WEIGHTS`, [weights, measures]."""
    read = best(scores)
    rows = []
    for weight in WEIGHTS:
        total = scores + weight * values.min()
        total[read] = scores[read] + weight * values
        rows.append(score(example, np.lexsort((example.order, -total))))
    return np.array(rows)


def choose(examples: Sequence[Example], table: dict[Example, Floats]) -> dict[str, int]:
    """The weight of each kind of query with the best NDCG@10, as a position in `WEIGHTS`.

    Means over three neighbouring weights are compared, since one query moves the best alone.
    """
    weights = {}
    for kind in ("phrase", "prose"):
        curve = np.mean([table[e][:, 0] for e in examples if e.kind == kind], axis=0)
        weights[kind] = int(np.argmax(np.convolve(curve, np.ones(3) / 3, "valid"))) + 1
    return weights


def compare(without: Sequence[Floats], with_model: Sequence[Floats]) -> dict[str, object]:
    before, after = np.array(without), np.array(with_model)
    gains = after[:, 0] - before[:, 0]
    return {
        "queries": len(before),
        "without": dict(zip(MEASURES, before.mean(axis=0).round(4).tolist(), strict=True)),
        "with": dict(zip(MEASURES, after.mean(axis=0).round(4).tolist(), strict=True)),
        "gain": round(float(gains.mean()), 4),
        "standard error of the gain": round(float(gains.std() / np.sqrt(len(gains))), 4),
    }


def milliseconds(suite: str, cache: Path) -> dict[str, float]:
    """Processor time of the first question of a suite without the model, and with it.

    `cold` has read nothing and `warm` all; what is new since costs as much as its texts.
    """
    folder, corpora = (Path(part) for part in suite.split("=", 1))
    file = sorted(folder.glob("*.jsonl"))[0]
    case = json.loads(file.read_text("utf-8").splitlines()[0])
    root, embedder, encoder = (
        corpora / file.stem / case["root"],
        Embedder.open(),
        DeepEncoder.open(),
    )
    snapshot = snapshot_of(root, embedder, cache)

    def run(stages: tuple[DeepRanker, ...]) -> float:
        environment = SearchEnvironment(
            str(root), embedder, search_cache, stages=stages, text_of=partial(node_text_of, root)
        )
        started = time.thread_time()
        results = search(snapshot, Query(case["query"], budget=Budget(60_000)), environment)
        assert results.hits
        return (time.thread_time() - started) * 1_000

    search_cache, times = SearchCache(), dict[str, list[float]]()
    for _ in range(7):
        ranker = DeepRanker(lambda: encoder)
        times.setdefault("first pass", []).append(run(()))
        times.setdefault("cold", []).append(run((ranker,)))
        times.setdefault("warm", []).append(run((ranker,)))
        times.setdefault("8 texts and the query", []).append(_read(encoder, case["query"]))
    return {name: round(min(runs), 1) for name, runs in times.items()}


def node_text_of(root: Path, node: NodeRef) -> str:
    source = read_text(root, node.path) or b""
    text = source[node.span.start : node.span.end].decode("utf-8", "replace")
    return f"{node.path}\n{text}"


def _read(encoder: DeepEncoder, query: str) -> float:
    started = time.thread_time()
    for number in range(9):
        encoder.encode(f"{number} {query} " * 10)
    return (time.thread_time() - started) * 1_000


if __name__ == "__main__":
    main()
