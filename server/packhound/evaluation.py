"""How good the ranking is: suites of queries with known answers, and the figures they give.

A suite is a folder of `<repository>.json` files (beside or in it a `*repos.json` that says which
folder of each repository counts), one such JSON file, or a `.jsonl` of bug reports with the files
and functions that their fixes changed. Scoring follows `benchmarks/quality/README.md`.
"""

from __future__ import annotations

import json
import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Literal

from packhound.errors import SettingsError
from packhound.types import Hit, Query, Results

TOP = 10
REPORT = "report"
"""The category of a bug report, which is scored by files and functions."""

_RESAMPLES = 1_000
_INTERVAL = 0.90

Searcher = Callable[[Query], Results]
Opener = Callable[[Path], AbstractContextManager[Searcher]]
"""Opens the folder of one corpus for searching; leaving the context closes it."""


@dataclass(frozen=True, slots=True)
class Target:
    """A right answer: a path, narrowed to 1-based inclusive lines or to a function where known."""

    path: str
    start_line: int | None = None
    end_line: int | None = None
    function: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One query and its right answers. `folder` is relative to the folder of all corpora."""

    text: str
    targets: tuple[Target, ...]
    category: str
    repository: str
    language: str
    folder: str
    functions: tuple[Target, ...] = ()


Measure = Literal["ndcg", "mrr", "hit@1", "hit@5", "hit@10", "file@1", "file@5", "func@10"]
QUERY_MEASURES: tuple[Measure, ...] = ("ndcg", "mrr", "hit@1", "hit@5", "hit@10")
REPORT_MEASURES: tuple[Measure, ...] = ("file@1", "file@5", "func@10")
Scores = dict[Measure, float]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one case scored; `rank` is that of its first right hit, None where there is none."""

    case: Case
    scores: Scores
    rank: int | None
    took_ms: float


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean and its bootstrap 90 % interval over `n` cases."""

    mean: float
    low: float
    high: float
    n: int


def evaluate(
    cases: Sequence[Case], corpora: Path, opener: Opener, limit: int = TOP
) -> Iterator[Outcome]:
    """Search every case in its corpus, one corpus open at a time, in the order of the cases."""
    by_folder: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_folder[case.folder].append(case)
    for folder, group in by_folder.items():
        root = corpora / folder
        if not root.is_dir():
            raise SettingsError(f"corpus '{folder}' is not in {corpora}")
        with opener(root) as search:
            for case in group:
                results = search(Query(text=case.text, limit=limit))
                yield judge(case, results.hits, results.took_ms)


def judge(case: Case, hits: Sequence[Hit], took_ms: float) -> Outcome:
    """Score the hits of one case."""
    ranks = [_first_rank(target, hits[:TOP]) for target in case.targets]
    found = [rank for rank in ranks if rank]
    if case.category == REPORT:
        scores = _report_scores(case, hits)
    else:
        scores = _query_scores(found, len(case.targets))
    return Outcome(case, scores, min(found, default=None), took_ms)


def summarize(
    outcomes: Sequence[Outcome], by: Callable[[Case], str] | None = None
) -> dict[str, dict[Measure, Figure]]:
    """Figures per group (`by`), and under `all` the mean over repositories of their means."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[by(outcome.case) if by else "all"].append(outcome)
    return {
        name: {
            measure: _figure(group, measure, clustered=by is None) for measure in _measures(group)
        }
        for name, group in sorted(groups.items())
    }


def load_suite(suite: Path) -> tuple[Case, ...]:
    """Read a suite; raises SettingsError naming the file that cannot be read as one."""
    if suite.suffix == ".jsonl":
        return tuple(_issue_case(json.loads(line)) for line in _lines(suite))
    files = sorted(suite.glob("*.json")) if suite.is_dir() else [suite]
    described = _repositories(suite)
    cases: list[Case] = []
    for file in files:
        if file.name.endswith("repos.json"):
            continue
        entry = described.get(file.stem, {})
        folder = f"{file.stem}/{entry.get('root') or ''}".rstrip("/") if entry else "."
        for case in _read_json(file):
            cases.append(_query_case(case, file, str(entry.get("language") or ""), folder))
    if not cases:
        raise SettingsError(f"suite '{suite}' holds no queries (expected .json files or a .jsonl)")
    return tuple(cases)


def _query_scores(found: Sequence[int], n_targets: int) -> Scores:
    gain = sum(1 / math.log2(rank + 1) for rank in found)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(TOP, n_targets) + 1))
    best = min(found, default=TOP + 1)
    return {
        "ndcg": gain / ideal if ideal else 0.0,
        "mrr": 1 / best if found else 0.0,
        "hit@1": float(best <= 1),
        "hit@5": float(best <= 5),
        "hit@10": float(best <= 10),
    }


