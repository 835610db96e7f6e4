"""Where in a text a secret could be at all: found with operations on bytes, not by pattern.

Nearly every secret holds a digit; a line counts if a digit is in a long run of the characters that
keys are made of, or if it also has a word that asks for a secret.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

_QUAD = 4
_FEW = 300
"""In fewer characters each word is sought sooner than the table is asked."""
_KEY_CHARACTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_+/=.~%-"
_CLASSES = bytes(
    ord("0")
    if byte in b"0123456789"
    else ord("a")
    if byte in _KEY_CHARACTERS
    else byte
    if byte == ord("\n")
    else ord(" ")
    for byte in range(256)
)

_RUN = re.compile(rb"(?<![0a])(?=a*0)[0a]{14}")
"""Key characters with a digit among them."""

_ASKING = re.compile("pass|pwd|pw[:=]|secret|credential|token|key|auth|identified")
"""Words in the names of secrets."""


def octets_of(text: str) -> bytes:
    """One byte for each character: those of ASCII as they are."""
    return text.encode("latin-1", "replace")


def suspicious_lines(octets: bytes, lowered: str) -> list[tuple[int, int, bool]]:
    """Start and end of each line worth a close look, and whether it asks for a secret.

    `octets` and `lowered`, the text in lower case, have the same length.
    """
    # A text within a text has lines too.
    classes = octets.replace(b"\\n", b"\n\n").translate(_CLASSES)
    found = []
    at = classes.find(b"0")
    while at >= 0:
        start = classes.rfind(b"\n", 0, at) + 1
        end = classes.find(b"\n", at)
        end = len(classes) if end < 0 else end
        asks = bool(_ASKING.search(lowered, start, end))
        if asks or _RUN.search(classes, start, end):
            found.append((start, end, asks))
        at = classes.find(b"0", end)
    return found


class Beginnings:
    """Finds which of some words could be in a text, by their first four characters.

    All quadruples of bytes are looked up at once in a table of hashes.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._all = tuple(words)
        self._words: dict[int, list[str]] = defaultdict(list)
        self._shorter: list[str] = []
        for word in self._all:
            if len(word) < _QUAD:
                self._shorter.append(word)
            else:
                self._words[int.from_bytes(word[:_QUAD].encode(), "little")].append(word)
        self._table = np.zeros(1 << 16, np.bool_)
        self._table[_hashes(np.array(list(self._words), np.uint32))] = True

    def begun(self, octets: bytes) -> Iterable[str]:
        """The words that a text could have: it has their first four characters, or is short."""
        if len(octets) < _FEW:
            return self._all
        # One from each byte on.
        quads = np.ndarray(len(octets), "<u4", octets + bytes(_QUAD), strides=(1,)).copy()
        present = set(quads[self._table.take(_hashes(quads))].tolist())
        words = (self._words.get(quad, ()) for quad in present)
        return chain(self._shorter, *words)


def _hashes(quads: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Sixteen bits of each, by Knuth's multiplication."""
    hashes: NDArray[np.uint32] = (quads * np.uint32(2_654_435_761)) >> np.uint32(16)
    return hashes
