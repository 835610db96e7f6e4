"""Hits of several sources as one order, by reciprocal rank: their scores do not compare.

Cormack, Clarke and Buettcher (2009), "Reciprocal Rank Fusion outperforms Condorcet and individual
Rank Learning Methods".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import itemgetter

from packhound.core.types import Hit, SignalValue
from packhound.sources.record_snapshot import SCORE_DIGITS, stable_hash

K = 60
_SIGNAL = "reciprocal_rank"


def fuse(answers: Iterable[Sequence[Hit]], limit: int) -> tuple[Hit, ...]:
    """Return the best `limit` hits of all answers, numbered from 1.

    Hits of one reference become one: their scores are added, and the first one's text stays. Ties
    are decided by the score in the own source, then by a hash of the reference.
    """
    found: dict[str, list[Hit]] = {}
    for hits in answers:
        for rank, hit in enumerate(hits, 1):
            reason = SignalValue(_SIGNAL, 1 / (K + rank), 1.0)
            found.setdefault(reference(hit), []).append(replace(hit, why=(reason,)))
    fused = []
    for key, (first, *others) in found.items():
        why = (*first.why, *(reason for hit in others for reason in hit.why))
        score = sum(reason.contribution for reason in why)
        order = -round(score, SCORE_DIGITS), -round(first.score, SCORE_DIGITS), stable_hash(key)
        fused.append((order, replace(first, score=score, why=why)))
    best = sorted(fused, key=itemgetter(0))[:limit]
    return tuple(replace(hit, rank=rank) for rank, (_, hit) in enumerate(best, 1))


def reference(hit: Hit) -> str:
    """Return what identifies a hit among all sources; for code its file and first line."""
    if hit.record is not None:
        return hit.record.reference
    return f"{hit.node.path}:{hit.node.span.start_line + 1}"
