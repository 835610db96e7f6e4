"""Measure the quality of the ranking, and what each of its parts is worth.

    python -m benchmarks.quality.run --suite SUITE --corpora DIR --cache DIR [--ablate] [--out JSON]
    python -m benchmarks.quality.run --suite SUITE --corpora DIR --cache DIR --definitions 2000

Searches run through the product's own `search`; corpora are indexed once and kept in the cache.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from benchmarks.quality.corpora import snapshot_of
from benchmarks.stored import save
from packhound.core.settings_reader import settings_from
from packhound.core.types import KINDS, Hit, Query, Results
from packhound.encoder.embedder import Embedder
from packhound.evaluation.cases import Case
from packhound.evaluation.score import (
    Outcome,
    answers,
    judge,
    judge_parts,
    losses,
    summarize,
)
from packhound.evaluation.suite import load_suite
from packhound.search.ablation import ablate
from packhound.search.environment import SearchEnvironment
from packhound.search.pipeline import search
from packhound.text import is_test

GROUPS = {"all": "", "category": "category", "language": "language", "repository": "repository"}
WAYS = {
    "hybrid": ("hybrid", "linear"),
    "lexical": ("lexical", "linear"),
    "dense": ("dense", "linear"),
    "rrf": ("hybrid", "rrf"),
    "blend": ("hybrid", "blend"),
}
DEFINITIONS = frozenset(KINDS) - {"impl", "test", "section", "file", "window"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", type=Path, required=True)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--way", choices=list(WAYS), action="append")
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--definitions", type=int, default=0, metavar="N")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    embedder = Embedder.open()
    cases = load_suite(options.suite)
    report: dict[str, object] = {
        "command": " ".join(["python -m benchmarks.quality.run", *_portable(sys.argv[1:])]),
        "date": datetime.now(timezone.utc).date().isoformat(),
        "model": embedder.fingerprint,
        "cases": len(cases),
    }
    if options.definitions:
        report["definition_first"] = definition_first(cases, options, embedder)
    else:
        for way in options.way or list(WAYS):
            report[way] = measure_way(way, cases, options, embedder)
    if options.ablate:
        report["ablation"] = ablation(cases, options, embedder)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        save(options.out, report)


def measure_way(
    way: str, cases: tuple[Case, ...], options: argparse.Namespace, embedder: Embedder
) -> dict[str, object]:
    """All figures of one way to search."""
    mode, fuser = WAYS[way]

    @contextmanager
    def opened(root: Path) -> Iterator[Callable[[Query], Results]]:
        snapshot = snapshot_of(root, embedder, options.cache)

        environment = SearchEnvironment(
            str(root), embedder, settings=settings_from({"search.fuser": fuser})
        )

        def ask(query: Query) -> Results:
            return search(snapshot, replace(query, mode=mode), environment)

        ask(Query("the first search of a generation reads the facts of its files"))
        yield ask

    answered = answers(cases, options.corpora, opened, options.limit)
    outcomes = [judge(case, results.hits, results.took_ms) for case, results in answered]
    figures = {
        group: {name: _plain(row) for name, row in summarize(outcomes, by).items()}
        for group, by in GROUPS.items()
    }
    took = [outcome.took_ms for outcome in outcomes]
    figures["took_ms"] = {"p50": _quantile(took, 50), "p95": _quantile(took, 95)}
    _print(way, figures)
    return {**figures, "worst": _worst(outcomes)}


def ablation(
    cases: tuple[Case, ...], options: argparse.Namespace, embedder: Embedder
) -> dict[str, dict[str, float]]:
    """What is lost without each part of the ranking."""

    @contextmanager
    def opened(root: Path) -> Iterator[Callable[[Query], Mapping[str, Sequence[Hit]]]]:
        snapshot = snapshot_of(root, embedder, options.cache)
        environment = SearchEnvironment(str(root), embedder)
        yield lambda query: ablate(snapshot, query, environment)

    answered = answers(cases, options.corpora, opened)
    lost = losses([(case, judge_parts(case, hits)) for case, hits in answered])
    for part, changes in lost.items():
        print(f"{part:40} {next(iter(changes.values())):+.4f}")
    return {part: {m: round(value, 4) for m, value in row.items()} for part, row in lost.items()}


def definition_first(
    cases: tuple[Case, ...], options: argparse.Namespace, embedder: Embedder
) -> dict[str, object]:
    """How often a name drawn from a corpus, as a query, is answered by its definition first."""
    places: list[tuple[str, str]] = []
    snapshots, environment = {}, SearchEnvironment("", embedder)
    for folder in dict.fromkeys(case.folder for case in cases):
        snapshot = snapshots[folder] = snapshot_of(
            options.corpora / folder, embedder, options.cache
        )
        names = {
            node.name
            for entry in snapshot.files.values()
            for node in entry.nodes
            if node.kind in DEFINITIONS and re.fullmatch(r"[A-Za-z_]\w+", node.name)
        }
        places += [(folder, name) for name in sorted(names)]
    drawn = random.Random(0).sample(places, min(options.definitions, len(places)))
    missed, tests_above, repeats = [], [], 0
    for folder, name in sorted(drawn):
        nodes = [hit.node for hit in search(snapshots[folder], Query(name), environment).hits]
        first = nodes[0] if nodes else None
        if first is None or name not in (first.name, re.split(r"\W+", first.qualname)[-1]):
            missed.append([folder, name, first.qualname if first else None])
        definitions = [is_test(node.path) for node in nodes if node.name == name]
        if definitions != sorted(definitions):
            tests_above.append([folder, name])
        repeats += len(nodes) - len({(node.path, node.qualname, node.kind) for node in nodes})
    share = 1 - len(missed) / max(1, len(drawn))
    print(f"definition first: {share:.4f} of {len(drawn)} names", missed[:20])
    return {
        "share": share,
        "drawn": len(drawn),
        "of": len(places),
        "missed": missed,
        "definition in a test above another": tests_above,
        "rows that repeat a name of their file": repeats,
    }


def _portable(arguments: list[str]) -> list[str]:
    """The command without the folders of this machine."""
    return [Path(part).name if "/" in part else part for part in arguments]


def _plain(row: dict[str, object]) -> dict[str, dict[str, float]]:
    return {
        measure: {key: round(value, 4) for key, value in asdict(figure).items()}
        for measure, figure in row.items()
    }


def _print(way: str, figures: dict[str, dict]) -> None:
    print(way, "took ms", figures["took_ms"])
    for group in ("all", "category"):
        for name, row in figures[group].items():
            columns = ", ".join(
                f"{measure} {f['mean']:.3f} [{f['low']:.3f}, {f['high']:.3f}]"
                for measure, f in row.items()
            )
            print(f"  {name:14} {columns}")


def _worst(outcomes: list[Outcome], n: int = 25) -> list[dict[str, object]]:
    """The queries that lose most, to read."""
    measure = next(iter(outcomes[0].scores))
    worst = sorted(outcomes, key=lambda outcome: outcome.scores[measure])[:n]
    return [
        {
            "repository": outcome.case.repository,
            "query": outcome.case.text[:100],
            "score": round(outcome.scores[measure], 3),
            "rank": outcome.rank,
        }
        for outcome in worst
    ]


def _quantile(values: list[float], q: int) -> float:
    return round(float(np.percentile(values, q)), 2)


if __name__ == "__main__":
    main()
