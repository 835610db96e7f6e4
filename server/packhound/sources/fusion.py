"""Hits of several sources as one order, by reciprocal rank: their scores do not compare.

Cormack, Clarke and Buettcher (2009), "Reciprocal Rank Fusion outperforms Condorcet and individual
Rank Learning Methods".
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from packhound.core.types import Hit, SignalValue

K = 60
_SIGNAL = "reciprocal_rank"
_SCORE_DIGITS = 9


@dataclass(slots=True)
class _Fused:
    """The first hit of a reference, the score in its source, and a signal for each source."""

    hit: Hit
    score: float
    why: list[SignalValue] = field(default_factory=list)


def fuse(answers: Iterable[Sequence[Hit]], limit: int) -> tuple[Hit, ...]:
    """Return the best `limit` hits of all answers, numbered from 1.

    Hits of one reference become one: their scores are added, and the first one's text stays. Ties
    are decided by the score in the own source, then by a hash of the reference.
    """
    fused: dict[str, _Fused] = {}
    for hits in answers:
        for rank, hit in enumerate(hits, 1):
            entry = fused.setdefault(reference(hit), _Fused(hit, hit.score))
            entry.why.append(SignalValue(_SIGNAL, 1 / (K + rank), 1.0))
    ordered = sorted(fused.items(), key=lambda item: _sort_key(*item))
    return tuple(
        replace(entry.hit, rank=rank, score=_total(entry), why=tuple(entry.why))
        for rank, (_, entry) in enumerate(ordered[:limit], 1)
    )


def reference(hit: Hit) -> str:
    """Return what identifies a hit among all sources; for code its file and first line."""
    if hit.record is not None:
        return hit.record.reference
    return f"{hit.node.path}:{hit.node.span.start_line + 1}"


def _total(entry: _Fused) -> float:
    return sum(signal.contribution for signal in entry.why)


def _sort_key(key: str, entry: _Fused) -> tuple[float, float, bytes]:
    stable = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return -round(_total(entry), _SCORE_DIGITS), -round(entry.score, _SCORE_DIGITS), stable
