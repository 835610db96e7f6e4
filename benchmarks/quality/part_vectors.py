"""Measure late interaction, and vectors of name, comment and body apart, as signals of nodes.

    python -m benchmarks.quality.part_vectors --suite SUITE=CORPORA ... --cache DIR

The first suite chooses the weights. Each signal is added to the scores of the 40 best nodes, times
the weight that is best there; gains in NDCG@10 are over those that ship. By the bundled encoder
`late` is the mean over the query's tokens, by the length of their vectors, of the cosine to the
nearest token of the node; `name`, `comment` and `body` are cosines of the query to a vector of that
part alone, a node without a comment having that of its body. Writes results/part_vectors.json.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.quality.node_examples import (
    FILE_NAMES,
    NODE_NAMES,
    Example,
    Floats,
    contexts_of,
    example_of,
    score,
)
from benchmarks.stored import save
from packhound.core.caching import BoundedMemo
from packhound.encoder.embedder import Embedder
from packhound.files import read_text
from packhound.search.signals.context import SignalContext

QUALITY = Path(__file__).parent
RESULTS = QUALITY / "results" / "part_vectors.json"
NODE_WEIGHTS = QUALITY.parents[1] / "server/packhound/search/rank/node_weights.json"
WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
DEPTH = 40
PARTS = ("name", "comment", "body")


class Parts:
    """The parts of the nodes of one repository, as the encoder sees them."""

    def __init__(self, root: Path, embedder: Embedder) -> None:
        self._embedder = embedder
        self._sources = BoundedMemo(lambda path: read_text(root, path) or b"", 10_000)
        n_tokens = embedder._tokenizer.get_vocab_size()
        places = np.arange(n_tokens)
        table = embedder._model.run({"input_ids": places, "offsets": np.arange(n_tokens + 1)})
        self._lengths = np.linalg.norm(table, axis=1)
        self._tokens = table / np.maximum(self._lengths, 1e-9)[:, None]

    def signals(self, context: SignalContext, rows: Sequence[int]) -> dict[str, Floats]:
        """Return each signal of some candidates."""
        node_ids = context.candidates.node_ids[rows].tolist()
        texts = [self._texts(context, node_id) for node_id in node_ids]
        query = self._embedder.encode_query(context.query.text)
        names, comments, bodies = (
            np.asarray(self._embedder.encode(column) @ query, np.float64)
            for column in zip(*texts, strict=True)
        )
        has_comment = np.array([bool(comment) for _, comment, _ in texts])
        late = self._late(context.query.text, ["\n".join(parts) for parts in texts])
        comments = np.where(has_comment, comments, bodies)
        return {"late": late, "name": names, "comment": comments, "body": bodies}

    def _texts(self, context: SignalContext, node_id: int) -> tuple[str, str, str]:
        entry, position = context.snapshot.locate(node_id)
        node, source = entry.node(position), self._sources[entry.path]
        body = b"".join(source[start:end] for start, end in node.own_ranges)
        return node.qualname, node.doc, body.decode("utf-8", "replace")[:2_000]

    def _late(self, query: str, texts: Sequence[str]) -> Floats:
        tokenize = self._embedder._run_tokenizer.encode
        tokens = [*dict.fromkeys(tokenize(query))]
        weights = self._lengths[tokens]
        if not weights.sum():
            return np.zeros(len(texts))
        cosines = self._tokens[tokens] @ self._tokens.T
        nearest = [
            cosines[:, ids].max(axis=1) if ids else np.zeros(len(tokens))
            for ids in map(list, map(tokenize, texts))
        ]
        return np.array(nearest) @ weights / weights.sum()


def examples(suite: str, embedder: Embedder, cache: Path) -> list[tuple[Example, dict, Floats]]:
    """Return the examples of a suite with their signals and their scores as shipped."""
    weights = json.loads(NODE_WEIGHTS.read_text("utf-8"))["sets"]["hybrid"]["question"]
    folder, corpora = (Path(part) for part in suite.split("=", 1))
    rows = []
    for file in sorted(folder.glob("*.jsonl")):
        parts = None
        for case, context in contexts_of(file, corpora, embedder, cache):
            parts = parts or Parts(corpora / file.stem / (case["root"] or ""), embedder)
            example = example_of(case, context, file.stem, folder.name)
            factors = [weights["file"].get(name, 0.0) for name in FILE_NAMES]
            factors += [weights["node"].get(name, 0.0) for name in NODE_NAMES]
            scores = example.signals @ np.array(factors)
            best = np.argsort(-scores, kind="stable")[:DEPTH]
            signals = parts.signals(context, best) if len(best) else {}
            rows.append((example, signals, scores))
        print(file.stem, len(rows), flush=True)
    return rows


def quality(row: tuple[Example, dict, Floats], weights: dict[str, float]) -> float:
    """Return the NDCG@10 of one query."""
    example, signals, scores = row
    order = np.argsort(-scores, kind="stable")
    best, added = order[:DEPTH], np.zeros(len(scores))
    for name in signals and weights:
        added[best] += weights[name] * signals[name]
    # What is not read counts as the least of what is.
    added[order[DEPTH:]] = added[best].min(initial=0.0) if len(best) else 0.0
    return float(score(example, np.lexsort((example.order, -(scores + added))))[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", action="append", required=True)
    parser.add_argument("--cache", type=Path, required=True)
    options = parser.parse_args()
    embedder = Embedder.open()
    suites = {
        suite.split("=")[0]: examples(suite, embedder, options.cache) for suite in options.suite
    }
    training, report = next(iter(suites.values())), {}
    trials = {name: [{name: weight} for weight in WEIGHTS] for name in ("late", *PARTS)}
    trials["name, comment and body"] = [
        dict(zip(PARTS, each, strict=True)) for each in product(WEIGHTS[::2], repeat=3)
    ]
    for name, choices in trials.items():
        means = [np.mean([quality(row, weights) for row in training]) for weights in choices]
        best = choices[int(np.argmax(means))]
        report[name] = {"weights": best}
        for suite, rows in suites.items():
            gains = np.array([quality(row, best) - quality(row, {}) for row in rows])
            report[name][Path(suite).name] = {
                "gain": round(float(gains.mean()), 4),
                "standard error": round(float(gains.std() / np.sqrt(len(gains))), 4),
            }
        print(name, report[name], flush=True)
    save(RESULTS, report)


if __name__ == "__main__":
    main()
