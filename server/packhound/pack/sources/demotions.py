"""Demote tests and near-duplicates (MMR), and leave out what is far from the focus."""

from __future__ import annotations

import re

import numpy as np

from packhound.core.types import Focus
from packhound.pack.context import PackContext
from packhound.pack.pool import Candidate, Pool
from packhound.pack.request import PackRequest
from packhound.search import Proximity
from packhound.text import is_test

_TEST_FACTOR = 0.1
_TEST_WORD = re.compile(r"(?i)\b(?:tests?|fixtures?)\b")
_FIXTURE_PATH = re.compile(r"(?:^|/)(?:test_?)?fixtures?/")
_TEST_NAME = re.compile(r"(?:^|::|\.)tests?(?:::|\.|$)")

_FAR_UTILITY = 0.03
"""What is less useful is left out where it is far from the focus."""

_COMPARED = 64
_DUPLICATE_COSINE = 0.90
_DUPLICATE_PENALTY = 0.7
"""Share of its utility that an exact duplicate loses."""


def demote_tests(pool: Pool, prompt: str) -> None:
    """Put tests and fixtures last unless they are the topic: they cost as much as what they use."""
    if _TEST_WORD.search(prompt):
        return
    for candidate in pool.by_node_id.values():
        if candidate.pinned:
            continue
        if candidate.kind == "test" or _is_test(candidate):
            candidate.utility *= _TEST_FACTOR


def _is_test(candidate: Candidate) -> bool:
    path, qualname = candidate.path, candidate.entry.qualname(candidate.position)
    named = "test" in qualname and bool(_TEST_NAME.search(qualname))
    return named or is_test(path) or bool(_FIXTURE_PATH.search(path))


def drop_far(pool: Pool, context: PackContext, request: PackRequest) -> None:
    """Leave out weak candidates that are far from the user's file."""
    if request.focus is None or request.focus.path not in context.snapshot.files:
        return
    focus = Focus(request.focus.path, request.focus.line)
    near = Proximity(context.snapshot, focus, request.focus.open_paths)
    weak = {
        node_id: candidate.path
        for node_id, candidate in pool.by_node_id.items()
        if candidate.utility < _FAR_UTILITY and not candidate.pinned
    }
    far = near.far(weak.values())
    for node_id in [node_id for node_id, path in weak.items() if path in far]:
        del pool.by_node_id[node_id]


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
