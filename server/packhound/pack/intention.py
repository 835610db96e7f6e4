"""Intention of a prompt: what is to be done with the code, and what else that needs.

Rules read the first words, since a person who wants a test, a fix or an explanation says so there,
or begins a later sentence with it, after what is the case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal, NamedTuple

from packhound.core.trace import traced
from packhound.graph import CallGraph
from packhound.pack.context import PackContext
from packhound.pack.pool import Candidate, Pool
from packhound.pack.request import CONTAINERS, Origin, PackRequest
from packhound.pack.sources.demotions import is_test_node
from packhound.pack.sources.neighbourhood import asks_for_changes
from packhound.pack.uses import (
    add_caller_lines,
    add_further_uses,
    add_overridden,
    add_registrations,
    sure_uses,
)
from packhound.search import content_of, is_report

Intention = Literal["fix", "explain", "add", "test", "refactor", "review", "find"]

WORDS: dict[Intention, str] = {
    "fix": "something to fix",
    "explain": "something to explain",
    "add": "something to add",
    "test": "a test to write",
    "refactor": "code to change wherever it is used",
    "review": "changes to review",
    "find": "code to find",
}

_POLITE = (
    r"(?:[\W_]|(?:please|hi|hello|hey|todo|task|feature request|proposal|now|also|just|kindly"
    r"|(?:can|could|would|will) you|(?:i|we) (?:want|need|would like|have|should|must)(?: you)?"
    r"(?: to)?|i'd like(?: you)?(?: to)?|let'?s|help me(?: to)?|try to"
    r"|it would be (?:nice|great) to)\b)*"
)
_BEGINNINGS: tuple[tuple[Intention, str], ...] = (
    ("review", r"(?:code[- ])?review\b"),
    (
        "test",
        r"(?:(?:write|add|create|make|generate|extend|have|provide)\b(?: [\w-]+){0,5} "
        r"(?:tests?|specs?|test[- ](?:case|suite)s?)\b|(?:unit |integration )?tests? (?:for|that)\b"
        r"|(?:increase|improve) (?:the )?(?:test )?coverage|cover .* (?:with|by) (?:\w+ )?tests?)",
    ),
    (
        "refactor",
        r"(?:refactor|factor|pull|change (?:it|them|this|that|all)\b|rename|restructure"
        r"|reorganis?z?e|simplify|de-?duplicate|inline|extract|split|merge|move|migrate|consolidate"
        r"|clean up|tidy|decouple|unify|convert|port"
        r"|replace|get rid of|remove|delete|deprecate|drop)\b",
    ),
    ("fix", r"(?:fix|debug|solve|repair|investigate|correct|stop|prevent|avoid|handle)\b|bug\b"),
    (
        "add",
        r"(?:add|implement|support|introduce|create|allow|provide|enable|let|make|build|write"
        r"|extend|expose|teach|offer|give (?:us|me))\b",
    ),
    ("find", r"(?:find|locate|where|which|who|show|list|search|look)\b"),
    (
        "explain",
        r"(?:explain|describe|how|what|when|walk|tell|understand|summari[sz]e|document|is|are|does"
        r"|do)\b",
    ),
)
_BEGINS: dict[Intention, re.Pattern[str]] = {
    intention: re.compile(f"{_POLITE}{words}", re.I) for intention, words in _BEGINNINGS
}
_ASKED: dict[Intention, re.Pattern[str]] = {
    "test": _BEGINS["test"],
    "refactor": _BEGINS["refactor"],
    "add": _BEGINS["add"],
    "explain": re.compile(
        rf"{_POLITE}(?:explain|describe|walk|summari[sz]e|what exactly|how (?:is|are|does|do)"
        r"|why (?:is|are|does|do|would))\b",
        re.I,
    ),
}
"""Beginnings of later sentences that say what is wanted."""
_CLAUSE = re.compile(r"[.!?:;,]\s+|\n\s*|\s-+>?\s+")
_TEST_TO_WRITE = re.compile(rf"{_POLITE}(?:write|add|cover) (?:one|it|them|some|an?)\b", re.I)
_TEST = re.compile(r"\btests?\b", re.I)
_TEMPLATE = re.compile(r"^ {0,3}(?:#{1,6} |\*\*|[-*] |\d+[.)] |```|~~~)", re.M)
"""Headings, lists and quoted code, as reports have them."""
_WHY = re.compile(rf"{_POLITE}why\b", re.I)
_FAULT = re.compile(
    r"\b(?:bug|crash\w*|fail(?:s|ed|ing|ure)?|broken|breaks|regression|traceback|\w*exceptions?"
    r"|panics?|hangs?|leaks?|wrong\w*|incorrect\w*|segfaults?|throws?|raises?|\w*errors?"
    r"|(?:does|is|do|wo|ca)n't|not work\w*|deadlocks?|ignored|lost|missing|unexpected\w*|invalid"
    r"|undefined)\b",
    re.I,
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
    "test": (_Need("tests", 0.7, 2), _Need("uses", 0.3, 4)),
    "refactor": (_Need("users", 0.5, 30), _Need("tests", 0.3, 2)),
    # Callers of the nearest example, and its test.
    "add": (_Need("users", 0.4, 2), _Need("tests", 0.4, 1)),
}
"""To find and to explain needs nothing more: with callees, callers and tests for each, packs of
2,500 tokens hold .01 less of what 280 graded questions need, and those of 8,000 as much."""


def intention_of(prompt: str) -> Intention:
    """Return what a prompt wants; what says nothing of it looks for code."""
    text, report = content_of(prompt).strip(), is_report(prompt)
    # A diff that is quoted looks like the lists of a report.
    if asks_for_changes(prompt) or _BEGINS["review"].match(text):
        return "review"
    if report and _TEMPLATE.search(prompt):
        return "fix"
    for intention, begins in _BEGINS.items():
        if begins.match(text) and not (report and intention in ("find", "explain")):
            return intention
    wish = _asked_later(text)
    if wish or report or _FAULT.search(text):
        return wish or "fix"
    return "explain" if _WHY.match(text) else "find"


def _asked_later(text: str) -> Intention | None:
    """Return what the beginning of a later clause asks for; write one, after a test, is a test."""
    clauses = _CLAUSE.split(text)[1:]
    if _TEST.search(text) and any(map(_TEST_TO_WRITE.match, clauses)):
        return "test"
    wishes = (i for clause in clauses for i, begins in _ASKED.items() if begins.match(clause))
    return next(wishes, None)


@traced("intention")
def add_needs(pool: Pool, context: PackContext, request: PackRequest) -> None:
    """Add what a prompt's intention needs beside the definitions that it is about."""
    intention = intention_of(request.prompt)
    needs, calls = _NEEDS.get(intention), context.calls
    if needs is None:
        return
    ranked = (c for c in pool.by_rank() if c.kind not in CONTAINERS and not is_test_node(c))
    subjects = [*islice(ranked, _SUBJECTS)]
    for subject in subjects:
        if intention == "fix" and request.available >= _FURTHER_TOKENS:
            add_further_uses(pool, context.graph, subject)
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
