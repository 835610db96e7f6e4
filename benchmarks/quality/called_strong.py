"""Count what answers to graded questions are called, beside whether they are right.

    python -m benchmarks.quality.called_strong --suite SUITE=CORPORA ... --cache DIR \
        [--name NOW --save FILE]

A first hit is wrong if it is of no grade of 2 or 3; an answer is right if one of its first five
hits is of one. Questions of another repository have no right answer: each is asked of one too.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from benchmarks import stored
from benchmarks.quality.confidence_rows import N_HITS, Repository, is_relevant, load
from packhound.core.types import Query
from packhound.encoder.embedder import Embedder
from packhound.evaluation.cases import Case
from packhound.search.pipeline import search

SURE = ("exact", "strong")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", action="append", required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--name", default="now")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    repositories = [*load(options.suite, True, Embedder.open(), options.cache)]
    counts = Counter[str]()
    for position, repository in enumerate(repositories):
        for case in repository.cases:
            _count(repository, case, counts)
            other = repositories[(position + 1) % len(repositories)]
            counts[f"elsewhere {_ask(other, case)[0]}"] += 1
    figures = {**_shares(counts), "counts": dict(sorted(counts.items()))}
    print(json.dumps(figures, indent=1))
    if options.save:
        stored.save(options.save, {**stored.load(options.save), options.name: figures})


def _count(repository: Repository, case: Case, counts: Counter[str]) -> None:
    word, relevant = _ask(repository, case)
    counts["questions"] += 1
    counts[word] += 1
    counts[f"first wrong, {word}"] += not relevant[:1].count(True)
    counts[f"right, {word}"] += any(relevant[:5])


def _ask(repository: Repository, case: Case) -> tuple[str, list[bool]]:
    results = search(repository.snapshot, Query(case.text, N_HITS), repository.environment)
    relevant = [is_relevant(hit.node, case, right=True) for hit in results.hits]
    return results.confidence_word or "none", relevant


def _shares(counts: Counter[str]) -> dict[str, float]:
    wrong = sum(n for name, n in counts.items() if name.startswith("first wrong"))
    right = sum(n for name, n in counts.items() if name.startswith("right"))
    sure = sum(counts[word] for word in SURE)
    wrong_sure = sum(counts[f"first wrong, {word}"] for word in SURE)
    right_sure = sum(counts[f"right, {word}"] for word in SURE)
    elsewhere = sum(counts[f"elsewhere {word}"] for word in SURE)
    return {
        "share of wrong first hits called strong": round(wrong_sure / max(1, wrong), 3),
        "share of strong answers whose first hit is wrong": round(wrong_sure / max(1, sure), 3),
        "share of strong answers that are right": round(right_sure / max(1, sure), 3),
        "share of right answers called weak": round(counts["right, weak"] / max(1, right), 3),
        "share of strong answers elsewhere": round(elsewhere / max(1, counts["questions"]), 3),
    }


if __name__ == "__main__":
    main()
