"""The expression in front of a name, in a text without comments and strings."""

from __future__ import annotations

import re
from typing import NamedTuple

SCRIPT_LANGUAGES = ("javascript", "typescript", "tsx", "vue", "svelte")
_OPERATOR = re.compile(r"(?:\?\.|!!?\.|(?<!\.\.)\.(?:<[\w\s,.<>?&\[\]]*>)?|->|::)\Z")
"""In front of a member, also of one with types: `List.<String>of()`."""
_LAST_SIGNS, _LAST_SIGNS_OF_PHP = (".", ">", ":"), (">", ":")
"""Ends of these operators; in PHP a dot joins texts."""
_WORD = re.compile(r"(?<![\w$@#])[\w$@#]+[?!]?\Z")
"""From its first letter, so that it is not tried anew from each."""
_BEFORE_CHAIN = re.compile(r"(?:(?:try[?!]?|await)\s*)*|&(?:mut)?")
_MAX_SIGN, _MAX_WORD = 3, 60
"""Characters of most operators and words: from farther on each would be tried in vain."""
_MAX_EXPRESSION = 400
"""Characters in front of a name that are read."""
_CLOSING = {")": "(", "]": "["}


class Segment(NamedTuple):
    """One link of a chain such as `self.store.open()`; "" for what is no name."""

    name: str
    called: bool
    indexed: bool = False


def receiver(text: str, offset: int, language: str) -> tuple[Segment, ...]:
    """Return the chain in front of the name at `offset`, empty for a name that stands alone."""
    ends = _LAST_SIGNS_OF_PHP if language == "php" else _LAST_SIGNS
    return _last_chain(text[max(0, offset - _MAX_EXPRESSION) : offset], ends)[0]


def chain_of(expression: str) -> tuple[Segment, ...]:
    """Return an expression that is one chain of names and calls, empty for any other."""
    segments, rest = _last_chain(expression.rstrip(" ,;") + ".")
    is_chain = _BEFORE_CHAIN.fullmatch(rest) is not None and all(
        each.name and not each.indexed for each in segments
    )
    return segments if is_chain else ()


def _last_chain(
    before: str, ends: tuple[str, ...] = _LAST_SIGNS
) -> tuple[tuple[Segment, ...], str]:
    """Return the chain that an operator ends, and what stands in front of it."""
    segments: list[Segment] = []
    before = before.rstrip()
    # Most names stand alone.
    while before.endswith(ends) and (operator := _last(_OPERATOR, before, _MAX_SIGN)):
        before = before[: operator.start()].rstrip()
        bare, indexed = _without_brackets(before, "]")
        before, called = (bare, False) if indexed else _without_brackets(before, ")")
        word = _last(_WORD, before, _MAX_WORD)
        segments.append(Segment(word[0].rstrip("?!") if word else "", called, indexed))
        if word is None:
            break
        before = before[: word.start()].rstrip()
    return tuple(reversed(segments)), before.strip()


def _last(pattern: re.Pattern[str], text: str, most: int) -> re.Match[str] | None:
    """Return what a pattern finds at the end of a text, mostly in its last characters."""
    return pattern.search(text, max(0, len(text) - most)) or pattern.search(text)


def _without_brackets(before: str, closing: str) -> tuple[str, bool]:
    """Strip a tail in brackets; True if there is one."""
    opening, depth = _CLOSING[closing], 0
    for i in range(len(before) - 1, -1, -1):
        depth += (before[i] == closing) - (before[i] == opening)
        if depth == 0:
            return (before[:i].rstrip(), True) if before[i] == opening else (before, False)
    return before, False
