"""Bloom filters of what texts have in three and in four bytes: which can contain a literal.

Letters A to Z count as a to z, so one filter serves patterns of any case. A filter has at least a
bit for each byte of its text up to 16 KiB, and one hash function: a literal of n such pieces passes
by chance with a probability of its load to the power of n. The three bytes before white space and
the three after it, all white space aside, are a piece too: so neighbouring words are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice, pairwise
from typing import TypeAlias

import numpy as np

from packhound.core.caching import ByteLru
from packhound.grep.literals import Alternatives

_MIN_BITS, _MAX_BITS = 6, 17
"""Powers of two."""
_FACTOR, _GAP, _SHIFT = 0x9E3779B1, 0x01000193, 32 - _MAX_BITS
"""Fibonacci hashing, cut to the bits of the largest filter (Knuth, TAOCP 3, 6.4)."""
_ANYTHING = b"\xff"
"""The filter of a text that may contain anything."""
_MAX_BYTES = 16_000_000
"""Of all filters of a folder; 40 MB of source take some 5."""

_MOST_ASKED = 100
"""N-grams of one text that are looked for."""
_IS_SPACE = np.isin(np.arange(256), [*b"\t\n\f\r "])

Hashes: TypeAlias = tuple[tuple[int, ...], ...]


class NgramFilters:
    """Filters by the digest of a text; thread-safe. A text without one may contain anything."""

    def __init__(self) -> None:
        self._filters: ByteLru[bytes, bytes] = ByteLru(_MAX_BYTES, len)
        self.n_added = 0

    def __contains__(self, digest: bytes) -> bool:
        return self._filters.get(digest) is not None

    def admits(self, digest: bytes, hashes: Sequence[int]) -> bool:
        """Return True if a text may have all of some n-grams."""
        bits = self._filters.get(digest)
        if bits is None:
            return True
        mask = 8 * len(bits) - 1
        return all(bits[(hash_ & mask) >> 3] >> (hash_ & 7) & 1 for hash_ in hashes)

    @property
    def n_bytes(self) -> int:
        """Bytes of all filters."""
        return self._filters.n_bytes

    def add(self, digest: bytes, text: bytes) -> None:
        """Make the filter of a text."""
        self._filters.put({digest: make_filter(text)})
        self.n_added += 1

    def table(self, digests: Sequence[bytes]) -> FilterTable:
        """Return the filters of some texts, to ask all of them at once."""
        return FilterTable([self._filters.get(digest) for digest in digests])


class FilterTable:
    """Filters side by side: asking thousands costs little more than asking one."""

    def __init__(self, filters: Sequence[bytes | None]) -> None:
        self.lacks_filter = np.array([bits is None for bits in filters], np.bool_)
        parts = [_ANYTHING if bits is None else bits for bits in filters]
        sizes = np.array([len(bits) for bits in parts], np.int64)
        self._bits = np.frombuffer(b"".join(parts), np.uint8)
        self._masks = (8 * sizes - 1).astype(np.uint32)
        self._starts = np.cumsum(sizes) - sizes

    def candidates(self, alternatives: Hashes) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """Return the positions of the texts that may have all n-grams of an alternative.

        They ascend.
        """
        admitted = np.zeros(len(self._masks), np.bool_)
        for hashes in alternatives:
            rows = np.arange(len(self._masks))
            for hash_ in hashes:
                bits = self._masks[rows] & np.uint32(hash_)
                octets = self._bits[self._starts[rows] + (bits >> 3)]
                rows = rows[(octets >> (bits & 7).astype(np.uint8) & 1).astype(np.bool_)]
            admitted[rows] = True
        return np.flatnonzero(admitted)


def make_filter(text: bytes) -> bytes:
    """Return the filter of a text."""
    n_bits = 1 << min(max(_MIN_BITS, len(text).bit_length()), _MAX_BITS)
    marks = np.zeros(n_bits, np.bool_)
    marks[_hash(text) & (n_bits - 1)] = True
    marks[_hash_gaps(text) & (n_bits - 1)] = True
    return np.packbits(marks, bitorder="little").tobytes()


def hashes_of(alternatives: Alternatives) -> Hashes:
    """Return the hashes of the n-grams of each alternative."""
    return tuple(
        tuple(dict.fromkeys(chain.from_iterable(_hash(literal).tolist() for literal in literals)))
        for literals in alternatives
    )


def hashes_of_tokens(tokens: Sequence[bytes]) -> tuple[int, ...]:
    """Return the hashes of n-grams that any text has with these tokens in a row, the rarest first.

    Between two of them may be white space, and is where both are of letters and digits.
    """
    joined, hashes, end = b"".join(tokens).lower(), list[int](), 0
    for first, second in pairwise(tokens):
        end += len(first)
        gap = joined[max(0, end - 3) : end + 3]
        if len(gap) == 6 and end > 2 and first.isalnum() and second.isalnum():
            hashes.append(_number(gap[:3]) * _GAP ^ _number(gap[3:]))
    for token in map(bytes.lower, tokens):
        hashes += [_number(token)] if len(token) == 3 else ()
        hashes += [_number(token[i : i + 4]) for i in range(len(token) - 3)]
    wanted = islice(dict.fromkeys(hashes), _MOST_ASKED)
    return tuple((number * _FACTOR & 0xFFFFFFFF) >> _SHIFT for number in wanted)


def _number(octets: bytes) -> int:
    return int.from_bytes(octets, "big")


def _hash(text: bytes) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """Return the hash of each n-gram."""
    octets = np.frombuffer(text.lower(), np.uint8).astype(np.uint32)
    trigrams = octets[:-2] << 16 | octets[1:-1] << 8 | octets[2:]
    ngrams = np.concatenate((trigrams, trigrams[:-1] << 8 | octets[3:]))
    hashes: np.ndarray[tuple[int], np.dtype[np.uint32]]
    hashes = ngrams * np.uint32(_FACTOR) >> np.uint32(_SHIFT)
    return hashes


def _hash_gaps(text: bytes) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """Return the hash of what is on both sides of each white space."""
    octets = np.frombuffer(text.lower(), np.uint8)
    places = np.flatnonzero(~_IS_SPACE[octets])
    after = np.flatnonzero(places[1:] - places[:-1] > 1) + 1
    after = after[(after > 2) & (after + 2 < len(places))]
    a, b, c, d, e, f = (octets[places[after + i]].astype(np.uint32) for i in range(-3, 3))
    gaps = (a << 16 | b << 8 | c) * np.uint32(_GAP) ^ (d << 16 | e << 8 | f)
    hashes: np.ndarray[tuple[int], np.dtype[np.uint32]]
    hashes = gaps * np.uint32(_FACTOR) >> np.uint32(_SHIFT)
    return hashes
