"""Order of the tests to run: those that reach a change by resolved calls before likelier ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from packhound.impact.related_files import CALLS, RelatedFile
from packhound.impact.symbol import Link

_MIN_REACHED = 4
"""Tests that come before likelier ones, where not so many use what changed themselves.

Much that is far away is reached by half of the tests, and then likelier ones are better
(benchmarks/changes/README.md).
"""


def distances_of(callers: Iterable[Link]) -> dict[str, int]:
    """Return the fewest calls over which each file reaches a change, every one resolved."""
    distances = dict[str, int]()
    for link in callers:
        if link.is_resolved:
            path = link.node.path
            distances[path] = min(distances.get(path, link.distance), link.distance)
    return distances


def reached_first(tests: Sequence[RelatedFile], distances: Mapping[str, int]) -> list[RelatedFile]:
    """Return tests, which come by chance: first those that use what changed, then further ones.

    Of those that reach it over more than one call only so many come first that they are four with
    those that use it.
    """
    said = [_with_distance(test, distances.get(test.path, 0)) for test in tests]
    reached = [test for test in said if test.path in distances]
    reached.sort(key=lambda test: distances[test.path])
    n_using = sum(distances[test.path] == 1 for test in reached)
    first = dict.fromkeys(reached[: max(n_using, _MIN_REACHED)])
    return [*first, *(test for test in said if test not in first)]


def _with_distance(test: RelatedFile, distance: int) -> RelatedFile:
    """Return a test with the calls to what changed as its first reason."""
    if not distance:
        return test
    reason = "uses it" if distance == 1 else f"{distance} calls away"
    return test._replace(reasons=(reason, *(each for each in test.reasons if each != CALLS)))
