"""Demote tests and near-duplicates (MMR)."""

from __future__ import annotations

import re

import numpy as np

from packhound.pack.context import PackContext
from packhound.pack.pool import Pool

_TEST_FACTOR = 0.5
_TEST_WORD = re.compile(r"(?i)\btests?\b")
_TEST_NAME = re.compile(r"(?:^|::|\.)tests?(?:::|\.|$)")

_COMPARED = 64
_DUPLICATE_COSINE = 0.90
_DUPLICATE_PENALTY = 0.7
"""Share of its utility that an exact duplicate loses."""


def demote_tests(pool: Pool, prompt: str) -> None:
    """Halve the utility of tests unless they are the topic: they cost as much as what they use."""
    if _TEST_WORD.search(prompt):
        return
    for candidate in pool.by_node_id.values():
        if candidate.kind == "test" or _is_test(candidate.entry.qualname(candidate.position)):
            candidate.utility *= _TEST_FACTOR


def _is_test(qualname: str) -> bool:
    return "test" in qualname and bool(_TEST_NAME.search(qualname))


def demote_duplicates(pool: Pool, context: PackContext) -> None:
    """Demote what is close to a better node: maximal marginal relevance (Carbonell 1998)."""
    snapshot = context.snapshot
    ranked = [c for c in pool.ranked()[:_COMPARED] if snapshot.has_vector[c.node_id]]
    if len(ranked) < 2:
        return
    rows = snapshot.vectors.rows(np.array([candidate.node_id for candidate in ranked], np.int32))
    cosines = np.tril(rows @ rows.T, -1)
    nearest, highest = cosines.argmax(axis=1), cosines.max(axis=1)
    for i, candidate in enumerate(ranked):
        if highest[i] > _DUPLICATE_COSINE and not candidate.pinned:
            candidate.duplicate_of = ranked[int(nearest[i])].display_name
            similarity = float(highest[i] - _DUPLICATE_COSINE) / (1.0 - _DUPLICATE_COSINE)
            candidate.utility *= 1.0 - _DUPLICATE_PENALTY * similarity
