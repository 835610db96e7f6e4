"""Fit the ranker's weights and write them where the product reads them.

    python benchmarks/quality/fit.py --suite SUITE --corpora DIR --cache DIR

`--reports` are bug reports; `--mined` is what `mine_reports.py` found, which is learnt from and
never scored. Prints the cross-validated figures (whole repositories left out) before it writes the
weights that are fitted on everything.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
from corpora import snapshot_of
from examples import FILE_NAMES, NODE_NAMES, Example, cached, examples_of
from learning import KINDS, Fitted, Recipe, fit, ndcg, node_scores, order_of, report_scores, thinned

from packhound.evaluation.suite import load_suite
from packhound.index.embed import Embedder

WEIGHTS = Path(__file__).parents[2] / "server/packhound/ranking/weights.json"

REPEAT = {"symbol": 1.0, "phrase": 5.0, "prose": 5.0, "report": 0.1}
"""What a node pays for each better node of its file; chosen by cross-validation."""

DEFINITION = 10.0
"""Added to what a symbol query gives a node of exactly its name, so that it always comes first."""

MENTION = 6.0
"""Likewise for a node that holds the whole query, before all that hold nothing of it: a word typed
a second ago stands in one place only, and no development query asks for such a word."""

QUERIES = Recipe(ridge=10, kind_ridge=50, node_share=2, rounds=2)
REPORT_SIGNALS = frozenset(
    {"lexical", "file_mentioned", "file_framed", "module_mentioned", "mentioned"}
    | {"dense_title_file", "test_path", "example_path", "prose_file", "setting_file"}
    | {"node_words", "node_mentioned", "node_owned", "node_framed", "dense_code_node"}
    | {"node_is_type", "node_is_function", "node_is_rest"}
)
"""Few reports are at hand: with more signals than these the fit follows chance."""
REPORTS = Recipe(
    ridge=10,
    kind_ridge=1_000,
    node_share=2,
    rounds=2,
    without=tuple(n for n in (*FILE_NAMES, *NODE_NAMES) if n not in REPORT_SIGNALS),
)
DENSE = tuple(name for name in (*FILE_NAMES, *NODE_NAMES) if name.startswith("dense"))
WORDS = tuple(name for name in (*FILE_NAMES, *NODE_NAMES) if not name.startswith("dense"))
WITHOUT = {"hybrid": (), "lexical": DENSE, "dense": WORDS}
N_FOLDS = 9
FIGURES: dict[str, dict[str, object]] = {}
"""Cross-validated figures of each set of weights, kept beside them."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", type=Path, required=True)
    parser.add_argument("--reports", type=Path)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--report-corpora", type=Path)
    parser.add_argument("--mined", type=Path)
    parser.add_argument("--mined-corpora", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    embedder = Embedder.open()
    queries = load_examples(given.suite, given.corpora, given.cache, embedder)
    reports = []
    if given.reports:
        reports = load_examples(given.reports, given.report_corpora, given.cache, embedder)
    mined = []
    if given.mined:
        mined = load_examples(given.mined, given.mined_corpora, given.cache, embedder, thinned)
        mined = [example for example in mined if example.kind == "report"]
    sets = {source: fit_source(source, queries, reports, mined) for source in WITHOUT}
    if given.write:
        write(sets, queries, reports, mined)


def load_examples(
    suite: Path,
    corpora: Path,
    cache: Path,
    embedder: Embedder,
    shaped: Callable[[Example], Example] = lambda example: example,
) -> list[Example]:
    """The examples of a suite, each as `shaped` gives it, from the cache where they are there."""
    by_folder = defaultdict(list)
    for case in load_suite(suite):
        by_folder[case.folder].append(case)

    def make() -> list[Example]:
        found: list[Example] = []
        for folder, cases in by_folder.items():
            snapshot = snapshot_of(corpora / folder, embedder, cache)
            found += map(shaped, examples_of(cases, snapshot, embedder))
            print(folder, snapshot.n_nodes, file=sys.stderr)
        return found

    return cached(cache / f"examples-{suite.stem}-{embedder.fingerprint[:8]}.pickle", make)


def fit_source(
    source: str, queries: list[Example], reports: list[Example], mined: list[Example]
) -> dict[str, object]:
    """Cross-validate one set of weights, then fit it on everything."""
    recipe = recipe_for(QUERIES, source)
    found = cross_validated(queries, recipe, ndcg)
    print(f"{source}: NDCG@10 {summary(queries, found)}")
    FIGURES[source] = {"ndcg@10": summary(queries, found)}
    fitted = fit(queries, recipe)
    weights = {kind: described(fitted, kind) for kind in KINDS}
    if reports:
        recipe = recipe_for(REPORTS if source != "dense" else QUERIES, source)
        scores = np.nanmean(
            list(cross_validated(reports, recipe, report_scores, mined).values()), axis=0
        )
        print(f"{source}: file@1, file@5, func@10 {scores.round(3)}")
        FIGURES[source]["file@1 file@5 func@10"] = scores.round(4).tolist()
        weights["report"] = described(fit([*reports, *mined], recipe), "report")
    return weights


def recipe_for(recipe: Recipe, source: str) -> Recipe:
    from dataclasses import replace

    return replace(recipe, without=(*recipe.without, *WITHOUT[source]))


def folds(examples: Iterable[Example], n: int = N_FOLDS, seed: int = 0) -> list[set[str]]:
    """Repositories dealt into folds."""
    repositories = sorted({example.repository for example in examples})
    np.random.default_rng(seed).shuffle(repositories)
    return [set(repositories[i::n]) for i in range(n)]


def cross_validated(
    examples: Sequence[Example],
    recipe: Recipe,
    score: Callable,
    always: Sequence[Example] = (),
    seed: int = 0,
) -> dict[int, object]:
    """The score of every example under weights fitted on other repositories, and on `always`."""
    found = {}
    for fold in folds(examples, seed=seed):
        fitted = fit([*(e for e in examples if e.repository not in fold), *always], recipe)
        for example in examples:
            if example.repository in fold:
                scores = node_scores(example, fitted)
                found[id(example)] = score(example, order_of(example, scores, REPEAT[example.kind]))
    return found


def summary(examples: Sequence[Example], scores: dict[int, float]) -> str:
    """Mean over repositories with its standard error, and means per category."""
    repositories, categories = defaultdict(list), defaultdict(list)
    for example in examples:
        repositories[example.repository].append(scores[id(example)])
        categories[example.case.category].append(scores[id(example)])
    means = [np.mean(values) for values in repositories.values()]
    error = np.std(means) / np.sqrt(len(means))
    by_category = ", ".join(f"{k} {np.mean(v):.3f}" for k, v in sorted(categories.items()))
    return f"{np.mean(means):.4f} ± {error:.4f} ({by_category})"


def described(fitted: Fitted, kind: str) -> dict[str, dict[str, float]]:
    """One kind's weights as the product reads them."""
    node = dict(zip(NODE_NAMES, fitted.node[kind].tolist(), strict=True))
    if kind == "symbol" and node["node_words"]:
        node["node_named"] += DEFINITION
        node["node_covered"] += MENTION
    return {
        "file": _named(FILE_NAMES, fitted.file[kind].tolist()),
        "node": _named(tuple(node), list(node.values())),
        "repeat": {"same_file_above": REPEAT[kind]},
    }


def _named(names: tuple[str, ...], weights: list[float]) -> dict[str, float]:
    pairs = zip(names, weights, strict=True)
    return {name: round(weight, 5) for name, weight in pairs if abs(weight) > 1e-4}


def write(
    sets: dict[str, object], queries: list[Example], reports: list[Example], mined: list[Example]
) -> None:
    """Put the weights into the product, with what made them; kinds not fitted keep theirs."""
    before = json.loads(WEIGHTS.read_text("utf-8"))["sets"]
    sets = {source: {**before[source], **kinds} for source, kinds in sets.items()}
    made = {
        "command": "python benchmarks/quality/fit.py --suite dev --corpora dev"
        " --reports issues_dev.jsonl --report-corpora issues"
        " --mined mined/mined.jsonl --mined-corpora mined/trees --cache cache --write",
        "data": f"{len(queries)} development queries over "
        f"{len({e.repository for e in queries})} repositories, {len(reports)} bug reports, "
        f"{len(mined)} commit messages over {len({e.repository for e in mined})} repositories",
        "date": datetime.now(timezone.utc).date().isoformat(),
        "cross_validated": FIGURES,
        "sets": sets,
    }
    WEIGHTS.write_text(json.dumps(made, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
