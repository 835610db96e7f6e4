"""Siblings: further nodes of a hit's file that answer too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from packhound.core.arrays import Doubles, top_k
from packhound.core.trace import traced
from packhound.core.types import Hit
from packhound.search.order import SCORE_DIGITS
from packhound.search.rank.fusion import Ranking
from packhound.search.signals.context import SignalContext

_MAX_SIBLINGS = 5
SIBLING_DEPTH = 50
"""Siblings are among this many best nodes."""


@traced("siblings")
def add_siblings(
    context: SignalContext, ranking: Ranking, hits: tuple[Hit, ...]
) -> tuple[Hit, ...]:
    """Return the hits with the next best nodes of their files; each is named once."""
    if not hits:
        return hits
    scores: Doubles = np.asarray(ranking.scores, np.float64).round(SCORE_DIGITS)
    best = top_k(scores, SIBLING_DEPTH)
    node_ids = context.candidates.node_ids[ranking.nodes[best]].tolist()
    snapshot, taken = context.snapshot, {hit.node.node_id for hit in hits}
    by_file: dict[int, list[tuple[float, int, int]]] = {}
    for falling, node_id in zip((-scores[best]).tolist(), node_ids, strict=True):
        if node_id not in taken:
            entry, position = snapshot.locate(node_id)
            by_file.setdefault(entry.file_id, []).append((falling, position, node_id))
    with_siblings = []
    for hit in hits:
        siblings = by_file.pop(int(snapshot.file_of[hit.node.node_id]), [])
        siblings = sorted(siblings)[:_MAX_SIBLINGS]
        refs = tuple(snapshot.ref(node_id, hit.node.root) for *_, node_id in siblings)
        with_siblings.append(replace(hit, siblings=refs) if refs else hit)
    return tuple(with_siblings)