def _report_scores(case: Case, hits: Sequence[Hit]) -> Scores:
    files = list(dict.fromkeys(hit.node.path for hit in hits))
    gold = {target.path for target in case.targets}
    scores: Scores = {
        "file@1": float(gold <= set(files[:1])),
        "file@5": float(gold <= set(files[:5])),
    }
    if case.functions:
        found = all(_first_rank(target, hits[:TOP]) for target in case.functions)
        scores["func@10"] = float(found)
    return scores


def _first_rank(target: Target, hits: Sequence[Hit]) -> int | None:
    for rank, hit in enumerate(hits, 1):
        if _matches(target, hit):
            return rank
    return None


def _matches(target: Target, hit: Hit) -> bool:
    if not same_path(target.path, hit.node.path):
        return False
    if target.function is not None:
        return same_function(target.function, hit.node.qualname)
    if target.start_line is None or target.end_line is None:
        return True
    span = hit.node.span
    return span.start_line + 1 <= target.end_line and target.start_line <= span.end_line + 1


def same_path(left: str, right: str) -> bool:
    """Whether one path ends with the other, whole components only."""
    return f"/{left}".endswith(f"/{right}") or f"/{right}".endswith(f"/{left}")


def same_function(wanted: str, qualname: str) -> bool:
    """`Class.method` is found by the method itself, whatever it is nested in."""
    return f".{qualname.replace('::', '.')}".endswith(f".{wanted}")


def _measures(group: Iterable[Outcome]) -> tuple[Measure, ...]:
    return tuple(dict.fromkeys(measure for outcome in group for measure in outcome.scores))


def _figure(group: Sequence[Outcome], measure: Measure, *, clustered: bool) -> Figure:
    clusters: dict[object, list[float]] = defaultdict(list)
    scored = [outcome for outcome in group if measure in outcome.scores]
    for position, outcome in enumerate(scored):
        key: object = outcome.case.repository if clustered else position
        clusters[key].append(outcome.scores[measure])
    means = [fmean(values) for values in clusters.values()]
    low, high = bootstrap_interval(means)
    return Figure(fmean(means), low, high, len(scored))


def bootstrap_interval(means: Sequence[float], seed: int = 0) -> tuple[float, float]:
    """The middle 90 % of the means of resamples drawn with replacement."""
    draw = random.Random(seed)
    resampled = sorted(fmean(draw.choices(means, k=len(means))) for _ in range(_RESAMPLES))
    tail = int((1 - _INTERVAL) / 2 * _RESAMPLES)
    return resampled[tail], resampled[-tail - 1]


def _query_case(case: dict[str, object], file: Path, language: str, folder: str) -> Case:
    try:
        named = [*_list(case["relevant"]), *_list(case.get("secondary"))]
        targets = tuple(_target(entry) for entry in named)
        return Case(
            text=str(case["query"]),
            targets=targets,
            category=str(case.get("category") or "all"),
            repository=file.stem,
            language=language,
            folder=folder,
        )
    except (KeyError, TypeError) as problem:
        raise SettingsError(f"a query in '{file}' lacks {problem}") from None


def _target(entry: object) -> Target:
    if isinstance(entry, dict):
        return Target(str(entry["path"]), entry.get("start_line"), entry.get("end_line"))
    return Target(str(entry))


def _issue_case(case: dict[str, object]) -> Case:
    gold = [entry for entry in _list(case["gold"]) if isinstance(entry, dict)]
    functions = [name for entry in gold for name in entry["changes"].get("edited_entities", [])]
    return Case(
        text=str(case["problem_statement"]),
        targets=tuple(Target(str(entry["file"])) for entry in gold),
        category=REPORT,
        repository=str(case["repo"]),
        language="python",
        folder=str(case["instance_id"]),
        functions=tuple(
            Target(path, function=name) for path, _, name in (f.partition(":") for f in functions)
        ),
    )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _repositories(suite: Path) -> dict[str, dict[str, object]]:
    """What is said of each repository, by name; empty for a single file of queries."""
    if not suite.is_dir():
        return {}
    beside = sorted(suite.parent.glob(f"{suite.name}_repos.json"))
    for file in [*sorted(suite.glob("*repos.json")), *beside]:
        return {str(entry["name"]): entry for entry in _read_json(file)}
    return {file.stem: {"root": None} for file in suite.glob("*.json")}


def _read_json(file: Path) -> list[dict[str, object]]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as problem:
        raise SettingsError(f"suite '{file}' cannot be read: {problem}") from None
    if not isinstance(found, list):
        raise SettingsError(f"suite '{file}' is not a list of queries")
    return found


def _lines(file: Path) -> list[str]:
    try:
        return [line for line in file.read_text("utf-8").splitlines() if line.strip()]
    except OSError as problem:
        raise SettingsError(f"suite '{file}' cannot be read: {problem}") from None
