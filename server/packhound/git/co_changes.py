"""Files that the commits of a folder change together."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from packhound.git.client import stream
from packhound.git.log import commits_in

Commits: TypeAlias = Sequence[Sequence[str]]
"""The files of each commit, newest first."""

_MAX_COMMITS = 3_000
_MAX_FILES = 40
"""A commit of more files is a rename or a format, which says nothing of any two of them."""
_TIMEOUT_S = 10.0
_HALF_LIFE = 500.0
"""Commits after which one counts half."""
_RECENT, _RECENT_HALF_LIFE = 150, 30.0
"""Commits that say what is being worked on, and after which one of them counts half."""
_PRIOR = 1.0
"""Commits of a file without any other, added to those there were."""

_LOG = (
    *("log", f"--max-count={_MAX_COMMITS}", "--format=\x1e%ct", "--name-only", "--no-renames"),
    *("--no-merges", "--min-parents=1", "--no-show-signature", "-z", "--relative"),
)
"""The first commit, or the oldest of a shallow clone, adds all there is: no habit."""


def read_commits(root: Path, revision: str = "HEAD") -> list[list[str]]:
    """Return the files of the latest commits up to a revision, newest first; [] without git."""
    pieces = stream(root, *_LOG, revision, "--", ".", timeout_s=_TIMEOUT_S)
    commits = (commit.split("\0")[1:] for commit in commits_in(pieces))
    return [[name for part in names if (name := part.strip("\n"))] for names in commits]


@dataclass(frozen=True, slots=True)
class CoChanges:
    """Weighted commits of each file, and of each pair of files; a newer commit weighs more.

    `recent` counts the latest of those that a file shares with any of the paths, `shared` all of
    them, unweighted; `n_commits` are those that change any of the paths.
    """

    weights: Counter[str]
    pairs: dict[str, Counter[str]]
    recent: Counter[str]
    shared: Counter[str]
    n_commits: int

    @classmethod
    def of(cls, commits: Commits, paths: Iterable[str]) -> CoChanges:
        """Return the co-changes of some paths with all others."""
        changed, weights = frozenset(paths), Counter[str]()
        pairs: defaultdict[str, Counter[str]] = defaultdict(Counter)
        recent, shared, n_commits = Counter[str](), Counter[str](), 0
        for age, files in enumerate(commits):
            if len(files) > _MAX_FILES:
                continue
            weight = 0.5 ** (age / _HALF_LIFE)
            for path in files:
                weights[path] += weight
            if not changed.isdisjoint(files):
                n_commits += 1
                shared.update(files)
            for path in changed.intersection(files):
                for other in files:
                    pairs[path][other] += weight / math.log2(1 + len(files))
            if age < _RECENT and not changed.isdisjoint(files):
                for other in files:
                    recent[other] += 0.5 ** (age / _RECENT_HALF_LIFE) / math.log2(1 + len(files))
        return cls(weights, pairs, recent, shared, n_commits)

    def chance(self, path: str, other: str) -> float:
        """Return how likely a commit of `path` changes `other` too, 0 to 1."""
        pair = self.pairs.get(path)
        return pair[other] / (self.weights[path] + _PRIOR) if pair and other != path else 0.0
