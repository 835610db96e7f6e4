"""Text to terms. Queries and code come through the same door, so that they can meet.

An identifier yields its parts, split at case, underscores and digits, lower-cased and lightly
stemmed, and, where it has more than one part, itself as a whole without underscores: `HTTPServer2`
gives http, server, 2 and httpserver2; `load_config` and `loadConfig` both give load, config and
loadconfig. No word is dropped.
"""

from __future__ import annotations

import re

TOKENIZER_VERSION = 1
"""Part of every index's identity: a change of any term below changes this number.

1  first version
"""

MAX_WORD = 80
"""Longer runs are hashes, keys and base64: one opaque term each, cut here."""

_CACHE_WORDS = 200_000
"""Words remembered with their terms; the table is emptied when full, which costs milliseconds."""

_WORD = re.compile(r"[^\W\d_][^\W_]*(?:_+[^\W_]+)*|\d+")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_PART = re.compile(
    r"\d+"
    r"|[A-Z]{2,}s(?![a-z])"  # URLs
    r"|[A-Z]+(?=[A-Z][a-z])"  # HTTP in HTTPServer
    r"|[A-Z]?[a-z]+"
    r"|[A-Z]+"
    r"|[^\W\d_a-zA-Z]+"
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

_table: dict[str, tuple[str, ...]] = {}


def terms(text: str) -> list[str]:
    """Terms of `text` in order, with repeats."""
    found: list[str] = []
    extend = found.extend
    known = _table
    for word in _WORD.findall(text):
        split = known.get(word)
        extend(split if split is not None else _remember(word))
    return found


def identifiers(text: str) -> list[str]:
    """Identifiers of `text` as written, in order, with repeats."""
    return _IDENTIFIER.findall(text)


def parts(identifier: str) -> list[str]:
    """The parts of one identifier, lower-cased, not stemmed: `getURL` gives get and url."""
    return [part.lower() for part in _PART.findall(identifier)]


def folded(identifier: str) -> str:
    """The form in which an identifier is kept whole: lower case, no underscores."""
    return identifier.replace("_", "").lower()


def stem(word: str) -> str:
    """Cut the endings that English adds to one word (plural, -ing, -ed, final e); never below 3.

    A lighter relative of Porter's first step (Porter 1980), for words that are already lower case.
    """
    if len(word) < 4 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        base = word[: -len(ending)]
        if word.endswith(ending) and len(base) >= 3 and any(v in base for v in "aeiouy"):
            word = base[:-1] if base[-1] == base[-2] and base[-1] not in "lsz" else base
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _remember(word: str) -> tuple[str, ...]:
    if len(_table) >= _CACHE_WORDS:
        _table.clear()
    split = _table[word] = _split(word)
    return split


def _split(word: str) -> tuple[str, ...]:
    if len(word) > MAX_WORD:
        return (word[:MAX_WORD].lower(),)
    pieces = parts(word)
    if len(pieces) <= 1:
        whole = stem(word.lower())
        return (whole, *_bigrams(word)) if _UNSPACED.search(word) else (whole,)
    return (*(stem(piece) for piece in pieces), folded(word))


def _bigrams(word: str) -> list[str]:
    """Scripts without spaces are searched by overlapping pairs of characters."""
    return [word[i : i + 2] for i in range(len(word) - 1)]
