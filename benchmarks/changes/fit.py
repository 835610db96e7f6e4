"""Fit the weights of related files on replayed commits, cross-validated over repositories.

    python -m benchmarks.changes.fit --repositories DIR --most 34 --out FIT.json

DIR has clones with history, as for `replay`. A row is a file that a commit's shown half might be
changed with, its label is whether the hidden half has it. Prints the weights fitted on all
repositories and recall@10 of each repository with weights fitted on the others.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.changes.replay import cases, recall
from benchmarks.stored import save
from packhound.git import CoChanges
from packhound.impact.related_files import _features, _Profile, reasons_of, score

_INVERSE_RIDGE = 100.0
"""Next to no penalty: the default of 1 shrinks the weight of history by a third."""


class Case(NamedTuple):
    """The candidates of a commit: paths, features (a row each), and the paths that are hidden."""

    paths: Sequence[str]
    features: np.ndarray
    hidden: Sequence[str]
    now: float
    """recall@10 of the weights in the package."""


def cases_of(root: Path, most: int) -> tuple[list[Case], list[str]]:
    """Return the replayed commits of a clone, and the names of the features."""
    rows, names = list[Case](), list[str]()
    for case in cases(root, most):
        tree, visible, hidden = case["tree"], case["shown"], case["hidden"]
        history = CoChanges.of(case["history"], visible)
        calls = tree.calls({path: case["lines"][path] for path in visible})
        words = tree.words({path: case["lines"][path] for path in visible})
        newest = max(history.weights.values(), default=1.0)
        profiles = [_Profile.of(path) for path in visible]
        features = {
            path: _features(
                path, profiles, history, calls.get(path, 0.0), words.get(path, 0.0), newest
            )
            for path in sorted(tree.paths.difference(visible))
        }
        candidates = [path for path in features if reasons_of(features[path])]
        if not candidates:
            continue
        names = [*features[candidates[0]]]
        values = np.array([[*features[path].values()] for path in candidates])
        now = recall(
            best(candidates, np.array([score(features[path]) for path in candidates])), hidden
        )
        rows.append(Case(candidates, values, hidden, now))
    return rows, names


def best(paths: Sequence[str], scores: np.ndarray) -> list[str]:
    """Return paths by score; equal ones by path."""
    return [paths[i] for i in np.lexsort((paths, -scores))]


def fit(data: Sequence[Case]) -> np.ndarray:
    """Return weights, the bias last, of a logistic regression."""
    features = np.concatenate([case.features for case in data])
    is_hidden = np.concatenate([np.isin(case.paths, case.hidden) for case in data])
    model = LogisticRegression(C=_INVERSE_RIDGE, max_iter=5_000).fit(features, is_hidden)
    return np.append(model.coef_[0], model.intercept_)


def mean_recall(data: Sequence[Case], weights: np.ndarray) -> float:
    scores = [recall(best(c.paths, c.features @ weights[:-1]), c.hidden) for c in data]
    return float(np.mean(scores))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--most", type=int, default=34, help="Commits of each repository.")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    data, names = dict[str, list[Case]](), list[str]()
    for root in sorted(options.repositories.iterdir()):
        rows, columns = cases_of(root, options.most)
        print(root.name, len(rows), flush=True)
        if rows:
            data[root.name], names = rows, columns
    rows = []
    for name, held_out in data.items():
        others = [case for other, c in data.items() if other != name for case in c]
        now, fitted = np.mean([c.now for c in held_out]), mean_recall(held_out, fit(others))
        rows.append(
            {
                "repository": name,
                "commits": len(held_out),
                "weights of the package": round(float(now), 4),
                "fitted on the others": round(fitted, 4),
            }
        )
    n = sum(row["commits"] for row in rows)
    summary = {
        key: round(sum(row[key] * row["commits"] for row in rows) / n, 4)
        for key in ("weights of the package", "fitted on the others")
    }
    every = fit([case for c in data.values() for case in c])
    weights = dict(zip([*names, "bias"], np.round(every, 2).tolist(), strict=True))
    result = {"commits": n, **summary, "weights": weights, "repositories": rows}
    print(json.dumps(result, indent=1))
    if options.out:
        save(options.out, result)


if __name__ == "__main__":
    main()
