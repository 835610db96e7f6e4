"""The files of branches that a question is likeliest about, where they are too large to pull."""

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
    """Files, the best first, how many each branch has, and if any is there for its meaning."""

    files: list[UUID]
    n_files: dict[UUID, int]
    by_meaning: bool


def find_candidates(
    store: Store, branches: Sequence[Branch], terms: Sequence[str], question: str, n: int
) -> Candidates:
    """Return the best files of all branches together, by rare terms and by meaning.

    By terms alone if `question` is empty.
    """
    with_words = files_with_words(store, branches, terms, n)
    nearest = nearest_files(store, branches, question)
    scores = defaultdict[UUID, float](float)
    for ranking in (with_words.files, nearest):
        for rank, file in enumerate(ranking, 1):
            scores[file] += 1 / (_K + rank)
    best = sorted(scores, key=lambda file: -scores[file])[:n]
    return Candidates(best, with_words.n_files, bool(nearest))
