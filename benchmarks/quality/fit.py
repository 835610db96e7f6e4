"""Fit the ranker's weights and write them where the product reads them.

    python -m benchmarks.quality.fit --suite SUITE --corpora DIR --cache DIR

`--reports` are bug reports; `--mined` is what `mine_reports.py` found, which is learnt from and
never scored; `--docs` is what `mine_docs.py` found, queries whose answer is one function.
Prints the cross-validated figures (whole repositories left out) before it writes the weights that
are fitted on everything.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from benchmarks.quality.corpora import snapshot_of
from benchmarks.quality.examples import FILE_NAMES, NODE_NAMES, Example, cached, examples_of
from benchmarks.quality.learning import (
    KINDS,
    Fitted,
    Recipe,
    fit,
    function_first,
    ndcg,
    order_of,
    report_scores,
    thinned,
)
from benchmarks.quality.speakers import with_speakers
from packhound.encoder.embedder import Embedder
from packhound.evaluation.suite import load_suite

WEIGHTS = Path(__file__).parents[2] / "server/packhound/search/rank/file_weights.json"

REPEAT = {"symbol": 1.0, "phrase": 5.0, "prose": 5.0, "report": 0.1}
"""What a node pays for each better node of its file; chosen by cross-validation."""

DEFINITION = 10.0
"""Added to what a symbol query gives a node of exactly its name, so that it always comes first."""

MENTION = 6.0
"""Likewise for a node that holds the whole query, before all that hold nothing of it: a word typed
a second ago stands in one place only, and no development query asks for such a word."""

FRAME = 2.0
"""What a report gives the file of its innermost stack frame; commit messages, most of what the fit
of reports sees, have no stack traces."""

QUERIES = Recipe(ridge=10, kind_ridge=50, node_share=2, rounds=2)
REPORT_SIGNALS = frozenset(
    {"lexical", "file_mentioned", "file_framed", "module_mentioned", "mentioned"}
    | {"dense_title_file", "test_path", "example_path", "prose_file", "setting_file"}
    | {"node_words", "node_mentioned", "node_owned", "dense_code_node"}
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

Shape = Callable[[Example], Example]


@dataclass(frozen=True)
class Data:
    """What there is to learn from; all but the queries may be missing."""

    queries: list[Example]
    reports: list[Example]
    mined: list[Example]
    docs: list[Example]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", type=Path, required=True)
    parser.add_argument("--reports", type=Path)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--report-corpora", type=Path)
    parser.add_argument("--mined", type=Path)
    parser.add_argument("--mined-corpora", type=Path)
    parser.add_argument("--docs", type=Path)
    parser.add_argument("--docs-corpora", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    data = load_data(options)
    sets = {source: fit_source(source, data) for source in WITHOUT}
    if options.write:
        write(sets, data)


def load_data(options: argparse.Namespace) -> Data:
    """The examples of all that the command names."""
    embedder = Embedder.open()

    def load(
        suite: Path | None, corpora: Path, shaped: Shape = lambda example: example
    ) -> list[Example]:
        return load_examples(suite, corpora, options.cache, embedder, shaped) if suite else []

    mined = load(options.mined, options.mined_corpora, thinned)
    return Data(
        queries=load(options.suite, options.corpora),
        reports=load(options.reports, options.report_corpora),
        mined=[example for example in mined if example.kind == "report"],
        docs=load(options.docs, options.docs_corpora, thinned),
    )


def load_examples(
    suite: Path,
    corpora: Path,
    cache: Path,
    embedder: Embedder,
    shaped: Shape,
) -> list[Example]:
    """The examples of a suite, each as `shaped` gives it, from the cache where they are there."""
    by_folder = defaultdict(list)
    for case in load_suite(suite):
        by_folder[case.folder].append(case)

    def make() -> list[Example]:
        examples: list[Example] = []
        for folder, cases in by_folder.items():
            root = corpora / folder
            snapshot = snapshot_of(root, embedder, cache)
            examples += map(shaped, examples_of(cases, snapshot, embedder, root))
            print(folder, snapshot.n_nodes, file=sys.stderr)
        return examples

    return cached(cache / f"examples-{suite.stem}-{embedder.fingerprint[:8]}.pickle", make)


def fit_source(source: str, data: Data) -> dict[str, object]:
    """Cross-validate one set of weights, then fit it on everything."""
    recipe = recipe_for(QUERIES, source)
    # Likeness of meaning alone tells nothing that the doc comments could weigh.
    docs = data.docs if source != "dense" else []
    held_out = cross_validated(data.queries, lambda some: fit_queries(some, docs, recipe), ndcg)
    print(f"{source}: NDCG@10 {summary(data.queries, held_out)}")
    FIGURES[source] = {"ndcg@10": summary(data.queries, held_out)}
    if docs:
        firsts = cross_validated(
            docs, lambda some: fit_queries(data.queries, some, recipe), function_first
        )
        share = float(np.nanmean([*firsts.values()]))
        print(f"{source}: function first in its file {share:.3f}")
        FIGURES[source]["function first in its file"] = round(share, 4)
    fitted = fit_queries(data.queries, docs, recipe)
    weights = {kind: described(fitted, kind) for kind in KINDS}
    if data.reports:
        recipe = recipe_for(REPORTS if source != "dense" else QUERIES, source)
        held_out = cross_validated(
            data.reports, lambda some: fit_reports([*some, *data.mined], recipe), report_scores
        )
        scores = np.nanmean([*held_out.values()], axis=0)
        print(f"{source}: file@1, file@5, func@10 {scores.round(3)}")
        FIGURES[source]["file@1 file@5 func@10"] = scores.round(4).tolist()
        weights["report"] = described(fit_reports([*data.reports, *data.mined], recipe), "report")
    return weights


def fit_queries(queries: Sequence[Example], docs: Sequence[Example], recipe: Recipe) -> Fitted:
    """Fit the weights on the queries, and on the doc comments which node speaks for its file."""
    fitted = fit(queries, recipe)
    if not docs:
        return fitted
    return with_speakers(fitted, [*queries, *docs], recipe.without)


def fit_reports(reports: Sequence[Example], recipe: Recipe) -> Fitted:
    """Fit the weights of reports, but for that of stack traces."""
    fitted = fit(reports, recipe)
    if "file_framed" not in recipe.without:
        fitted.file["report"][FILE_NAMES.index("file_framed")] += FRAME
    return fitted


def recipe_for(recipe: Recipe, source: str) -> Recipe:
    return replace(recipe, without=(*recipe.without, *WITHOUT[source]))


def folds(examples: Iterable[Example], n: int = N_FOLDS, seed: int = 0) -> list[set[str]]:
    """Repositories dealt into folds."""
    repositories = sorted({example.repository for example in examples})
    np.random.default_rng(seed).shuffle(repositories)
    return [set(repositories[i::n]) for i in range(n)]


def cross_validated(
    examples: Sequence[Example],
    fit_on: Callable[[list[Example]], Fitted],
    score: Callable,
    seed: int = 0,
) -> dict[int, object]:
    """The score of every example under weights fitted on those of other repositories."""
    scores = {}
    for fold in folds(examples, seed=seed):
        fitted = fit_on([e for e in examples if e.repository not in fold])
        for example in examples:
            if example.repository in fold:
                order = order_of(example, fitted, REPEAT[example.kind])
                scores[id(example)] = score(example, order)
    return scores


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
    within = fitted.within[kind]
    return {
        "file": _named(FILE_NAMES, fitted.file[kind].tolist()),
        "node": _named(tuple(node), list(node.values())),
        "within": {} if within is fitted.node[kind] else _named(NODE_NAMES, within.tolist()),
        "repeat": {"same_file_above": REPEAT[kind]},
    }


def _named(names: tuple[str, ...], weights: list[float]) -> dict[str, float]:
    pairs = zip(names, weights, strict=True)
    return {name: round(weight, 5) for name, weight in pairs if abs(weight) > 1e-4}


def write(sets: dict[str, object], data: Data) -> None:
    """Put the weights into the product, with what made them; kinds not fitted keep theirs."""
    before = json.loads(WEIGHTS.read_text("utf-8"))["sets"]
    sets = {source: {**before[source], **kinds} for source, kinds in sets.items()}
    content = {
        "command": "python -m benchmarks.quality.fit --suite dev --corpora dev"
        " --reports issues_dev.jsonl --report-corpora issues"
        " --mined mined/mined.jsonl --mined-corpora mined/trees"
        " --docs docs/docs.jsonl --docs-corpora docs/trees --cache cache --write",
        "data": ", ".join(
            (
                _counted(data.queries, "development queries"),
                _counted(data.reports, "bug reports"),
                _counted(data.mined, "commit messages"),
                _counted(data.docs, "doc comments"),
            )
        ),
        "date": datetime.now(timezone.utc).date().isoformat(),
        "cross_validated": FIGURES,
        "sets": sets,
    }
    WEIGHTS.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def _counted(examples: list[Example], what: str) -> str:
    return f"{len(examples)} {what} over {len({e.repository for e in examples})} repositories"


if __name__ == "__main__":
    main()
