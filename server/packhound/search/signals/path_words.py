"""Words of a query in the paths of candidate files, exactly and by stem group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from packhound.core.arrays import Floats, Ints, Mask, contained_in
from packhound.index import PathTable, WordLists
from packhound.text import aggressive_stem


@dataclass(frozen=True, eq=False)
class PathWords:
    """Masks of the candidate files by word; words that no file has are left out.

    `weights` are the idfs of the query's terms, `files` and `folders` ids in `table`.
    """

    table: PathTable
    weights: Mapping[str, float]
    files: Ints
    folders: Ints

    @cached_property
    def in_folders(self) -> dict[str, Mask]:
        """Terms in the folders of the files."""
        return _masks(self.table.folder_words, self.weights, self.folders)

    @cached_property
    def group_weights(self) -> dict[str, float]:
        """Stem groups of the terms with the weight of the heaviest term of each."""
        weights: dict[str, float] = {}
        for term, weight in self.weights.items():
            group = aggressive_stem(term)
            weights[group] = max(weight, weights.get(group, 0.0))
        return weights

    @cached_property
    def groups_in_stem(self) -> dict[str, Mask]:
        """Stem groups in the names of the files."""
        return _masks(self.table.stem_groups, self.group_weights, self.files)

    def share(self, weights: Mapping[str, float], masks: Mapping[str, Mask]) -> Floats:
        """Return the weight of each file's words as a share of that of all words."""
        total = np.zeros(len(self.files), np.float64)
        # In alphabetical order, whatever that of the query: equal words give equal bits.
        for word in sorted(masks):
            total += weights[word] * masks[word]
        return (total / (sum(weights.values()) or 1.0)).astype(np.float32)


def _masks(lists: WordLists, words: Iterable[str], ids: Ints) -> dict[str, Mask]:
    masks = ((word, contained_in(ids, lists.of(word))) for word in words)
    return {word: mask for word, mask in masks if mask.any()}
