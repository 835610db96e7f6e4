"""Bytes of a fuzzer as choices, so that each byte it changes changes one choice.

Needs no fuzzer: the input of a crash, or bytes that were drawn at random, make the same choices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

NUMBERS = (0, 1, -1, 2, 3, 7, 50, 255, 1_000, 65_536, 2**31 - 1, 2**31, 2**53, 2**63, -(2**31))


class Draw:
    """Choices from the front of `data`; when it is used up every choice is the first one."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def empty(self) -> bool:
        return self._at >= len(self._data)

    def bytes(self, maximum: int) -> bytes:
        """Up to `maximum` of the next bytes."""
        taken = self._data[self._at : self._at + maximum]
        self._at += maximum
        return taken

    def number(self, maximum: int) -> int:
        """From 0 to `maximum`, which is below 65,536."""
        size = 1 if maximum < 256 else 2
        return int.from_bytes(self.bytes(size), "little") % (maximum + 1)

    def flag(self) -> bool:
        return bool(self.number(1))

    def of(self, choices: Sequence[T]) -> T:
        return choices[self.number(len(choices) - 1)]

    def text(self, maximum: int = 40) -> str:
        """A text of any content; bytes that are not UTF-8 become lone surrogates."""
        return self.bytes(self.number(maximum)).decode("utf-8", "surrogateescape")

    def spliced(self, pieces: Sequence[str], maximum: int = 12) -> str:
        """Some of the pieces with texts of any content between them."""
        parts = []
        for _ in range(self.number(maximum)):
            parts.append(self.text(12) if self.number(3) == 3 else self.of(pieces))
        return "".join(parts)

    def mutated(self, source: bytes, pieces: Sequence[bytes], maximum: int = 5) -> bytes:
        """`source` with runs of bytes cut out, doubled, moved, or replaced by a piece."""
        for _ in range(self.number(maximum)):
            low = self.number(min(len(source), 65_534))
            high = min(low + self.number(120), len(source))
            cut, offset = source[low:high], self.number(min(len(source), 65_534))
            what = self.number(4)
            new = (b"", cut * 2, self.of(pieces), self.bytes(self.number(8)), cut)[what]
            source = source[:low] + new + source[high:]
            if what == 4:
                source = source[:offset] + cut + source[offset:]
        return source

    def json(self, words: Sequence[str], keys: Sequence[str], depth: int = 4) -> object:
        """A JSON value of any shape, preferably of these words and keys."""
        what = self.number(9 if depth else 5)
        if what == 0:
            return self.of(words)
        if what == 1:
            return self.of(NUMBERS)
        if what == 2:
            return self.text()
        if what == 3:
            return self.of((None, True, False, 1.5, -0.0, 1e300))
        if what in (4, 5):
            return self.of(words) + self.text(8)
        if what == 6:
            return [self.json(words, keys, depth - 1) for _ in range(self.number(4))]
        names = (self.of(keys) if self.number(7) else self.text(8) for _ in range(self.number(5)))
        return {name: self.json(words, keys, depth - 1) for name in names}
