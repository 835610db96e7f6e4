"""Code that the intention of a prompt needs beside the definitions that it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Literal, NamedTuple

from packhound.core.trace import traced
from packhound.core.types import Query
from packhound.graph import CallGraph
from packhound.pack import uses
from packhound.pack.intention import Intention, intention_of
from packhound.pack.pool import Candidate, Pool
from packhound.pack.request import CONTAINERS, Origin, PackRequest
from packhound.pack.sources.demotions import is_test_node
from packhound.pack.sources.nearest_tests import add_nearest_tests
from packhound.search import parse_query

_FURTHER_TOKENS = 4_000
"""Budget from which on a fix follows uses one step further; in smaller ones that costs bodies."""
_CALLED, _IDENTIFIER = re.compile(r"\b(\w+)\(\)"), re.compile(r"_|[a-z][A-Z]")
_MOST_PLAIN = 4
"""Definitions of one name, as one for each system, that are changed together."""
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
    name = _name_in(pool, request.prompt) if intention in ("refactor", "test") else ""
    subjects = _defined_as(pool, name)
    if not subjects and (intention == "test" or not name):
        ranked = (c for c in pool.by_rank() if c.kind not in CONTAINERS and not is_test_node(c))
        subjects = [*islice(ranked, _SUBJECTS)]
    for subject in subjects:
        if intention == "fix" and request.available >= _FURTHER_TOKENS:
            uses.add_further_uses(pool, subject)
        for need in needs:
            path = (subject.display_name, _REASONS[need.of])
            for candidate in islice(_needed(pool, calls, subject, need), need.at_most):
                is_said = any(origin.path[:1] == path[:1] for origin in candidate.origins)
                reason = "" if is_said else f"{_REASONS[need.of]} {subject.display_name}"
                utility = need.share * subject.utility
                candidate.add(Origin("graph", utility, reason, path=path))
    if not subjects and name:
        uses.add_lines_with(pool, name)
    for subject in subjects[:1]:
        if intention == "test":
            subject.is_subject = True
            add_nearest_tests(pool, subject)
        elif intention == "refactor":
            uses.add_users(pool, subjects)
        elif intention == "add":
            uses.add_overridden(pool, calls, subject)
            uses.add_registrations(pool, calls, subject)


def _defined_as(pool: Pool, name: str) -> list[Candidate]:
    """Return what has a name, the best alone, but a few that no owner tells apart."""
    node_ids = chain.from_iterable(pool.graph.definitions(name).values() if name else ())
    named = [each for each in map(pool.get, node_ids) if each and each.kind != "file"]
    named.sort(key=lambda c: (is_test_node(c), -c.utility, c.order))
    plain = [each for each in named if each.entry.qualname(each.position) == name]
    is_one = len(plain) > _MOST_PLAIN or named[:1] != plain[:1]
    return named[:1] if is_one else plain


def _name_in(pool: Pool, prompt: str) -> str:
    """Return the first name in a prompt, written as code, that the folder has; "" for none."""
    query = parse_query(Query(prompt))
    names = {*_CALLED.findall(prompt), *(parts[-1] for parts in query.qualified)}
    names |= {name for name in query.names if _IDENTIFIER.search(name)}
    for name in sorted(names, key=prompt.find):
        if pool.graph.definitions(name) or any(pool.graph.using_paths(name)):
            return str(name)
    return ""


_REASONS = {"uses": "called by", "users": "calls", "tests": "tests"}


def _needed(pool: Pool, calls: CallGraph, subject: Candidate, need: _Need) -> Iterator[Candidate]:
    """Yield what a subject needs, that of its own file first, else in the order of the graph."""
    of = calls.uses(subject.node_id) if need.of == "uses" else calls.users(subject.node_id)
    candidates = [c for c in (pool.get(use.node_id) for use in uses.sure_uses(of)) if c]
    for candidate in sorted(candidates, key=lambda c: c.path != subject.path):
        if is_test_node(candidate) == (need.of == "tests") and candidate.kind != "file":
            yield candidate
