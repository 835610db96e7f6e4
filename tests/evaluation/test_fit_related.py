"""The fit of related files finds what the hidden files have in common."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="only the fit needs scikit-learn")

from benchmarks.changes.fit import Case, best, fit, mean_recall


def test_the_fit_weighs_what_tells_hidden_files_from_others() -> None:
    random = np.random.default_rng(0)
    data = []
    for _ in range(20):
        features = random.random((30, 3))
        paths = [f"{i:02}.py" for i in range(30)]
        hidden = [paths[i] for i in np.argsort(-features[:, 1])[:3]]
        data.append(Case(paths, features, hidden, 0.0))
    weights = fit(data)
    assert weights[1] > 5 * max(abs(weights[0]), abs(weights[2]))
    assert mean_recall(data, weights) == 1.0
    assert mean_recall(data, -weights) == 0.0


def test_equal_scores_are_ordered_by_path() -> None:
    assert best(["b", "a", "c"], np.array([1.0, 1.0, 2.0])) == ["c", "a", "b"]
