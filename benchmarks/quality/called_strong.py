"""Count what answers to graded questions are called, beside whether they are right.

    python -m benchmarks.quality.called_strong --suite SUITE=CORPORA ... --cache DIR \
        [--name NOW --save FILE]

A first hit is wrong if it is of no grade of 2 or 3; an answer is right if one of its first five
hits is of one. Questions of another repository have no right answer: each is asked of one too.
All are asked of the folders that were judged, then of the whole repositories.
`read_searches` adds what the sixty searches there are called.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks import stored
from benchmarks.quality.confidence_rows import N_HITS, PATIENT, Repository, is_relevant, load
from packhound.core.types import Query
from packhound.encoder.embedder import Embedder
from packhound.evaluation.cases import Case
from packhound.search.pipeline import search

SURE = ("exact", "strong")
WORDS = (*SURE, "likely", "possible", "weak")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", action="append", required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--name", default="now")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    figures = {}
    for name, whole in (("folders judged", False), ("whole repositories", True)):
        repositories = [*load(options.suite, True, Embedder.open(), options.cache, whole=whole)]
        figures[name] = count(repositories)
    print(json.dumps(figures, indent=1))
    if options.save:
        stored.save(options.save, {**stored.load(options.save), options.name: figures})


def count(repositories: Sequence[Repository]) -> dict[str, object]:
    """Return what answers to the questions of repositories are called, and how often rightly."""
    own = {word: Counter[str]() for word in WORDS}
    for position, repository in enumerate(repositories):
        other = repositories[(position + 1) % len(repositories)]
        for case in repository.cases:
            word, relevant = _ask(repository, case)
            own[word].update(n=1, first=int(any(relevant[:1])), five=int(any(relevant[:5])))
            own[_ask(other, case)[0]].update(elsewhere=1)
    return {"words": table(own), **_shares(own)}


def table(words: Mapping[str, Counter[str]]) -> dict[str, dict[str, float]]:
    """Return for each word the answers called so, and the shares of them that are right."""
    return {
        word: {
            "answers": counts["n"],
            "first hit right": share(counts["first"], counts["n"]),
            "one of five right": share(counts["five"], counts["n"]),
            "questions of another repository": counts["elsewhere"],
        }
        for word in WORDS
        if (counts := words.get(word, Counter[str]()))["n"]
    }


def _ask(repository: Repository, case: Case) -> tuple[str, list[bool]]:
    query = Query(case.text, N_HITS, budget=PATIENT)
    results = search(repository.snapshot, query, repository.reading_again)
    relevant = [is_relevant(hit.node, case, right=True) for hit in results.hits]
    return results.confidence_word or "weak", relevant


def _shares(words: Mapping[str, Counter[str]]) -> dict[str, float]:
    total = sum(words.values(), Counter[str]())
    sure = words["exact"] + words["strong"]
    wrong_sure = sure["n"] - sure["first"]
    return {
        "questions": total["n"],
        "share of wrong first hits called strong": share(wrong_sure, total["n"] - total["first"]),
        "share of right answers called weak": share(words["weak"]["five"], total["five"]),
        "share of strong answers elsewhere": share(sure["elsewhere"], total["n"]),
        "share of likely answers elsewhere": share(words["likely"]["elsewhere"], total["n"]),
    }


def share(part: int, whole: int) -> float:
    return round(part / max(1, whole), 3)


if __name__ == "__main__":
    main()
