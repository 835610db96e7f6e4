"""Fit how sure an answer is, and write the coefficients where the product reads them.

    python -m benchmarks.quality.fit_confidence --suite SUITE=CORPORA ... \
        --hold-out SUITE=CORPORA ... --cache DIR [--shipped] [--write]

Each query is asked of its own repository and of two wrong ones, which are of the same half; so are
names of definitions. An answer is right if a node of grade 2 or 3, or in the place that a suite of
files names, is among its first five hits. Rows are weighted as if four of five queries were asked
of the repository that they are about. Prints figures of the repositories held out, of which no
query has a part in this fit or in that of the weights of nodes, and stores all of them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.quality.confidence_rows import N_NAMES, N_WRONG, Repository, Row, ask_all, load
from benchmarks.quality.node_examples import Floats
from benchmarks.stored import save
from packhound.encoder.embedder import Embedder
from packhound.search.confidence import PATH, POSSIBLE, STRONG, load_fit

RESULTS = Path(__file__).parent / "results" / "confidence.json"
SOURCES = ("hybrid", "lexical", "dense", "deep")
RIGHT_SHARE = 0.8
"""Share of the weight of queries that are asked of the repository that they are about."""
INVERSE_RIDGE = 0.1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", action="append", required=True)
    parser.add_argument("--hold-out", action="append", required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--shipped", action="store_true", help="measure what ships, fit nothing")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    embedder = Embedder.open()
    repositories = [*load(options.suite, False, embedder, options.cache)]
    seen = frozenset(repository.name for repository in repositories)
    repositories += load(options.hold_out, True, embedder, options.cache, seen)
    sets, figures = {}, {}
    for source in SOURCES:
        rows = [*ask_all(repositories, source, "linear")]
        sets[source] = load_fit().sets[source] if options.shipped else fit(rows)
        figures[source] = evaluate(rows, sets[source])
        print(source, json.dumps(figures[source], indent=1))
    rows = [*ask_all(repositories, "hybrid", "rrf")]
    figures["hybrid, rrf"] = evaluate(rows, sets["hybrid"])
    print("hybrid, rrf", json.dumps(figures["hybrid, rrf"], indent=1))
    if options.write:
        write(None if options.shipped else sets, figures, repositories, embedder.fingerprint)


def fit(rows: Sequence[Row]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the coefficients of answers and of hits for each kind of query."""
    sets = {}
    for kind in ("question", "symbol"):
        used = [row for row in rows if row.kind == kind and not row.held_out]
        if not used:
            continue  # The deep model reads no names.
        weights = weights_of(used)
        answers = {name: np.array([row.answer[name] for row in used]) for name in used[0].answer}
        answer = logistic(answers, np.array([row.is_right for row in used]), weights)
        right = [row for row in used if row.is_right]
        hits = {name: np.concatenate([row.hits[name] for row in right]) for name in used[0].hits}
        relevant = np.concatenate([row.relevant for row in right])
        hit = logistic(hits, relevant, np.ones(len(relevant)))
        sets[kind] = {"answer": answer, "hit": hit}
    return sets


def weights_of(rows: Sequence[Row]) -> Floats:
    """Return a weight for each row, of which `RIGHT_SHARE` belongs to right repositories."""
    right = np.array([row.right_repository for row in rows])
    return np.where(right, RIGHT_SHARE / right.sum(), (1 - RIGHT_SHARE) / (~right).sum()) * len(
        rows
    )


def logistic(
    features: Mapping[str, Floats], target: NDArray[np.bool_], weights: Floats
) -> dict[str, float]:
    """Return the coefficients of a ridge logistic regression; constant features have none."""
    names = [name for name, values in features.items() if np.std(values) > 1e-6]
    columns = np.stack([features[name] for name in names], axis=1)
    scale = columns.std(axis=0)
    model = LogisticRegression(C=INVERSE_RIDGE, max_iter=2_000)
    model.fit(columns / scale, target, sample_weight=weights)
    factors = (model.coef_[0] / scale).tolist()
    return {
        "bias": round(float(model.intercept_[0]), 4),
        **{name: round(factor, 4) for name, factor in zip(names, factors, strict=True)},
    }


def weigh(coefficients: Mapping[str, float], features: Mapping[str, Floats]) -> Floats:
    return sum(factor * features[name] for name, factor in coefficients.items())


def evaluate(rows: Sequence[Row], sets: Mapping) -> dict[str, object]:
    """Return the figures of the repositories held out."""
    figures: dict[str, object] = {}
    for kind, coefficients in sets.items():
        held_out = [row for row in rows if row.kind == kind and row.held_out]
        confidence, hit_confidence = [], []
        for row in held_out:
            answer = 1 / (1 + np.exp(-weigh(coefficients["answer"], row.answer)))
            hits = answer / (1 + np.exp(-weigh(coefficients["hit"], row.hits)))
            confidence.append(answer)
            hit_confidence.append(np.minimum.accumulate(hits))
        figures[kind] = {
            **answer_figures(held_out, np.array(confidence)),
            **hit_figures(held_out, hit_confidence),
            "micros (median)": round(float(np.median([row.micros for row in held_out]))),
        }
    return figures


