"""Graded node-level queries with the signals of their candidates, and the scores of rankings.

A suite is a folder of judgements with a file per repository, as in `nodes/`.
"""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.corpora import snapshot_of
from packhound.core.types import Query
from packhound.encoder.embedder import Embedder
from packhound.evaluation.cases import Answer
from packhound.evaluation.graded import is_answer
from packhound.files import read_text
from packhound.grep import Grep
from packhound.search.environment import SearchEnvironment
from packhound.search.pipeline import parse, retrieve_context
from packhound.search.query.encode import encode
from packhound.search.signals.context import SignalContext
from packhound.search.signals.registry import FILE_SIGNALS, NODE_SIGNALS

FILE_NAMES = tuple(signal.name for signal in FILE_SIGNALS)
NODE_NAMES = tuple(signal.name for signal in NODE_SIGNALS)
NAMES = (*FILE_NAMES, *NODE_NAMES)

Floats = NDArray[np.float64]


@dataclass(eq=False)
class Example:
    """One judged query: `signals` [candidates, names], the `grade` of each candidate.

    `answers[i]` are the answers that candidate i matches, `grades` those of all answers, `order`
    sorts candidates by path and start.
    """

    repository: str
    suite: str
    category: str
    kind: str
    signals: NDArray[np.float32]
    grade: NDArray[np.int64]
    answers: list[list[int]]
    grades: list[int]
    order: NDArray[np.intp]


def load(suites: Iterable[str], cache: Path) -> list[Example]:
    """The examples of all suites, from the cache where they are there."""
    embedder, examples = Embedder.open(), []
    for number, suite in enumerate(suites):
        folder, corpora = (Path(part) for part in suite.split("=", 1))
        for file in sorted(folder.glob("*.jsonl")):
            cached = cache / f"nodes-{number}-{file.stem}.pickle"
            if not cached.exists():
                rows = [*examples_of(file, folder.name, corpora, embedder, cache)]
                cached.write_bytes(pickle.dumps([vars(e) for e in rows], protocol=5))
                print(file.stem, len(rows), file=sys.stderr)
            examples += [Example(**fields) for fields in pickle.loads(cached.read_bytes())]
    return examples


def examples_of(
    file: Path, suite: str, corpora: Path, embedder: Embedder, cache: Path
) -> Iterable[Example]:
    """The examples of one repository."""
    for case, context in contexts_of(file, corpora, embedder, cache):
        yield example_of(case, context, file.stem, suite)


def contexts_of(
    file: Path, corpora: Path, embedder: Embedder, cache: Path
) -> Iterator[tuple[dict, SignalContext]]:
    """The cases of one repository, each with its candidates."""
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    root = corpora / file.stem / (lines[0]["root"] or "")
    snapshot = snapshot_of(root, embedder, cache)
    environment = environment_of(root, embedder)
    for case in lines:
        query = Query(case["query"])
        parsed = parse(snapshot, query, environment)
        vectors, _ = encode(parsed, query.mode, snapshot, embedder)
        yield case, retrieve_context(snapshot, query, parsed, vectors, environment)


def environment_of(root: Path, embedder: Embedder) -> SearchEnvironment:
    """Return the environment of searches of one corpus, its texts read from the disk."""
    grep = Grep(str(root), lambda path, _: read_text(root, path))
    return SearchEnvironment(str(root), embedder, texts=grep)


def example_of(case: dict, context: SignalContext, repository: str, suite: str) -> Example:
    """The signals and grades of a case's candidates."""
    candidates = context.candidates
    files = np.stack([signal.function(context.whole) for signal in FILE_SIGNALS], axis=1)
    nodes = np.stack([signal.function(context) for signal in NODE_SIGNALS], axis=1)
    owners = (candidates.entries[i] for i in candidates.owner)
    places = [
        (
            f"{case['root'] or ''}/{entry.path}".lstrip("/"),
            entry.nodes[entry.position(int(node_id))],
        )
        for entry, node_id in zip(owners, candidates.node_ids, strict=True)
    ]
    answers = [matched_answers(path, node, case["answers"]) for path, node in places]
    grades = [answer["grade"] for answer in case["answers"]]
    keys = [(path, node.span.start) for path, node in places]
    order = np.empty(len(keys), np.intp)
    order[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return Example(
        repository=repository,
        suite=suite,
        category=case["kind"],
        kind=context.query.kind,
        signals=np.hstack((files[candidates.owner], nodes)).astype(np.float32),
        grade=np.array([max((grades[i] for i in a), default=0) for a in answers]),
        answers=answers,
        grades=grades,
        order=order,
    )


def matched_answers(path: str, node: object, answers: Sequence[dict]) -> list[int]:
    """The answers that a node is, by their positions."""
    return [
        i
        for i, answer in enumerate(answers)
        if is_answer(Answer(**answer), path, node.name, node.span)
    ]


def score(example: Example, order: NDArray[np.intp]) -> tuple[float, float, float, float]:
    """NDCG@10, s@1, s@5 and r3@10; each answer counts at its first match."""
    rank: dict[int, int] = {}
    for place, candidate in enumerate(order[:20]):
        answer = next((a for a in example.answers[candidate] if a not in rank), None)
        if answer is not None:
            rank[answer] = place
    gains = 2.0 ** np.array(example.grades) - 1
    dcg = sum(gains[a] / np.log2(r + 2) for a, r in rank.items() if r < 10)
    ideal = (np.sort(gains)[::-1][:10] / np.log2(np.arange(2, 2 + min(10, len(gains))))).sum()
    best_ranks = [rank[a] for a in rank if example.grades[a] == 3]
    n_wanted = example.grades.count(3)
    return (
        float(dcg / ideal),
        float(any(r == 0 for r in best_ranks)),
        float(any(r < 5 for r in best_ranks)),
        sum(r < 10 for r in best_ranks) / n_wanted,
    )


def summary(examples: Sequence[Example], scores: Floats) -> dict[str, object]:
    """Means per suite, with NDCG@10 per category."""
    result: dict[str, object] = {}
    for suite in sorted({e.suite for e in examples}):
        rows = np.array([e.suite == suite for e in examples])
        categories = {
            c: round(
                float(scores[rows & np.array([e.category == c for e in examples])][:, 0].mean()), 3
            )
            for c in sorted({e.category for e in examples})
        }
        columns = scores[rows].mean(axis=0).round(3).tolist()
        means = dict(zip(("ndcg@10", "s@1", "s@5", "r3@10"), columns, strict=True))
        error = float(scores[rows][:, 0].std() / np.sqrt(rows.sum()))
        result[suite] = {**means, "standard error": round(error, 3), "by kind": categories}
    return result
