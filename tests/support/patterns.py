"""Random regular expressions of the syntax that RE2 and ripgrep share, about words of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

_CLASSES = (
    r"\w",
    r"\d",
    r"\s",
    r"\S",
    r"\W",
    ".",
    "[a-z]",
    "[^a-z]",
    "[A-Z_]",
    r"[^\s(]",
    "[0-9a-f]",
)
_CLASSES += (r"[\w.]", "[[:alpha:]]", "[^[:space:]]", r"[-\]x]", r"[\t ]", "[^x]")
_STARTS, _ENDS = ("", "", "", "^", r"\b"), ("", "", "", "$", r"\b")
_DEPTH = 2
_QUANTIFIERS = ("*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "*?", "+?", "??")


def words_of(texts: Sequence[bytes]) -> list[str]:
    """Return pieces of the texts for literals: words, and punctuation with what is beside."""
    text = b"\n".join(texts).decode("utf-8", "replace")
    pieces = re.findall(r"[\w.]+|[^\w\s]+ ?\w*", text)
    return sorted({piece[:6] for piece in pieces})


def random_pattern(random: Random, words: Sequence[str], depth: int = _DEPTH) -> str:
    """Return a pattern; not every one is legal for both."""
    atoms = [_atom(random, words, depth) for _ in range(random.choice((1, 1, 1, 2, 2, 3)))]
    pattern = "".join(atoms)
    if depth < _DEPTH:
        return pattern
    # No anchors within, and no \B: ripgrep 13 loses matches of `\B^`, though not of `^\B`.
    pattern = random.choice(_STARTS) + pattern + random.choice(_ENDS)
    return f"(?i){pattern}" if random.random() < 0.1 else pattern


def _atom(random: Random, words: Sequence[str], depth: int) -> str:
    draw = random.random()
    if draw < 0.4:
        atom = re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", random.choice(words))
        if not atom.isascii():
            atom = random.choice(words)
            atom = "".join(c for c in atom if c.isalnum() and c.isascii()) or "a"
        atom = atom[random.randrange(2) :] if atom[:1].isalnum() else atom
    elif draw < 0.65:
        atom = random.choice(_CLASSES)
    elif depth:
        branches = [
            random_pattern(random, words, depth - 1) for _ in range(random.choice((1, 2, 2, 3)))
        ]
        atom = f"{random.choice(('(', '(?:', '(?i:'))}{'|'.join(branches)})"
    else:
        atom = "e"
    return atom + random.choice(_QUANTIFIERS) if random.random() < 0.3 else atom
