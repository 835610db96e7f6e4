"""Files that may change with others: by history, calls, shared words, names and folders."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from packhound.core.common_prefix import common_prefix_length
from packhound.git import CoChanges
from packhound.text import stem_words

_TEST_WORDS = frozenset({"test", "tests", "spec", "specs", "unittest"})
_SUFFIX = re.compile(r"\.[^/.]*$")
_BIAS, _NEAR_FOLDER = -6.1, 0.5
_WEIGHTS = {
    "history": 8.2,
    "recent": 1.0,
    "calls": 0.8,
    "words": 1.5,
    "name": 1.1,
    "folder": 0.5,
    "often": 0.4,
    "language": -0.5,
}
"""Fitted by logistic regression on 529 commits (benchmarks/changes/README.md)."""
_MIN_OF_REASON = {"words": 0.1}
"""A smaller share of the words is no reason: some words are in every file."""


class RelatedFile(NamedTuple):
    """A file with the chance that it changes too, and why, the strongest reason first."""

    path: str
    chance: float
    reasons: tuple[str, ...]


def rank_files(
    paths: Iterable[str],
    changed: Collection[str],
    history: CoChanges,
    calls: Mapping[str, float],
    words: Mapping[str, float],
) -> list[RelatedFile]:
    """Return the files that most likely change with those changed.

    `calls` counts uses by file, `words` is the share of the words of changed lines that it has.
    """
    max_weight = max(history.weights.values(), default=1.0)
    profiles = [_Profile.of(path) for path in changed]
    files = []
    for path in paths:
        if path in changed:
            continue
        uses, share = calls.get(path, 0.0), words.get(path, 0.0)
        features = _features(path, profiles, history, uses, share, max_weight)
        if reasons := reasons_of(features):
            files.append((-score(features), path, _counted(reasons, path, history)))
    files.sort()
    return [
        RelatedFile(path, 1.0 / (1.0 + math.exp(negated)), reasons)
        for negated, path, reasons in files
    ]


def _counted(reasons: Iterable[str], path: str, history: CoChanges) -> tuple[str, ...]:
    """Return reasons, with the number of commits for the one that speaks of them."""
    n_shared, n = history.shared[path], history.n_commits
    counted = f"in {n_shared} of {n} commits" if n_shared else _TOGETHER
    return tuple(counted if reason == _TOGETHER else reason for reason in reasons)


def score(features: Mapping[str, float]) -> float:
    """Return the log-odds of a file with some features."""
    return _BIAS + sum(_WEIGHTS[name] * value for name, value in features.items())


def reasons_of(features: Mapping[str, float]) -> tuple[str, ...]:
    """Return the reasons that contribute, the strongest first."""
    by_share = sorted(features, key=lambda name: -_WEIGHTS[name] * features[name])
    return tuple(
        _REASONS[name]
        for name in by_share
        if name in _REASONS and features[name] > _MIN_OF_REASON.get(name, 0.0)
    )


_TOGETHER = "changed together before"
NEAR, CALLS = "near in the folders", "calls or is called"
_REASONS = {
    "history": _TOGETHER,
    "calls": CALLS,
    "words": "has words of the changed lines",
    "name": "similar name",
    "folder": NEAR,
}


class _Profile(NamedTuple):
    """A path as it is compared with others."""

    path: str
    folder: str
    suffix: str
    words: frozenset[str]

    @classmethod
    def of(cls, path: str) -> _Profile:
        suffix = _SUFFIX.search(path)
        folder, _, name = path.rpartition("/")
        return cls(path, folder, suffix[0] if suffix else "", stem_words(name) - _TEST_WORDS)


def _features(
    path: str,
    changed: Sequence[_Profile],
    history: CoChanges,
    calls: float,
    words: float,
    max_weight: float,
) -> dict[str, float]:
    profile = _Profile.of(path)
    no_change = math.prod(1.0 - min(0.99, history.chance(c.path, path)) for c in changed)
    return {
        "history": math.sqrt(1.0 - no_change),
        "recent": math.sqrt(min(1.0, history.recent[path])),
        "calls": calls / (1.0 + calls),
        "words": words,
        "name": max((_overlap(profile.words, c.words) for c in changed), default=0.0),
        "folder": max((_nearness(profile.folder, c.folder) for c in changed), default=0.0),
        "often": math.log1p(history.weights[path]) / math.log1p(max_weight),
        "language": float(any(profile.suffix == c.suffix for c in changed)),
    }


def _overlap(words: frozenset[str], others: frozenset[str]) -> float:
    """Return the share of words that two names have in common (Jaccard)."""
    union = words | others
    return len(words & others) / len(union) if union else 0.0


def _nearness(folder: str, other: str) -> float:
    if folder == other:
        return 1.0
    parts, others = folder.split("/"), other.split("/")
    return _NEAR_FOLDER * 2 * common_prefix_length(parts, others) / (len(parts) + len(others))
