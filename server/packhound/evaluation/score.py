"""Scores of hits against known answers, as `benchmarks/quality/README.md` defines them."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Literal, TypeAlias, TypeVar

from packhound.core.errors import SettingsError
from packhound.core.types import Focus, Hit, Query
from packhound.evaluation import graded
from packhound.evaluation.cases import REPORT, Case, Target, same_function, same_path
from packhound.search import BASELINE

TOP = 10
REPORT_LIMIT = 50
"""Hits asked for a report: ten of them can be of fewer than the five files that count."""

_RESAMPLES = 1_000
_INTERVAL, _GRADED_INTERVAL = 0.90, 0.95

T = TypeVar("T")
Opener = Callable[[Path], AbstractContextManager[Callable[[Query], T]]]
"""Opens the folder of one corpus for searching; leaving the context closes it."""
Hits = Mapping[str, Sequence[Hit]]
"""Hits by the ablated part of the ranking."""

# Of queries, of bug reports, and of graded queries: success@k and recall@10 of the best grade.
# Precision p@k is the share of the first k hits that are answers, of whatever grade.
_QueryMeasure = Literal["ndcg", "mrr", "hit@1", "hit@5", "hit@10", "p@5", "p@10"]
_ReportMeasure = Literal["file@1", "file@5", "func@10"]
_GradedMeasure = Literal["ndcg", "s@1", "s@5", "r3@10", "p@5", "p@10"]
Measure: TypeAlias = _QueryMeasure | _ReportMeasure | _GradedMeasure
Scores = dict[Measure, float]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Scores of one case; `rank` is that of its first relevant hit, None without one."""

    case: Case
    scores: Scores
    rank: int | None
    took_ms: float


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over `n` cases and its bootstrap interval: 90 %, of graded cases 95 %."""

    mean: float
    low: float
    high: float
    n: int


def judge_parts(case: Case, hits_by_part: Hits) -> dict[str, Scores]:
    """Score the hits without each part of the ranking."""
    return {part: judge(case, hits, 0.0).scores for part, hits in hits_by_part.items()}


def losses(ablated: Sequence[tuple[Case, dict[str, Scores]]]) -> dict[str, dict[Measure, float]]:
    """Return the loss without each part, in the mean over repositories, largest first."""
    parts = dict.fromkeys(part for _, scores in ablated for part in scores if part != BASELINE)
    measures = dict.fromkeys(m for _, scores in ablated for m in scores[BASELINE])
    lost: dict[str, dict[Measure, float]] = {
        part: {
            measure: _mean(
                [
                    (case, scores[BASELINE][measure] - scores.get(part, scores[BASELINE])[measure])
                    for case, scores in ablated
                    if measure in scores[BASELINE]
                ]
            )
            for measure in measures
        }
        for part in parts
    }
    return dict(sorted(lost.items(), key=lambda pair: -next(iter(pair[1].values()))))


def _mean(values: Sequence[tuple[Case, float]]) -> float:
    by_repository: dict[str, list[float]] = defaultdict(list)
    for case, value in values:
        by_repository[case.repository].append(value)
    return fmean(map(fmean, by_repository.values()))


def answers(
    cases: Sequence[Case], corpora: Path, opener: Opener[T], limit: int = 0
) -> Iterator[tuple[Case, T]]:
    """Yield the result of every case's query, one corpus open at a time.

    Raises SettingsError for a corpus that is missing.
    """
    by_folder: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_folder[case.folder].append(case)
    for folder, group in by_folder.items():
        root = corpora / folder
        if not root.is_dir():
            raise SettingsError(f"corpus '{folder}' is not in {corpora}")
        with opener(root) as search:
            for case in group:
                files = not case.answers and case.category != REPORT
                focus = Focus(case.focus) if case.focus else None
                query = Query(case.text, limit or _limit(case), focus=focus, files=files)
                yield case, search(query)


def _limit(case: Case) -> int:
    if case.answers:
        return graded.GRADED_LIMIT
    return REPORT_LIMIT if case.category == REPORT else TOP


def judge(case: Case, hits: Sequence[Hit], took_ms: float) -> Outcome:
    """Score the hits of one case."""
    if case.answers:
        return _judge_graded(case, hits, took_ms)
    ranks = [rank for target in case.targets if (rank := _first_rank(target, hits[:TOP]))]
    if case.category == REPORT:
        scores = _report_scores(case, hits)
    else:
        scores = _query_scores(ranks, len(case.targets)) | _precision(
            rank
            for rank, hit in enumerate(hits)
            if any(_matches(target, hit) for target in case.targets)
        )
    return Outcome(case, scores, min(ranks, default=None), took_ms)


def summarize(outcomes: Sequence[Outcome], by: str = "") -> dict[str, dict[Measure, Figure]]:
    """Return figures by an attribute of cases, else the mean over repositories of their means.

    Figures of graded cases are means over queries throughout.
    """
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[getattr(outcome.case, by) if by else "all"].append(outcome)
    return {
        name: {measure: _figure(group, measure, not by) for measure in _measures(group)}
        for name, group in sorted(groups.items())
    }


def latencies(outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """Return the median and the 95th percentile of the time of the searches, in milliseconds."""
    took = sorted(outcome.took_ms for outcome in outcomes)
    return took[(len(took) - 1) // 2], took[int((len(took) - 1) * 0.95)]


def _judge_graded(case: Case, hits: Sequence[Hit], took_ms: float) -> Outcome:
    ranks = graded.match_answers(case, hits)
    best = graded.best_ranks(case, ranks)
    scores: Scores = {
        "ndcg": graded.ndcg(case, ranks),
        "s@1": float(0 in best),
        "s@5": float(any(rank < 5 for rank in best)),
        **_precision(ranks.values()),
    }
    n_best = sum(answer.grade == graded.BEST_GRADE for answer in case.answers)
    if n_best:
        scores["r3@10"] = sum(rank < TOP for rank in best) / n_best
    return Outcome(case, scores, min(ranks.values()) + 1 if ranks else None, took_ms)


def _query_scores(ranks: Sequence[int], n_targets: int) -> Scores:
    gain = sum(1 / math.log2(rank + 1) for rank in ranks)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(TOP, n_targets) + 1))
    best = min(ranks, default=TOP + 1)
    return {
        "ndcg": gain / ideal if ideal else 0.0,
        "mrr": 1 / best if ranks else 0.0,
        "hit@1": float(best <= 1),
        "hit@5": float(best <= 5),
        "hit@10": float(best <= 10),
    }


def _precision(ranks: Iterable[int]) -> Scores:
    """Return the precision of hits of which those at the 0-based `ranks` are answers."""
    found = tuple(ranks)
    return {"p@5": sum(rank < 5 for rank in found) / 5, "p@10": sum(r < TOP for r in found) / TOP}


def _report_scores(case: Case, hits: Sequence[Hit]) -> Scores:
    files = list(dict.fromkeys(hit.node.path for hit in hits))
    gold = {target.path for target in case.targets}
    scores: Scores = {
        "file@1": float(gold <= set(files[:1])),
        "file@5": float(gold <= set(files[:5])),
    }
    if case.functions:
        all_in_top = all(_first_rank(target, hits[:TOP]) for target in case.functions)
        scores["func@10"] = float(all_in_top)
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


def _measures(group: Iterable[Outcome]) -> tuple[Measure, ...]:
    return tuple(dict.fromkeys(measure for outcome in group for measure in outcome.scores))


def _figure(group: Sequence[Outcome], measure: Measure, clustered: bool) -> Figure:
    clusters: dict[object, list[float]] = defaultdict(list)
    scored = [outcome for outcome in group if measure in outcome.scores]
    is_graded = any(outcome.case.answers for outcome in scored)
    # One repository alone would have no interval.
    clustered = (
        clustered and not is_graded and len({outcome.case.repository for outcome in scored}) > 1
    )
    for position, outcome in enumerate(scored):
        key: object = outcome.case.repository if clustered else position
        clusters[key].append(outcome.scores[measure])
    means = [fmean(values) for values in clusters.values()]
    coverage = _GRADED_INTERVAL if is_graded else _INTERVAL
    low, high = bootstrap_interval(means, coverage)
    return Figure(fmean(means), low, high, len(scored))


def bootstrap_interval(means: Sequence[float], coverage: float = _INTERVAL) -> tuple[float, float]:
    """Return the middle `coverage` of the means of resamples drawn with replacement."""
    draw = random.Random(0)
    resampled = sorted(fmean(draw.choices(means, k=len(means))) for _ in range(_RESAMPLES))
    tail = int((1 - coverage) / 2 * _RESAMPLES)
    return resampled[tail], resampled[-tail - 1]