def answer_figures(rows: Sequence[Row], confidence: Floats) -> dict[str, object]:
    repository = np.array([row.right_repository for row in rows])
    right = np.array([row.is_right for row in rows])
    weights = weights_of(rows)
    right_or_wrong = right | ~repository
    return {
        "queries": int(repository.sum()),
        "queries of wrong repositories": int((~repository).sum()),
        "right": round(float(right[repository].mean()), 3),
        "AUROC right repository against wrong": auroc(repository, confidence),
        "AUROC right answer against wrong repository": auroc(
            right[right_or_wrong], confidence[right_or_wrong]
        ),
        "AUROC right answer against wrong, right repository": auroc(
            right[repository], confidence[repository]
        ),
        "1 % of right answers are below": round(float(np.quantile(confidence[right], 0.01)), 3),
        "weak, of right answers": share(confidence[right] < POSSIBLE),
        "weak, of wrong answers of the right repository": share(
            confidence[repository & ~right] < POSSIBLE
        ),
        "weak, of wrong repositories": share(confidence[~repository] < POSSIBLE),
        "strong, of right repositories": share(confidence[repository] >= STRONG),
        "strong, of wrong repositories": share(confidence[~repository] >= STRONG),
        "expected calibration error": calibration_error(confidence, right, weights),
        "reliability": reliability(confidence, right, weights),
        "reliability, right repository": reliability(
            confidence[repository], right[repository], weights[repository]
        ),
    }


def hit_figures(rows: Sequence[Row], confidences: Sequence[Floats]) -> dict[str, object]:
    confidence = np.concatenate(confidences)
    relevant = np.concatenate([row.relevant for row in rows])
    weights = np.repeat(weights_of(rows), [len(row.relevant) for row in rows])
    return {
        "hits: AUROC": auroc(relevant, confidence),
        "hits: expected calibration error": calibration_error(confidence, relevant, weights),
        "hits: reliability": reliability(confidence, relevant, weights),
    }


def auroc(target: NDArray[np.bool_], confidence: Floats) -> float | None:
    return round(float(roc_auc_score(target, confidence)), 3) if len(set(target)) > 1 else None


def share(mask: NDArray[np.bool_]) -> float | None:
    return round(float(mask.mean()), 3) if len(mask) else None


def reliability(
    confidence: Floats, right: NDArray[np.bool_], weights: Floats
) -> list[tuple[str, int, float, float]]:
    """Return a row per tenth: its bounds, rows, mean confidence and share that is right."""
    table = []
    for low in range(10):
        rows = np.clip(confidence * 10, 0, 9.99).astype(int) == low
        if rows.any():
            means = (np.average(x[rows], weights=weights[rows]) for x in (confidence, right))
            stated, observed = (round(float(mean), 2) for mean in means)
            table.append(
                (f"{low / 10:.1f}-{(low + 1) / 10:.1f}", int(rows.sum()), stated, observed)
            )
    return table


def calibration_error(confidence: Floats, right: NDArray[np.bool_], weights: Floats) -> float:
    """Return the mean gap between stated and observed in ten bins (Naeini and others 2015)."""
    bins = np.clip(confidence * 10, 0, 9.99).astype(int)
    gaps = np.bincount(bins, weights * (confidence - right), 10)
    return round(float(np.abs(gaps).sum() / weights.sum()), 3)


def write(sets: dict | None, figures: dict, repositories: Sequence[Repository], model: str) -> None:
    """Write the coefficients, if any, and the figures, with their provenance."""
    fitted = [r for r in repositories if not r.held_out]
    content = {
        "command": "python -m benchmarks.quality.fit_confidence --suite nodes_dev=dev"
        " --suite nodes/train=corpora --hold-out nodes/dev=corpora --hold-out nodes/unseen=corpora"
        " --hold-out nodes/strangers=corpora --hold-out dev=dev"
        f" --cache cache {'--write' if sets else '--shipped --write'}",
        "data": f"{sum(len(r.cases) for r in fitted)} graded queries and {N_NAMES} names a"
        f" repository, over {len(fitted)} repositories, each asked of {N_WRONG} wrong ones too;"
        f" {RIGHT_SHARE:.0%} of the weight on the right ones",
        "date": datetime.now(timezone.utc).date().isoformat(),
        "model": model,
    }
    if sets:
        PATH.write_text(json.dumps({**content, "sets": sets}, indent=1) + "\n", "utf-8")
    save(RESULTS, {**content, "held_out": figures})


if __name__ == "__main__":
    main()
