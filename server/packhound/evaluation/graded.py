"""Scores of queries with graded answers: nodes with a grade from 3 (wanted first) to 1 (useful).

A hit matches an answer of its path if their lines overlap and either intersection over union is at
least one half or its name is the last component of the answer's. Each answer counts once, each hit
for one answer. Gains are 2^grade - 1 (Burges et al. 2005).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from packhound.core.types import Hit, Span
from packhound.evaluation.cases import Answer, Case

GRADED_LIMIT = 20
TOP = 10
BEST_GRADE = 3
_MIN_IOU = 0.5
_SEPARATOR = re.compile(r"::|[.#:]")


def match_answers(case: Case, hits: Sequence[Hit]) -> dict[int, int]:
    """Return the 0-based rank of the first hit of each matched answer, by the answer's position."""
    ranks: dict[int, int] = {}
    for rank, hit in enumerate(hits):
        path = f"{case.root}/{hit.node.path}" if case.root else hit.node.path
        for position, answer in enumerate(case.answers):
            if position not in ranks and is_answer(answer, path, hit.node.name, hit.node.span):
                ranks[position] = rank
                break
    return ranks


def ndcg(case: Case, ranks: dict[int, int]) -> float:
    """Return NDCG@10; the ideal are the answers by falling grade."""
    gains = [2.0**answer.grade - 1 for answer in case.answers]
    dcg = sum(gains[i] / math.log2(rank + 2) for i, rank in ranks.items() if rank < TOP)
    ideal = enumerate(sorted(gains, reverse=True)[:TOP])
    return dcg / sum(gain / math.log2(rank + 2) for rank, gain in ideal)


def best_ranks(case: Case, ranks: dict[int, int]) -> list[int]:
    """Return the ranks of the answers of the best grade."""
    return [rank for i, rank in ranks.items() if case.answers[i].grade == BEST_GRADE]


def is_answer(answer: Answer, path: str, name: str, span: Span) -> bool:
    """Return True if the node of a path, name and span is the answer."""
    start, end = span.start_line + 1, span.end_line + 1
    overlap = min(end, answer.end_line) - max(start, answer.start_line) + 1
    if path != answer.path or overlap < 1:
        return False
    union = max(end, answer.end_line) - min(start, answer.start_line) + 1
    last_component = _SEPARATOR.split(answer.name)[-1].rstrip("()")
    return overlap / union >= _MIN_IOU or name == last_component
