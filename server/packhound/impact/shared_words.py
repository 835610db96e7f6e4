"""Words that changed lines share with files, which is a sign that these change too."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from packhound.core.arrays import Floats, Ints
from packhound.text import identifiers, terms

_MIN_LENGTH = 4
_MAX_WORDS = 400


def words_of(lines: Iterable[str]) -> list[str]:
    """Return the terms of the identifiers in some lines, in the order of the alphabet."""
    names = {name for line in lines for name in identifiers(line) if len(name) >= _MIN_LENGTH}
    return sorted({word[-1] for word in map(terms, names) if word})[:_MAX_WORDS]


def share_words(files_with: Mapping[str, Ints], n_ids: int, n_files: int) -> Floats:
    """Return the share of some words that each file has, rare ones counting more, by file id.

    `files_with` has for each word the ids of the files with it, each once; they are below `n_ids`.
    """
    shares, total = np.zeros(n_ids, np.float32), 0.0
    for file_ids in files_with.values():
        if len(file_ids):
            weight = math.log(max(1.0, n_files / len(file_ids)))
            shares[file_ids] += weight
            total += weight
    return shares / np.float32(total) if total else shares
