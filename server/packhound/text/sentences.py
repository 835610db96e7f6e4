"""Sentences within code, as help texts in string literals have them."""

from __future__ import annotations

import re

_WORD = re.compile(r"""["'`(]*[^\W\d_]+(?:['’-][^\W\d_]+)*[.,;:!?)"'`]*""")
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|;|%)")
_LEAST_WORDS, _LEAST_SHARE = 5, 0.7
"""Words of a line, and how many of what blanks separate in it are such, that make it a sentence."""
_LEAST_LINES, _LEAST_OF_ALL = 3, 0.4
"""Sentences, and their share of all lines."""
_END = re.compile(r"""[^\W\d_]{2}[.!?](?=["'`\s]|$)""")


def has_many_sentences(code: str) -> bool:
    """Return True if many lines of some code, its comments aside, are sentences."""
    lines = [
        line for line in code.splitlines() if len(line.strip()) > 1 and not _COMMENT.match(line)
    ]
    sentences = [line for line in lines if _is_sentence(line)]
    are_many = len(sentences) >= max(_LEAST_LINES, _LEAST_OF_ALL * len(lines))
    return are_many and any(map(_END.search, sentences))


def _is_sentence(line: str) -> bool:
    pieces = line.split()
    n_words = sum(1 for piece in pieces if _WORD.fullmatch(piece))
    return n_words >= max(_LEAST_WORDS, _LEAST_SHARE * len(pieces))
