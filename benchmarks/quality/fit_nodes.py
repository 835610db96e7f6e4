"""Fit the weights that rank nodes on graded judgements, and write them into the product.

    python -m benchmarks.quality.fit_nodes --suite SUITE=CORPORA ... --cache DIR [--write]

A SUITE is a folder of graded node-level judgements, CORPORA the folder of its repositories. Prints
figures that are cross-validated by repository before it writes weights fitted on everything. The
loss is listwise: cross entropy between the softmax of the scores of a query's candidates and their
gains, 2^grade - 1 (ListNet, Cao et al. 2007). Each kind of query has the common weights plus a
difference that is held back by a ridge of its own.
"""

from __future__ import annotations

import argparse
import json
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
KINDS = ("phrase", "prose")
"""Kinds of query in the judgements; symbols and bug reports have the weights of files."""

DENSE = frozenset(name for name in NAMES if name.startswith("dense"))
WITHOUT = {"hybrid": frozenset(), "lexical": DENSE, "dense": frozenset(NAMES) - DENSE}
REPORT_ONLY = frozenset(
    {"mentioned", "file_mentioned", "file_framed", "module_mentioned", "dense_title_file"}
    | {"node_mentioned", "dense_code_node"}
)

NAMES_IN_FULL = frozenset({"node_named", "node_owned"})
"""Names of code letter for letter: the judgements avoid them, so their weights would be chance."""

COPIED = {"symbol": 0.2, "report": 0.1}
"""Kinds whose weights are those of files, with what a node pays for each better one of its file."""

NAMED = {"node_defines_type": 8.0, "namesakes_above": -4.0, "defined_elsewhere": -10.0}
"""Added to what a symbol query gives a node: of all that bear its name a type comes first, tests
and copies last, and of impls and overloads each pays for those before it. No judgement asks for a
name alone."""

TESTS_LAST = 3.0
"""Taken from what a symbol query gives the nodes of tests, which come after other uses."""

MESSAGE = {"prints_message": 8.0}
"""Weight of printing the message, in all queries but names; a fifth of the judgements are messages,
and from 2 to 8 they say nearly the same (0.701 to 0.704)."""

RIDGE, KIND_RIDGE = 10.0, 50.0
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
        sets[source] = described(fit(examples, source))
    if options.write:
        write(sets, figures, examples)


def fit(examples: Sequence[Example], source: str) -> dict[str, Floats]:
    """The weights of each kind of query, by position in `NAMES`."""
    left_out = WITHOUT[source] | REPORT_ONLY | NAMES_IN_FULL | MESSAGE.keys()
    used = np.array([name not in left_out for name in NAMES])
    sample = np.concatenate([e.signals[:: max(1, len(e.signals) // 200)] for e in examples])
    deviation = sample.std(axis=0)
    scale = np.where(used & (deviation > 1e-6), 1 / np.maximum(deviation, 1e-6), 0)
    problem = _Problem(examples, scale)
    theta = minimize(
        problem.loss,
        np.zeros(len(NAMES) * 3),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 200},
    ).x.reshape(3, -1)
    fixed = np.array([0.0 if n in WITHOUT[source] else MESSAGE.get(n, 0.0) for n in NAMES])
    return {kind: (theta[0] + theta[1 + i]) * scale + fixed for i, kind in enumerate(KINDS)}


class _Problem:
    """The candidates of all queries side by side, signals scaled to unit deviation."""

    def __init__(self, examples: Sequence[Example], scale: Floats) -> None:
        lists, gains, kinds = [], [], []
        for example in examples:
            if not example.grade.any():
                continue
            gain = 2.0**example.grade - 1
            lists.append((example.signals * scale).astype(np.float32))
            gains.append(gain / gain.sum())
            kinds.append(KINDS.index(example.kind) if example.kind in KINDS else 1)
        lengths = np.array([len(x) for x in lists])
        self._x, self._target = np.concatenate(lists), np.concatenate(gains)
        self._starts, self._lengths = np.cumsum(lengths) - lengths, lengths
        self._kind = np.repeat(kinds, lengths)
        self._n = len(lists)

    def loss(self, flat: Floats) -> tuple[float, Floats]:
        """Mean loss and its gradient."""
        theta = flat.reshape(3, -1)
        scores = self._x @ theta[0].astype(np.float32)
        for i in range(2):
            rows = self._kind == i
            scores[rows] += self._x[rows] @ theta[1 + i].astype(np.float32)
        scores = scores.astype(np.float64)
        highest = np.repeat(np.maximum.reduceat(scores, self._starts), self._lengths)
        odds = np.exp(scores - highest)
        totals = np.repeat(np.add.reduceat(odds, self._starts), self._lengths)
        value = -float(self._target @ (scores - highest - np.log(totals))) / self._n
        residual = ((odds / totals - self._target) / self._n).astype(np.float32)
        by_kind = np.stack([self._x[self._kind == i].T @ residual[self._kind == i] for i in (0, 1)])
        ridges = np.array([RIDGE, KIND_RIDGE, KIND_RIDGE])[:, None] / self._n
        value += 0.5 * float((ridges * theta**2).sum())
        gradient = np.vstack((by_kind.sum(axis=0), by_kind)) + ridges * theta
        return value, gradient.ravel()


def cross_validate(examples: Sequence[Example], source: str) -> Floats:
    """NDCG@10, s@1, s@5 and r3@10 of each example under weights of other repositories."""
    repositories = sorted({e.repository for e in examples})
    np.random.default_rng(0).shuffle(repositories)
    scores = np.zeros((len(examples), 4))
    for fold in (set(repositories[i::N_FOLDS]) for i in range(N_FOLDS)):
        weights = fit([e for e in examples if e.repository not in fold], source)
        for i, example in enumerate(examples):
            if example.repository in fold:
                ranking = example.signals @ weights.get(example.kind, weights["prose"])
                scores[i] = score(example, np.lexsort((example.order, -ranking)))
    return scores


def described(weights: dict[str, Floats]) -> dict[str, dict[str, dict[str, float]]]:
    """The weights of each kind as the product reads them."""
    return {
        kind: {
            "file": _named(FILE_NAMES, values[: len(FILE_NAMES)]),
            "node": _named(NODE_NAMES, values[len(FILE_NAMES) :]),
            "within": {},
            "repeat": {"same_file_above": 0.0},
        }
        for kind, values in weights.items()
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
