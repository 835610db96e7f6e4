"""Tokenizer of queries and of code, which must agree.

An identifier yields its parts, split at case, underscores and digits, lower-cased and lightly
stemmed, and, where it has more than one part, itself as a whole without underscores: `HTTPServer2`
gives http, server, 2 and httpserver2; `load_config` and `loadConfig` both give load, config and
loadconfig. No word is dropped.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import chain

from packhound.core.caching import BoundedMemo

TOKENIZER_VERSION = 2
"""Part of every index's identity: a change of any term below changes this number.

1  first version
2  letters beyond ASCII no longer split a word: `Größe` gave gr, öß and e
"""

MAX_WORD = 80
"""Longer runs are hashes, keys and base64: one opaque term each, cut here."""

_MEMO_ENTRIES = 100_000
"""Runs with their terms, and parts with their stems: some 20 MB; emptying takes milliseconds."""

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
    """Return the terms of `text` in order, with repeats."""
    return list(chain.from_iterable(map(terms_of_run, runs(text))))


def runs(text: str) -> list[str]:
    """Return the maximal runs of letters, digits, underscores and all that is not ASCII.

    No word, of this tokenizer or of the bundled encoder, crosses the end of a run, so that the
    terms of a run do not depend on what surrounds it.
    """
    if text.isascii():
        return text.encode("ascii").translate(_SPACED).decode("ascii").split()
    return _RUN.findall(text)


def blank_separators(source: bytes) -> bytes:
    """Replace the bytes that are in no run by blanks; the `runs` are the same, and found sooner.

    Offsets stay valid, so a source is blanked once and then cut.
    """
    return source.translate(_SPACED)


def split_blanked(text: str) -> list[str]:
    """Return the `runs` of a text that went through `blank_separators`."""
    return text.split() if text.isascii() else _RUN.findall(text)


def identifiers(text: str) -> list[str]:
    """Return the identifiers of `text` as written, in order, with repeats."""
    return _IDENTIFIER.findall(text)


def parts(identifier: str) -> list[str]:
    """Split one identifier, lower-cased, not stemmed: `getURL` gives get and url."""
    return [part.lower() for part in _pieces(identifier)]


def fold_identifier(identifier: str) -> str:
    """Return an identifier in lower case without underscores, the form it is indexed in whole."""
    return identifier.replace("_", "").lower()


def stem(word: str) -> str:
    """Strip the English suffixes of one word (plural, -ing, -ed, final e); never below 3 letters.

    A lighter relative of Porter's first step (Porter 1980), for words that are already lower case.
    """
    if len(word) < 4 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for suffix in ("ing", "ed"):
        base = word[: -len(suffix)]
        if word.endswith(suffix) and len(base) >= 3 and any(v in base for v in "aeiouy"):
            word = base[:-1] if base[-1] == base[-2] and base[-1] not in "lsz" else base
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _terms_of_run(run: str) -> tuple[str, ...]:
    if run.isascii():
        if run.isalpha():
            return _split(run)
    else:
        run = unicodedata.normalize("NFC", run)
    return tuple(chain.from_iterable(map(_split, _WORD.findall(run))))


def _stem_part(part: str) -> str:
    return stem(part.lower())


terms_of_run = BoundedMemo(_terms_of_run, _MEMO_ENTRIES, MAX_WORD).__getitem__
"""Return the terms of one of the `runs` of a text."""

_stem_of = BoundedMemo(_stem_part, _MEMO_ENTRIES).__getitem__


def _split(word: str) -> tuple[str, ...]:
    if len(word) > MAX_WORD:
        return (word[:MAX_WORD].lower(),)
    pieces = _pieces(word)
    if len(pieces) > 1:
        return (*map(_stem_of, pieces), fold_identifier(word))
    term = _stem_of(word)
    return (term, *_bigrams(word)) if _UNSPACED.search(word) else (term,)


def _pieces(word: str) -> list[str]:
    """Split a word at changes of case and at digits."""
    if word.isascii():
        return _PART.findall(word)
    # The same pattern over the shape of the word: each cased letter by an ASCII one of its case.
    shape = "".join(c if c.isascii() else _shape_of(c) for c in word)
    return [word[match.start() : match.end()] for match in _PART.finditer(shape)]


def _shape_of(letter: str) -> str:
    return "A" if letter.isupper() else "a" if letter.islower() else letter


def _bigrams(word: str) -> list[str]:
    """Return the overlapping pairs of characters by which scripts without spaces are searched."""
    return [word[i : i + 2] for i in range(len(word) - 1)]
