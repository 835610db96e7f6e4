"""Bloom filters over names: few names have what a query asks for, and only those are compared.

Each name has one word of bits, computed when the name is first met; the name table only grows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache, reduce
from itertools import pairwise
from operator import or_
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Ints, Mask, Positions, top_k
from packhound.text import aggressive_stem, parts, stem

Bigram: TypeAlias = tuple[str, str]
"""Stem groups of two adjacent words."""

_N_BITS = 63
_COMPUTED = 1 << _N_BITS
"""Set in the bits of every name that has been met."""
_N_LETTER_BITS = 61
_BIT_COUNTS = np.array([number.bit_count() for number in range(1 << 16)], np.uint8)
_MAX_LENGTH, _N_FIRST = 60_000, 8
_BATCH = 16_384
"""Names described together, within some megabytes."""


class BigramBloomFilter:
    """Two-bit Bloom filter over the adjacent word stems of each name, by name id.

    Thread-safe: an update that is lost to another thread is computed again.
    """

    def __init__(self) -> None:
        self._bits = np.zeros(0, np.uint64)

    def match_any(self, names: Sequence[str], name_ids: Ints, bigrams: frozenset[Bigram]) -> Mask:
        """Return the mask of the name ids whose names have any of the bigrams, exactly."""
        bits = self.bits(names, name_ids)
        maybe = np.zeros(len(name_ids), np.bool_)
        for pair in map(np.uint64, map(_hash_bits, bigrams)):
            maybe |= (bits & pair) == pair
        candidates = name_ids[maybe].tolist()
        matching = {n for n in set(candidates) if not bigrams.isdisjoint(_name_bigrams(names[n]))}
        matches = np.zeros(len(name_ids), np.bool_)
        matches[maybe] = [n in matching for n in candidates]
        return matches

    def bits(self, names: Sequence[str], name_ids: Ints) -> NDArray[np.uint64]:
        """Return the bits of some names; those of new names are computed."""
        table = self._bits
        if len(table) < len(names):
            grown = np.zeros(len(names), np.uint64)
            grown[: len(table)] = table
            table = self._bits = grown
        bits = table.take(name_ids)
        if not bits.all():
            for name_id in set(name_ids[bits == 0].tolist()):
                bigrams = bigrams_of(parts(names[name_id]))
                table[name_id] = reduce(or_, map(_hash_bits, bigrams), _COMPUTED)
            bits = table.take(name_ids)
        return bits


class LetterFilter:
    """One-bit Bloom filter over the lower-case letters of each name, by name id. Thread-safe.

    It knows their lengths without underscores too, and their first letters.
    """

    def __init__(self) -> None:
        self._table = np.zeros(0, np.uint64), np.zeros(0, np.uint16), np.zeros(0, np.uint64)

    def match_all(self, names: Sequence[str], text: str) -> Positions:
        """Return the ids of the names that may have every letter of `text`."""
        mask = np.uint64(_letter_bits(text.lower()))
        return np.flatnonzero((self.rows(names)[0] & mask) == mask)

    def match_start(self, names: Sequence[str], text: str) -> Positions:
        """Return the ids of the names that may begin with `text`, in any letter case."""
        n_bits = 8 * min(_N_FIRST, len(text.lower().encode()))
        mask = np.uint64(((1 << n_bits) - 1) << (8 * _N_FIRST - n_bits))
        return np.flatnonzero((self.rows(names)[2] & mask) == np.uint64(_first_letters(text)))

    def match_near(self, names: Sequence[str], folded: str, max_edits: int, k: int) -> Positions:
        """Return the ids of the names that may be within `max_edits` edits of a folded identifier.

        Of more than `k` names those that share the most letters, and all ties with the last. An
        edit adds or removes two letters of the set at most, and changes the length by one.
        """
        bits, lengths, _ = self.rows(names)
        near = np.flatnonzero(np.abs(lengths.astype(np.int32) - len(folded)) <= max_edits)
        differing = bits.take(near) ^ np.uint64(_letter_bits(folded))
        differing &= ~np.uint64(_letter_bits("_"))
        n_bits = _BIT_COUNTS.take(differing.view(np.uint16)).reshape(-1, 4).sum(axis=1)
        return near.take(top_k(-n_bits.astype(np.float32), k, -2.0 * max_edits))

    def rows(
        self, names: Sequence[str]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint16], NDArray[np.uint64]]:
        """Return the bits, the lengths without underscores and the first letters of all names."""
        (bits, lengths, starts), n = self._table, len(names)
        while len(bits) < n:
            added = _describe_letters(names[len(bits) : min(n, len(bits) + _BATCH)])
            bits, lengths = np.append(bits, added[0]), np.append(lengths, added[1])
            starts = np.append(starts, added[2])
            self._table = bits, lengths, starts
        return bits[:n], lengths[:n], starts[:n]


def bigrams_of(words: Iterable[str]) -> frozenset[Bigram]:
    """Return the stem groups of each two adjacent words, which are lower case."""
    return frozenset(pairwise(map(_stem_group, words)))


@lru_cache(maxsize=4_096)
def _name_bigrams(name: str) -> frozenset[Bigram]:
    return bigrams_of(parts(name))


def _hash_bits(bigram: Bigram) -> int:
    """Return two bits of many, since one would be shared by too many bigrams."""
    number = hash(bigram)
    return 1 << number % _N_BITS | 1 << (number >> 32) % _N_BITS


def _stem_group(word: str) -> str:
    return aggressive_stem(stem(word))


def _start(text: str) -> bytes:
    return text[:_N_FIRST].lower().encode()[:_N_FIRST]


def _first_letters(text: str) -> int:
    return int.from_bytes(_start(text).ljust(_N_FIRST, b"\0"), "big")


def _letter_bits(text: str) -> int:
    return reduce(or_, (1 << (ord(letter) % _N_LETTER_BITS) for letter in text), 0)


def _describe_letters(
    names: Sequence[str],
) -> tuple[NDArray[np.uint64], NDArray[np.uint16], NDArray[np.uint64]]:
    """Return `_letter_bits`, the length without underscores and `_first_letters` of each name."""
    lowered = [name.lower() for name in names]
    sizes = np.fromiter(map(len, lowered), np.intp, len(lowered))
    letters = np.frombuffer("".join(lowered).encode("utf-32-le", "surrogatepass"), np.uint32)
    # Where a name is empty, it would be given the letter of the next.
    filled = np.flatnonzero(sizes)
    starts = (np.cumsum(sizes) - sizes).take(filled)
    bits, lengths = np.zeros(len(names), np.uint64), np.zeros(len(names), np.intp)
    marks = np.uint64(1) << (letters % _N_LETTER_BITS).astype(np.uint64)
    bits[filled] = np.bitwise_or.reduceat(marks, starts)
    lengths[filled] = np.add.reduceat(letters != ord("_"), starts, dtype=np.intp)
    firsts = np.array([*map(_start, names)], f"S{_N_FIRST}").view(">u8").astype(np.uint64)
    return bits, np.minimum(lengths, _MAX_LENGTH).astype(np.uint16), firsts
