"""The files of a branch that a question is likeliest about, where it is too large to pull."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from packhound.team.store import Branch, Store
from packhound.team.vectors import nearest_files
from packhound.team.words import files_with_words

_K = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""


class Candidates(NamedTuple):
    """Files, the best first, how many the branch has, and if any is there for its meaning."""

    files: list[UUID]
    n_files: int
    by_meaning: bool


def find_candidates(
    store: Store, branch: Branch, terms: Sequence[str], question: str, n: int
) -> Candidates:
    """Return the best files by rare terms and, unless `question` is empty, by its meaning."""
    with_words = files_with_words(store, branch, terms, n)
    nearest = nearest_files(store, [branch], question)
    scores = defaultdict[UUID, float](float)
    for ranking in (with_words.files, nearest):
        for rank, file in enumerate(ranking, 1):
            scores[file] += 1 / (_K + rank)
    best = sorted(scores, key=lambda file: -scores[file])[:n]
    return Candidates(best, with_words.n_files, bool(nearest))
