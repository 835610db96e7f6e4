"""Fit the weights that rank nodes on graded judgements, and write them into the product.

    python -m benchmarks.quality.fit_nodes --suite SUITE=CORPORA ... --cache DIR [--write]

A SUITE is a folder of graded node-level judgements, CORPORA the folder of its repositories. Prints
figures that are cross-validated by repository before it writes weights fitted on everything. The
loss is listwise: cross entropy between the softmax of the scores of a query's candidates and their
gains, 2^grade - 1 (ListNet, Cao et al. 2007). Phrases and prose have one set of weights, whose
signs are given: more of what the query says never lowers a node, and what a test or a document
pays is bounded by what holding the words of the query brings.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from benchmarks.quality.node_examples import (
    FILE_NAMES,
    NAMES,
    NODE_NAMES,
    Example,
    Floats,
    load,
    score,
    summary,
)

RANK = Path(__file__).parents[2] / "server/packhound/search/rank"
FOR = frozenset(
    {"node_words", "node_covered", "node_compound", "node_name", "node_is_function"}
    | {"node_defines_type", "dense_node", "dense_rank", "best_node", "file_coverage"}
    | {"stem_is_name", "first_words_in_stem"}
)
"""Signals that are never held against a node."""

EITHER_WAY = frozenset({"node_size", "node_is_rest"})

MOST_PAID = {
    "test_path": 3.0,
    "prose_file": 2.0,
    "stale_path": 1.5,
    "example_path": 1.0,
    "setting_file": 1.0,
    "header_file": math.inf,
    "node_count": math.inf,
}
"""Signals that never speak for a node, with what it pays for each at most. Unbounded, the fit takes
4.2 from tests, as much as all words of the query bring: code with none comes before them."""

USED = (*FOR, *EITHER_WAY, *MOST_PAID)
DENSE = frozenset(name for name in NAMES if name.startswith("dense"))
WITHOUT = {"hybrid": frozenset(), "lexical": DENSE, "dense": frozenset(NAMES) - DENSE}

COPIED = {"symbol": 0.2, "report": 0.1}
"""Kinds whose weights are those of files, with what a node pays for each better one of its file."""

NAMED = {"node_defines_type": 8.0, "namesakes_above": -4.0, "defined_elsewhere": -10.0}
"""Added to what a symbol query gives a node: of all that bear its name a type comes first, tests
and copies last, and of impls and overloads each pays for those before it. No judgement asks for a
name alone."""

WHOLE_REPOSITORY = {"test_path": -2.0, "prose_file": -1.0}
"""Added to what a question gives a file. The judgements are of folders without tests, while people
ask whole repositories: chosen there, see "Whole repositories" in the README."""

TESTS_LAST = 3.0
"""Taken from what a symbol query gives the nodes of tests, which come after other uses."""

MESSAGE = {"prints_message": 8.0}
"""Weight of printing the message, in all queries but names; a fifth of the judgements are messages,
and from 2 to 8 they say nearly the same (0.701 to 0.704)."""

RIDGE = 10.0
N_FOLDS = 7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", action="append", required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    examples = load(options.suite, options.cache)
    sets, figures = {}, {}
    for source in WITHOUT:
        scores = cross_validate(examples, source)
        figures[source] = summary(examples, scores)
        print(source, json.dumps(figures[source], indent=1))
        sets[source] = {"question": described(fit(examples, source))}
    if options.write:
        write(sets, figures, examples)


def fit(examples: Sequence[Example], source: str) -> Floats:
    """The weights by position in `NAMES`."""
    used = np.array([name in USED and name not in WITHOUT[source] for name in NAMES])
    sample = np.concatenate([e.signals[:: max(1, len(e.signals) // 200)] for e in examples])
    deviation = sample.std(axis=0)
    scale = np.where(used & (deviation > 1e-6), 1 / np.maximum(deviation, 1e-6), 0)
    problem = _Problem(examples, scale)
    solution = minimize(
        problem.loss,
        np.zeros(len(NAMES)),
        jac=True,
        method="L-BFGS-B",
        bounds=[_bounds(name, factor) for name, factor in zip(NAMES, scale, strict=True)],
        options={"maxiter": 200},
    )
    fixed = np.array([0.0 if n in WITHOUT[source] else MESSAGE.get(n, 0.0) for n in NAMES])
    weights: Floats = solution.x * scale + fixed
    return weights


def _bounds(name: str, scale: float) -> tuple[float, float]:
    """Return between what the weight of a scaled signal may be."""
    if name in MOST_PAID and scale:
        return -MOST_PAID[name] / scale, 0.0
    return (0.0 if name in FOR else -math.inf), math.inf


class _Problem:
    """The candidates of all queries side by side, signals scaled to unit deviation."""

    def __init__(self, examples: Sequence[Example], scale: Floats) -> None:
        judged = [example for example in examples if example.grade.any()]
        gains = [2.0**example.grade - 1 for example in judged]
        self._x = np.concatenate([(e.signals * scale).astype(np.float32) for e in judged])
        self._target = np.concatenate([gain / gain.sum() for gain in gains])
        self._lengths = np.array([len(gain) for gain in gains])
        self._starts = np.cumsum(self._lengths) - self._lengths
        self._n = len(judged)

    def loss(self, theta: Floats) -> tuple[float, Floats]:
        """Mean loss and its gradient."""
        scores = (self._x @ theta.astype(np.float32)).astype(np.float64)
        highest = np.repeat(np.maximum.reduceat(scores, self._starts), self._lengths)
        odds = np.exp(scores - highest)
        totals = np.repeat(np.add.reduceat(odds, self._starts), self._lengths)
        value = -float(self._target @ (scores - highest - np.log(totals))) / self._n
        residual = ((odds / totals - self._target) / self._n).astype(np.float32)
        value += 0.5 * RIDGE / self._n * float(theta @ theta)
        return value, self._x.T @ residual + RIDGE / self._n * theta


def cross_validate(examples: Sequence[Example], source: str) -> Floats:
    """NDCG@10, s@1, s@5 and r3@10 of each example under weights of other repositories."""
    repositories = sorted({e.repository for e in examples})
    np.random.default_rng(0).shuffle(repositories)
    scores = np.zeros((len(examples), 4))
    for fold in (set(repositories[i::N_FOLDS]) for i in range(N_FOLDS)):
        weights = fit([e for e in examples if e.repository not in fold], source)
        for i, example in enumerate(examples):
            if example.repository in fold:
                ranking = example.signals @ weights
                scores[i] = score(example, np.lexsort((example.order, -ranking)))
    return scores


def described(weights: Floats) -> dict[str, dict[str, dict[str, float]]]:
    """The weights of a source as the product reads them."""
    return {
        "file": _named(FILE_NAMES, weights[: len(FILE_NAMES)]),
        "node": _named(NODE_NAMES, weights[len(FILE_NAMES) :]),
        "within": {},
        "repeat": {"same_file_above": 0.0},
    }


def _named(names: Sequence[str], values: Floats) -> dict[str, float]:
    pairs = zip(names, values.tolist(), strict=True)
    return {name: round(value, 5) for name, value in pairs if abs(value) > 1e-4}


def write(sets: dict, figures: dict, examples: Sequence[Example]) -> None:
    """Write the weights with their provenance; symbols and reports have those of files."""
    files = json.loads((RANK / "file_weights.json").read_text("utf-8"))["sets"]
    for source, kinds in sets.items():
        for kind, repeat in COPIED.items():
            copied = json.loads(json.dumps(files[source][kind]))
            kinds[kind] = {**copied, "within": {}, "repeat": {"same_file_above": repeat}}
        if source != "dense":
            for name, added in WHOLE_REPOSITORY.items():
                kinds["question"]["file"][name] += added
            kinds["symbol"]["node"] |= NAMED
            kinds["symbol"]["file"]["test_path"] -= TESTS_LAST
            kinds["report"]["node"] |= MESSAGE
    n_repositories = len({e.repository for e in examples})
    content = {
        "command": "python -m benchmarks.quality.fit_nodes"
        " --suite nodes_dev=dev --suite nodes/train=corpora --cache cache --write",
        "data": f"{len(examples)} graded queries over {n_repositories} repositories",
        "date": datetime.now(timezone.utc).date().isoformat(),
        "cross_validated": figures,
        "sets": sets,
    }
    (RANK / "node_weights.json").write_text(json.dumps(content, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
