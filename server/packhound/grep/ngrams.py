"""Bloom filters of what texts have in three and in four bytes: which can contain a literal.

Letters A to Z count as a to z, so one filter serves patterns of any case. A filter has at least a
bit for each byte of its text up to 16 KiB, and one hash function: a literal of n such pieces passes
by chance with a probability of its load to the power of n.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TypeAlias

import numpy as np

from packhound.core.caching import ByteLru
from packhound.grep.literals import Alternatives

_MIN_BITS, _MAX_BITS = 6, 17
"""Powers of two."""
_FACTOR, _SHIFT = 0x9E3779B1, 32 - _MAX_BITS
"""Fibonacci hashing, cut to the bits of the largest filter (Knuth, TAOCP 3, 6.4)."""
_ANYTHING = b"\xff"
"""The filter of a text that may contain anything."""
_MAX_BYTES = 16_000_000
"""Of all filters of a folder; 40 MB of source take some 5."""

Hashes: TypeAlias = tuple[tuple[int, ...], ...]


class NgramFilters:
    """Filters by the digest of a text; thread-safe. A text without one may contain anything."""

    def __init__(self) -> None:
        self._filters: ByteLru[bytes, bytes] = ByteLru(_MAX_BYTES, len)
        self.n_added = 0

    def __contains__(self, digest: bytes) -> bool:
        return self._filters.get(digest) is not None

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

    def candidates(
        self, alternatives: Hashes, among: Sequence[int] | None = None
    ) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """Return the positions of the texts that may have all n-grams of an alternative.

        They ascend; `among` are those to ask, all by default.
        """
        admitted = np.zeros(len(self._masks), np.bool_)
        for hashes in alternatives:
            rows = np.arange(len(self._masks)) if among is None else np.array(among, np.intp)
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
    return np.packbits(marks, bitorder="little").tobytes()


def hashes_of(alternatives: Alternatives) -> Hashes:
    """Return the hashes of the n-grams of each alternative."""
    return tuple(
        tuple(dict.fromkeys(chain.from_iterable(_hash(literal).tolist() for literal in literals)))
        for literals in alternatives
    )


def _hash(text: bytes) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """Return the hash of each n-gram."""
    octets = np.frombuffer(text.lower(), np.uint8).astype(np.uint32)
    trigrams = octets[:-2] << 16 | octets[1:-1] << 8 | octets[2:]
    ngrams = np.concatenate((trigrams, trigrams[:-1] << 8 | octets[3:]))
    hashes: np.ndarray[tuple[int], np.dtype[np.uint32]]
    hashes = ngrams * np.uint32(_FACTOR) >> np.uint32(_SHIFT)
    return hashes
