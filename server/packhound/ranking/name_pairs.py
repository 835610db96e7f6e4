"""Which names have which words side by side.

Thousands of names have a word of a query, and hardly any of them has two side by side. So a name
is told by a few bits whether it may be one of those, and looked at only then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from packhound.text.kin import root_of
from packhound.text.tokens import parts, stem

Numbers = NDArray[np.int32]
Mask = NDArray[np.bool_]
Pair = tuple[str, str]

_N_BITS = 63
_SEEN = 1 << _N_BITS


class NamePairs:
    """A bit for each two neighbouring words of a name, by the number of the name.

    Several threads may ask at once: what gets lost between them is worked out again.
    """

    def __init__(self) -> None:
        self._bits = np.zeros(0, np.uint64)

    def having(self, names: Sequence[str], numbers: Numbers, wanted: frozenset[Pair]) -> Mask:
        """Which of the names of some numbers have any of the pairs that are wanted."""
        bits = self._bits_of(names, numbers)
        likely = np.flatnonzero(bits & np.uint64(_bits_of(wanted)))
        places = numbers[likely].tolist()
        alike = {n for n in set(places) if not wanted.isdisjoint(_pairs_in(names[n]))}
        found = np.zeros(len(numbers), np.bool_)
        found[likely] = [n in alike for n in places]
        return found

    def _bits_of(self, names: Sequence[str], numbers: Numbers) -> NDArray[np.uint64]:
        bits = self._bits
        if len(bits) < len(names):
            bits = np.zeros(len(names), np.uint64)
            bits[: len(self._bits)] = self._bits
            self._bits = bits
        found = bits.take(numbers)
        if not found.all():
            for number in set(numbers[found == 0].tolist()):
                bits[number] = _SEEN | _bits_of(_pairs_in(names[number]))
            found = bits.take(numbers)
        return found


def pairs_of(words: Iterable[str]) -> frozenset[Pair]:
    """The families of each two neighbours among some words, which are lower case."""
    return frozenset(pairwise(map(_family, words)))


@lru_cache(maxsize=8_192)
def _pairs_in(name: str) -> frozenset[Pair]:
    return pairs_of(parts(name))


def _bits_of(pairs: frozenset[Pair]) -> int:
    bits = 0
    for pair in pairs:
        bits |= 1 << hash(pair) % _N_BITS
    return bits


@lru_cache(maxsize=65_536)
def _family(word: str) -> str:
    return root_of(stem(word))
