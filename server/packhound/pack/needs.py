"""What the intention of a prompt needs beside the definitions that it is about."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Literal, NamedTuple

from packhound.core.trace import traced
from packhound.graph import CallGraph
from packhound.pack.intention import Intention, intention_of
from packhound.pack.pool import Candidate, Pool
from packhound.pack.request import CONTAINERS, Origin, PackRequest
from packhound.pack.sources.demotions import is_test_node
from packhound.pack.uses import (
    add_caller_lines,
    add_further_uses,
    add_overridden,
    add_registrations,
    sure_uses,
)

_FURTHER_TOKENS = 4_000
"""Budget from which on a fix follows uses one step further; in smaller ones that costs bodies."""
_SUBJECTS = 2
"""Definitions that the prompt is about most likely."""


class _Need(NamedTuple):
    """Nodes that come with a subject: a share of its utility for so many of its uses or users."""

    of: Literal["uses", "users", "tests"]
    share: float
    at_most: int


_NEEDS: dict[Intention, tuple[_Need, ...]] = {
    "fix": (),
    "change": (_Need("uses", 0.3, 4), _Need("users", 0.3, 1), _Need("tests", 0.3, 1)),
    "test": (_Need("tests", 0.7, 2), _Need("uses", 0.3, 4)),
    "refactor": (_Need("users", 0.5, 30), _Need("tests", 0.3, 2)),
    # Callers of the nearest example, and its test.
    "add": (_Need("users", 0.4, 2), _Need("tests", 0.4, 1)),
}
"""To find and to explain needs nothing more: with callees, callers and tests for each, packs of
2,500 tokens hold .01 less of what 280 graded questions need, and those of 8,000 as much."""


@traced("intention")
def add_needs(pool: Pool, request: PackRequest) -> None:
    """Add what a prompt's intention needs beside the definitions that it is about."""
    intention = intention_of(request.prompt)
    needs, calls = _NEEDS.get(intention), pool.calls
    if needs is None:
        return
    ranked = (c for c in pool.by_rank() if c.kind not in CONTAINERS and not is_test_node(c))
    subjects = [*islice(ranked, _SUBJECTS)]
    for subject in subjects:
        if intention == "fix" and request.available >= _FURTHER_TOKENS:
            add_further_uses(pool, subject)
        for need in needs:
            path = (subject.display_name, _REASONS[need.of])
            for candidate in islice(_needed(pool, calls, subject, need), need.at_most):
                is_said = any(origin.path[:1] == path[:1] for origin in candidate.origins)
                reason = "" if is_said else f"{_REASONS[need.of]} {subject.display_name}"
                utility = need.share * subject.utility
                candidate.add(Origin("graph", utility, reason, path=path))
    for subject in subjects[:1]:
        if intention == "refactor":
            add_caller_lines(pool, calls, subject)
        elif intention == "add":
            add_overridden(pool, calls, subject)
            add_registrations(pool, calls, subject)


_REASONS = {"uses": "called by", "users": "calls", "tests": "tests"}


def _needed(pool: Pool, calls: CallGraph, subject: Candidate, need: _Need) -> Iterator[Candidate]:
    """Yield what a subject needs, that of its own file first, else in the order of the graph."""
    of = calls.uses(subject.node_id) if need.of == "uses" else calls.users(subject.node_id)
    candidates = [c for c in (pool.get(use.node_id) for use in sure_uses(of)) if c]
    for candidate in sorted(candidates, key=lambda c: c.path != subject.path):
        if is_test_node(candidate) == (need.of == "tests") and candidate.kind != "file":
            yield candidate
