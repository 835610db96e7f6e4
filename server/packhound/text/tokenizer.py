"""Text to terms. Queries and code come through the same door, so that they can meet.

An identifier yields its parts, split at case, underscores and digits, lower-cased and lightly
stemmed, and, where it has more than one part, itself as a whole without underscores: `HTTPServer2`
gives http, server, 2 and httpserver2; `load_config` and `loadConfig` both give load, config and
loadconfig. No word is dropped.
"""

from __future__ import annotations

import re
from itertools import chain

TOKENIZER_VERSION = 1
"""Part of every index's identity: a change of any term below changes this number.

1  first version
"""

MAX_WORD = 80
"""Longer runs are hashes, keys and base64: one opaque term each, cut here."""

_REMEMBERED = 100_000
"""Runs with their terms, and parts with their stems, that are remembered: some 20 MB. A full table
is emptied, which costs milliseconds."""

_SPACED = bytes(
    ord(" ") if code < 128 and not chr(code).isalnum() and chr(code) != "_" else code
    for code in range(256)
)
_RUN = re.compile(r"[^\0-/:-@\[-^`{-\x7f]+")
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


def terms(text: str) -> list[str]:
    """Terms of `text` in order, with repeats."""
    return list(chain.from_iterable(map(terms_of_run, runs(text))))


def runs(text: str) -> list[str]:
    """The longest runs of letters, digits and underscores, and of all that is not ASCII.

    Nothing that is a word, here or to the bundled encoder, reaches over the end of a run, so what
    is known of a run holds wherever it stands.
    """
    if text.isascii():
        return text.encode("ascii").translate(_SPACED).decode("ascii").split()
    return _RUN.findall(text)


def spaced(source: bytes) -> bytes:
    """UTF-8 with blanks in the place of what is in no run: its `runs` are the same, found sooner.

    Every byte stays at its place, so a source is spaced once, and then cut.
    """
    return source.translate(_SPACED)


def runs_of_spaced(text: str) -> list[str]:
    """The `runs` of a text that was `spaced`."""
    return text.split() if text.isascii() else _RUN.findall(text)


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


class _TermsOf(dict[str, tuple[str, ...]]):
    """Runs with their terms; asking for a new one splits it."""

    def __missing__(self, run: str) -> tuple[str, ...]:
        if len(self) >= _REMEMBERED:
            self.clear()
        if run.isalpha() and run.isascii():
            found = _split(run)
        else:
            found = tuple(chain.from_iterable(map(_split, _WORD.findall(run))))
        if len(run) <= MAX_WORD:
            self[run] = found
        return found


class _StemOf(dict[str, str]):
    """Parts of words as written with their stems; asking for a new one stems it."""

    def __missing__(self, part: str) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        found = self[part] = stem(part.lower())
        return found


terms_of_run = _TermsOf().__getitem__
"""Terms of one of the `runs` of a text."""

_stem_of = _StemOf().__getitem__


def _split(word: str) -> tuple[str, ...]:
    if len(word) > MAX_WORD:
        return (word[:MAX_WORD].lower(),)
    pieces = _PART.findall(word)
    if len(pieces) > 1:
        return (*map(_stem_of, pieces), folded(word))
    whole = _stem_of(word)
    return (whole, *_bigrams(word)) if _UNSPACED.search(word) else (whole,)


def _bigrams(word: str) -> list[str]:
    """Scripts without spaces are searched by overlapping pairs of characters."""
    return [word[i : i + 2] for i in range(len(word) - 1)]
