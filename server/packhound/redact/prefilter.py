"""Cheap tests of where a text can hold a secret at all, on bytes instead of by pattern.

Nearly every secret holds a digit: a line is suspicious if a digit is in a long run of the
characters that keys are made of, or if it also has a word that names secrets.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

_BLOCK = 4
_SHORT_TEXT = 300
"""In fewer characters searching for each literal is quicker than the table."""
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

_SECRET_WORD = re.compile("pass|pwd|pw[:=]|secret|credential|token|key|auth|identified|bearer|psk")
"""Words in the names of secrets."""


_VALUE_ALONE = re.compile("[ \t]*[bfru]?['\"`]")


def to_octets(text: str) -> bytes:
    """Return one byte for each character: those of ASCII as they are."""
    return text.encode("latin-1", "replace")


def suspicious_lines(octets: bytes, lowered: str) -> list[tuple[int, int, bool]]:
    """Return start and end of each line worth a close look, and whether it names a secret.

    `octets` and `lowered`, the text in lower case, have the same length.
    """
    # String literals have lines too.
    classes = octets.replace(b"\\n", b"\n\n").translate(_CLASSES)
    lines = []
    digit = classes.find(b"0")
    while digit >= 0:
        start = classes.rfind(b"\n", 0, digit) + 1
        end = classes.find(b"\n", digit)
        end = len(classes) if end < 0 else end
        names_secret = bool(_SECRET_WORD.search(lowered, start, end))
        if names_secret or _RUN.search(classes, start, end):
            if not names_secret and _VALUE_ALONE.match(lowered, start, end):
                # Its name may be on the line before, as `black` and `prettier` set code.
                start = lowered.rfind("\n", 0, max(0, start - 1)) + 1
                names_secret = bool(_SECRET_WORD.search(lowered, start, end))
            lines.append((start, end, names_secret))
        digit = classes.find(b"0", end)
    return lines


class LiteralPrefilter:
    """Finds which of some hundred literals can be in a text, by their first four characters.

    A Bloom-like filter over blocks of four bytes, as in Wu and Manber, "A fast algorithm for
    multi-pattern searching" (1994): all blocks of a text are looked up at once in a table of 16-bit
    hashes. Searching for the literals one by one instead takes redaction 1.8 times as long.
    """

    def __init__(self, literals: Iterable[str]) -> None:
        self._all = tuple(literals)
        self._by_block: dict[int, list[str]] = defaultdict(list)
        self._shorter: list[str] = []
        for literal in self._all:
            if len(literal) < _BLOCK:
                self._shorter.append(literal)
            else:
                block = int.from_bytes(literal[:_BLOCK].encode(), "little")
                self._by_block[block].append(literal)
        self._table = np.zeros(1 << 16, np.bool_)
        self._table[_hashes(np.array(list(self._by_block), np.uint32))] = True

    def literals_in(self, octets: bytes, text: str) -> set[str]:
        """Return the literals in a text; `octets` has one byte for each of its characters."""
        return {literal for literal in self._candidates(octets) if literal in text}

    def _candidates(self, octets: bytes) -> Iterable[str]:
        if len(octets) < _SHORT_TEXT:
            return self._all
        # One block from each byte on.
        blocks = np.ndarray(len(octets), "<u4", octets + bytes(_BLOCK), strides=(1,)).copy()
        present = set(blocks[self._table.take(_hashes(blocks))].tolist())
        return chain(self._shorter, *(self._by_block.get(block, ()) for block in present))


def _hashes(blocks: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return sixteen bits of each block, by Knuth's multiplicative hashing."""
    hashes: NDArray[np.uint32] = (blocks * np.uint32(2_654_435_761)) >> np.uint32(16)
    return hashes
