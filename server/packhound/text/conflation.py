"""Conflation of terms into stem groups, by abbreviations and an aggressive stemmer.

The tokenizer's stemmer is light, so `validation`, `validator` and `validate` are three terms, and
programmers abbreviate: `configuration` is `config`. Stem groups have signals of their own and never
count as matches of the query's terms.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from packhound.text.tokenizer import stem

_EXPANSIONS: dict[str, str] = {}
"""Abbreviation to term, both stemmed; of several terms the first that lists it."""
_, *_TABLE = Path(__file__).with_name("abbreviations.txt").read_text("ascii").splitlines()
for _term, *_short_forms in map(str.split, _TABLE):
    for _short_form in _short_forms:
        _EXPANSIONS.setdefault(stem(_short_form), stem(_term))
_SUFFIXES = (
    *("izations", "ization", "ifications", "ification", "ations", "ation", "itions", "ition"),
    *("ators", "ator", "ating", "ated", "ates", "ate", "ables", "able", "ibles", "ible"),
    *("ments", "ment", "ances", "ance", "ences", "ence", "nesses", "ness", "ities", "ity"),
    *("izers", "izer", "izing", "ized", "izes", "ize", "ifiers", "ifier", "ifying", "ified"),
    *("ions", "ion", "ings", "ing", "ers", "er", "ors", "or", "als", "al", "ies", "ied", "ed"),
    *("ives", "ive", "ly", "at", "iz", "es", "s", "e", "y"),
)
_MIN_STEM = 4


@lru_cache(maxsize=65_536)
def aggressive_stem(term: str) -> str:
    """Return the stem group of a term: `validat`, `validator` and `validation` give `valid`."""
    stemmed = _EXPANSIONS.get(term, term)
    for suffix in _SUFFIXES:
        if stemmed.endswith(suffix) and len(stemmed) - len(suffix) >= _MIN_STEM:
            stemmed = stemmed[: -len(suffix)]
            break
    has_double_end = len(stemmed) > _MIN_STEM and stemmed[-1:] == stemmed[-2:-1]
    return stemmed[:-1] if has_double_end else stemmed


def aggressive_stems(terms: Iterable[str]) -> frozenset[str]:
    """Return the stem groups of some terms."""
    return frozenset(map(aggressive_stem, terms))
