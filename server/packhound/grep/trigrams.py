"""Bloom filters of the trigrams of texts: which of them can contain a literal.

Letters A to Z count as a to z, so one filter serves patterns of any case. A filter has at least a
bit for each byte of its text up to 16 KiB, and one hash function: a literal of n trigrams passes by
chance with a probability of its load to the power of n.
"""

from __future__ import annotations

from itertools import chain
from typing import TypeAlias

import numpy as np

from packhound.core.caching import ByteLru
from packhound.grep.literals import Alternatives

_MIN_BITS, _MAX_BITS = 6, 17
"""Powers of two."""
_FACTOR, _SHIFT = 0x9E3779B1, 32 - _MAX_BITS
"""Fibonacci hashing, cut to the bits of the largest filter (Knuth, TAOCP 3, 6.4)."""
_MAX_BYTES = 16_000_000
"""Of all filters of a folder; 40 MB of source take some 5."""

Hashes: TypeAlias = tuple[tuple[int, ...], ...]


class TrigramFilters:
    """Filters by the digest of a text; thread-safe. A text without one may contain anything."""

    def __init__(self) -> None:
        self._filters: ByteLru[bytes, bytes] = ByteLru(_MAX_BYTES, len)

    def __contains__(self, digest: bytes) -> bool:
        return self._filters.get(digest) is not None

    @property
    def n_bytes(self) -> int:
        """Bytes of all filters."""
        return self._filters.n_bytes

    def add(self, digest: bytes, text: bytes) -> None:
        """Make the filter of a text."""
        self._filters.put({digest: make_filter(text)})

    def admits(self, digest: bytes, alternatives: Hashes) -> bool:
        """Return False if the text has none of the alternatives."""
        bits = self._filters.get(digest)
        return bits is None or passes(bits, alternatives)


def make_filter(text: bytes) -> bytes:
    """Return the filter of a text."""
    n_bits = 1 << min(max(_MIN_BITS, len(text).bit_length()), _MAX_BITS)
    marks = np.zeros(n_bits, np.bool_)
    marks[_hash(text) & (n_bits - 1)] = True
    return np.packbits(marks, bitorder="little").tobytes()


def hashes_of(alternatives: Alternatives) -> Hashes:
    """Return the hashes of the trigrams of each alternative."""
    return tuple(
        tuple(dict.fromkeys(chain.from_iterable(_hash(literal).tolist() for literal in literals)))
        for literals in alternatives
    )


def passes(bits: bytes, alternatives: Hashes) -> bool:
    """Return True if a filter has all trigrams of one of the alternatives."""
    mask = len(bits) * 8 - 1
    return any(
        all(bits[(hash_ & mask) >> 3] >> (hash_ & 7) & 1 for hash_ in hashes)
        for hashes in alternatives
    )


def _hash(text: bytes) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """Return the hash of each trigram."""
    octets = np.frombuffer(text.lower(), np.uint8).astype(np.uint32)
    trigrams = octets[:-2] << 16 | octets[1:-1] << 8 | octets[2:]
    hashes: np.ndarray[tuple[int], np.dtype[np.uint32]]
    hashes = trigrams * np.uint32(_FACTOR) >> np.uint32(_SHIFT)
    return hashes
