"""Which names have which words side by side.

Thousands of names have a word of a query, and hardly any of them has two side by side. So a name
is told by a few bits whether it may be one of those, and looked at only then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache, reduce
from itertools import pairwise
from operator import or_

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Ints, Mask
from packhound.text.conflation import aggressive_stem
from packhound.text.tokenizer import parts, stem

Pair = tuple[str, str]

_N_BITS = 63
_SEEN = 1 << _N_BITS


class NamePairs:
    """Two bits for each two neighbouring words of a name, by the number of the name.

    Several threads may ask at once: what gets lost between them is worked out again.
    """

    def __init__(self) -> None:
        self._bits = np.zeros(0, np.uint64)

    def having(self, names: Sequence[str], numbers: Ints, wanted: frozenset[Pair]) -> Mask:
        """Which of the names of some numbers have any of the pairs that are wanted."""
        bits = self.see(names, numbers)
        likely = np.zeros(len(numbers), np.bool_)
        for both in map(np.uint64, map(_bits_of, wanted)):
            likely |= (bits & both) == both
        places = numbers[likely].tolist()
        alike = {n for n in set(places) if not wanted.isdisjoint(_pairs_in(names[n]))}
        found = np.zeros(len(numbers), np.bool_)
        found[likely] = [n in alike for n in places]
        return found

    def see(self, names: Sequence[str], numbers: Ints) -> NDArray[np.uint64]:
        """The bits of the names of some numbers."""
        bits = known = self._bits
        if len(known) < len(names):
            bits = np.zeros(len(names), np.uint64)
            bits[: len(known)] = known
            self._bits = bits
        found = bits.take(numbers)
        if not found.all():
            for number in set(numbers[found == 0].tolist()):
                bits[number] = reduce(or_, map(_bits_of, pairs_of(parts(names[number]))), _SEEN)
            found = bits.take(numbers)
        return found


def pairs_of(words: Iterable[str]) -> frozenset[Pair]:
    """The families of each two neighbours among some words, which are lower case."""
    return frozenset(pairwise(map(_family, words)))


@lru_cache(maxsize=4_096)
def _pairs_in(name: str) -> frozenset[Pair]:
    return pairs_of(parts(name))


def _bits_of(pair: Pair) -> int:
    """Two bits of many, since one would be shared by too many pairs."""
    number = hash(pair)
    return 1 << number % _N_BITS | 1 << (number >> 32) % _N_BITS


@lru_cache(maxsize=65_536)
def _family(word: str) -> str:
    return aggressive_stem(stem(word))
