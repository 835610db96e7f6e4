"""Adjacent words of a query as the one identifier that they may be in code."""

from __future__ import annotations

import re
from itertools import pairwise

from packhound.search.query.parse import ParsedQuery
from packhound.search.query.word_lists import STOP_WORDS
from packhound.text import fold_identifier, stem

_WORD = re.compile(r"[^\W_]+")


def compound_terms(query: ParsedQuery) -> tuple[str, ...]:
    """Return the terms of adjacent words joined, without those that are terms of the query."""
    if query.kind == "symbol":
        return ()
    words = [word.lower() for word in _WORD.findall(query.title)]
    compounds: dict[str, None] = {}
    for first, second in pairwise(words):
        if not {first, second} & STOP_WORDS:
            for last in dict.fromkeys((second, stem(second), second.removesuffix("s"))):
                compounds[fold_identifier(first + last)] = None
                compounds[stem(first + last)] = None
    query_terms = set(query.terms)
    return tuple(term for term in compounds if term not in query_terms)
