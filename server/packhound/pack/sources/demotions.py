"""Candidates that are worth less than what found them says: tests, and what repeats others."""

from __future__ import annotations

import re

import numpy as np

from packhound.pack.context import PackContext
from packhound.pack.pool import Pool

_TEST_SHARE = 0.5
_TESTING = re.compile(r"(?i)\btests?\b")
_TEST_NAME = re.compile(r"(?:^|::|\.)tests?(?:::|\.|$)")

_COMPARED = 64
_ALIKE = 0.90
"""Cosine from which a node begins to repeat a better one."""


def demote_tests(pool: Pool, prompt: str) -> None:
    """Tests show how code is used, and cost as much as it: unless they are the topic, half."""
    if _TESTING.search(prompt):
        return
    for candidate in pool.by_node_id.values():
        if candidate.kind == "test" or _is_test(candidate.entry.qualname(candidate.position)):
            candidate.utility *= _TEST_SHARE


def _is_test(qualname: str) -> bool:
    return "test" in qualname and bool(_TEST_NAME.search(qualname))


def demote_duplicates(pool: Pool, context: PackContext) -> None:
    """Maximal marginal relevance: what repeats a better node adds little (Carbonell 1998)."""
    snapshot = context.snapshot
    ranked = [c for c in pool.ranked()[:_COMPARED] if snapshot.has_vector[c.node_id]]
    if len(ranked) < 2:
        return
    rows = snapshot.vectors.rows(np.array([candidate.node_id for candidate in ranked], np.int32))
    alike = np.tril(rows @ rows.T, -1)
    best, where = alike.max(axis=1), alike.argmax(axis=1)
    for i, candidate in enumerate(ranked):
        if best[i] > _ALIKE and not candidate.pinned:
            candidate.repeats = ranked[int(where[i])].called
            candidate.utility *= 1.0 - 0.7 * float(best[i] - _ALIKE) / (1.0 - _ALIKE)
