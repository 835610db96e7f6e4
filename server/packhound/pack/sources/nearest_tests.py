"""Tests nearest to a definition that is to be tested: their file, the nearest one, its helpers."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice

from packhound.core.common_prefix import common_prefix_length
from packhound.graph import language_family
from packhound.pack.pool import Candidate, Pool
from packhound.pack.request import Origin
from packhound.pack.sources.demotions import is_test_node
from packhound.pack.uses import sure_edges, sure_uses
from packhound.redact import safe_line
from packhound.text import is_test

_TEST_SHARE, _HELPER_SHARE, _MAX_HELPERS, _MAX_EDGES = 0.7, 0.4, 4, 24
_BODIES = ("test", "function", "method")
_NO_LETTER = re.compile(r"[^a-z0-9]")
_AFFIX = re.compile(r"^(?:tests?|specs?)|(?:unit)?(?:tests?|specs?)$")


def add_nearest_tests(pool: Pool, subject: Candidate) -> None:
    """Add the nearest test of a definition with its helpers, and note where its tests are."""
    users = [
        user
        for use in sure_uses(pool.calls.users(subject.node_id))
        if (user := pool.get(use.node_id))
    ]
    testing = [user for user in users if is_test_node(user) and user.kind in _BODIES]
    paths = Counter(test.path for test in testing)
    most, like = (
        max(paths, key=lambda p: (paths[p], p), default=""),
        _file_by_name(pool, subject.path),
    )
    if most and like not in {*pool.graph.using_paths(subject.name)}:
        like = ""
    remarks = [f"tests that use `{subject.name}`: `{most}`"] if most else []
    if like not in ("", most):
        remarks.append(f"tests for `{subject.path}`, by its name: `{like}`")
    if not remarks:
        return
    pool.remarks.append(safe_line("; ".join(remarks)))
    path = like or most
    inside = [c for c in map(pool.get, pool.files[path].node_ids.tolist()) if c]
    bodies = [c for c in testing if c.path == path] or [c for c in inside if c.kind in _BODIES]
    tests = [c for c in bodies if _is_named_test(c)] or bodies
    if not tests:
        return
    nearest = max(tests, key=lambda c: (c.utility, -c.position))
    _add(nearest, _TEST_SHARE * subject.utility, f"nearest test of {subject.display_name}", subject)
    edges = sure_edges(pool, nearest.node_id, pool.graph.references(nearest.node_id, _MAX_EDGES))
    helpers = (c for c in (pool.get(edge.node_id) for edge in edges) if c and is_test_node(c))
    for helper in islice(helpers, _MAX_HELPERS):
        _add(helper, _HELPER_SHARE * subject.utility, f"used by {nearest.display_name}", nearest)


def _add(candidate: Candidate, utility: float, reason: str, of: Candidate) -> None:
    path = (of.display_name, "tests")
    candidate.add(Origin("graph", utility, "" if candidate.has_reason else reason, path=path))


def _is_named_test(candidate: Candidate) -> bool:
    return candidate.kind == "test" or "test" in candidate.entry.name(candidate.position).lower()


def _file_by_name(pool: Pool, path: str) -> str:
    """Return the file of tests that is named like a file, the nearest in the folders; or ""."""
    files, stem, parts = pool.files, _stem(path), path.split("/")
    family = language_family(files[path].language)
    named = [
        candidate
        for candidate, file in files.items()
        if candidate != path
        and _stem(candidate) == stem != ""
        and language_family(file.language) == family
        and is_test(candidate)
    ]
    return min(named, key=lambda p: (-common_prefix_length(parts, p.split("/")), p), default="")


def _stem(path: str) -> str:
    """Return the name of a file without endings, signs and what says that it has tests."""
    name = path.rpartition("/")[2].partition(".")[0]
    return _AFFIX.sub("", _NO_LETTER.sub("", name.lower()))
