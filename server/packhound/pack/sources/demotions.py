"""Demote tests, vendored code and near-duplicates (MMR); leave out what is far from the focus."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np

from packhound.core.types import Focus
from packhound.pack.context import PackContext
from packhound.pack.pool import Candidate, Pool
from packhound.pack.request import PackRequest
from packhound.search import Proximity, content_of, is_report
from packhound.text import FLAGS, has_many_sentences, is_test, path_facts

_MINOR_FACTOR = 0.1
_TEST_WORD = re.compile(r"(?i)\b(?:tests?|fixtures?)\b")
_FIXTURE_PATH = re.compile(r"(?:^|/)(?:test_?)?fixtures?/")
_TEST_NAME = re.compile(r"(?:^|::|\.)tests?(?:::|\.|$)")

_VENDORED = re.compile(
    r"(?i)(?:^|/)_?(?:vendor(?:ed)?|third[-_]?party|node_modules|bower_components|externs?)/"
    r"|(?:^|/)(?:jquery|underscore|lodash|bootstrap|modernizr)[^/]*\.(?:js|css)$"
    r"|[-_.]\d+\.\d+(?:\.\d+)?(?:[-.][a-z]+)?\.\w+$|[._-](?:min|generated|pb)\.\w+$|_pb2\.pyi?$"
)
"""Code of others in the tree, and code that tools write."""
_DOCUMENT_WORD = re.compile(
    r"(?i)\b(?:docs?|documentation|docstrings?|readme|changelog|typo|examples?|tutorials?)\b"
)
_SETTING_WORD = re.compile(r"(?i)\b(?:ci|workflows?|ya?ml|toml|dependency|packaging)\b")

_BESIDE = ("is_example", "is_stale", "is_prose", "is_setting")

_FAR_UTILITY = 0.03
"""What is less useful is left out where it is far from the focus."""

_HELP_WORD = re.compile(r"(?i)\b(?:help|man(?:ual)? page|usage|texts?|messages?|wording)\b")
_SENTENCES_FACTOR = 0.1
"""Share of its utility that a help text keeps."""
_NAMESAKES, _NAMESAKE_FACTOR = 2, 0.4
"""Definitions of one name in one file that keep their utility, and what further ones keep."""
_COMPARED = 64
_DUPLICATE_COSINE = 0.90
_DUPLICATE_PENALTY = 0.7
"""Share of its utility that an exact duplicate loses."""


def demote_minor(pool: Pool, prompt: str) -> None:
    """Put last what is seldom the topic and costs as much: tests, vendored code, and in a bug
    report what is no code; unless the prompt speaks of it."""
    is_about_tests, is_minor = bool(_TEST_WORD.search(content_of(prompt))), minor_in(prompt)
    for candidate in pool.by_node_id.values():
        path = candidate.path
        if candidate.pinned:
            continue
        is_test_now = not is_about_tests and is_test_node(candidate)
        if is_test_now or _VENDORED.search(path) or is_minor(path):
            candidate.utility *= _MINOR_FACTOR


def minor_in(prompt: str) -> Callable[[str], bool]:
    """Return a test of the paths that are no code where the prompt is a bug report.

    Its files called `conf.py` and `index.rst` are seldom those of the project.
    """
    title, names = prompt.partition("\n")[0], list[str]()
    if is_report(prompt):
        names += ["is_prose", "is_example"] * (not _DOCUMENT_WORD.search(title))
        names += ["is_setting"] * (not _SETTING_WORD.search(title))
    flags = [*map(FLAGS.index, names)]
    return lambda path: any(path_facts(path).flags[flag] for flag in flags)


def is_minor_path(path: str) -> bool:
    """Return True for the path of tests, examples, settings, and code of others or of tools."""
    flags = path_facts(path).flags
    is_beside = is_test(path) or any(flags[FLAGS.index(name)] for name in _BESIDE)
    return is_beside or bool(_FIXTURE_PATH.search(path) or _VENDORED.search(path))


def is_test_node(candidate: Candidate) -> bool:
    """Return True for a test, and for what only tests use, by its kind, name or path."""
    if candidate.kind == "test":
        return True
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


def demote_texts(pool: Pool, context: PackContext, prompt: str) -> None:
    """Demote code that is mostly sentences, such as a help text, unless the prompt speaks of it,
    and what has the name of better ones in its file: methods that say the same of each sibling."""
    ranked = [c for c in pool.by_rank()[:_COMPARED] if not (c.pinned or c.is_named)]
    n_named, source = Counter[tuple[str, str]](), cache(context.source)
    is_about_texts = _DOCUMENT_WORD.search(prompt) or _HELP_WORD.search(prompt)
    for candidate in ranked:
        key = candidate.path, candidate.entry.name(candidate.position)
        n_named[key] += 1
        if n_named[key] > _NAMESAKES:
            candidate.utility *= _NAMESAKE_FACTOR
        if not is_about_texts and has_many_sentences(_own_code(candidate, source(candidate.path))):
            candidate.utility *= _SENTENCES_FACTOR


def _own_code(candidate: Candidate, octets: bytes | None) -> str:
    """Return the code of a function without its doc comment."""
    is_function = candidate.kind in ("function", "method")
    ranges = candidate.node.own_ranges if is_function else ()
    runs = [octets[low:high] for low, high in ranges] if octets else []
    return b"\n".join(runs).decode("utf-8", "replace")


def demote_duplicates(pool: Pool, context: PackContext) -> None:
    """Demote what is close to a better node: maximal marginal relevance (Carbonell 1998)."""
    snapshot = context.snapshot
    ranked = [c for c in pool.by_rank()[:_COMPARED] if snapshot.has_vector[c.node_id]]
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
