"""Literals that a text must contain to match a regular expression of RE2's syntax.

They are in disjunctive normal form: a text that matches has all literals of one alternative. Where
nothing is known of a part of the pattern it requires nothing, so no match is ever lost (the method
of Cox, *Regular Expression Matching with a Trigram Index*, 2012).
"""

from __future__ import annotations

import re
from typing import TypeAlias

Alternatives: TypeAlias = tuple[tuple[bytes, ...], ...]
"""Alternatives of literals; one without literals is met by every text."""

NOTHING: Alternatives = ((),)
_MAX_ALTERNATIVES = 32

_TOKEN = re.compile(
    rb"\\(?P<class>[dDwWsSbBAzntrfva])|\\(?P<escaped>[^0-9A-Za-z])"
    rb"|(?P<open>\((?:\?(?:P?<\w+>|[imsU-]*:|(?P<flags>[imsU-]+\))))?)"
    rb"|(?P<close>\))|(?P<or>\|)"
    rb"|(?P<quantifier>(?:[*+?]|\{(?P<minimum>\d+)(?:,\d*)?\})\??)"
    rb"|(?P<set>\[\^?\]?(?:\[:\^?\w+:\]|\\[^pPxQ0-9]|[^\]\\])*\])"
    rb"|(?P<any>[.^$])|(?P<plain>[^\\()|*+?\[.^$])",
    re.DOTALL,
)


def required_literals(pattern: bytes) -> Alternatives:
    """Return what a text needs to match a legal pattern; `NOTHING` where that is not known."""
    tokens = []
    offset = 0
    while offset < len(pattern):
        token = _TOKEN.match(pattern, offset)
        if token is None:  # Such as \Q, \pL and \x41: rare, and not worth their rules.
            return NOTHING
        tokens.append(token)
        offset = token.end()
    return _Parser(tokens).alternation()


class _Parser:
    """Recursive descent over the tokens of one pattern."""

    def __init__(self, tokens: list[re.Match[bytes]]) -> None:
        self._tokens = tokens
        self._next = 0

    def alternation(self) -> Alternatives:
        """Parse branches up to the end of the group."""
        branches = [*self._concatenation()]
        while self._kind() == "or":
            self._next += 1
            branches += self._concatenation()
        return tuple(branches) if len(branches) <= _MAX_ALTERNATIVES else NOTHING

    def _concatenation(self) -> Alternatives:
        required, run = NOTHING, b""
        while (kind := self._kind()) not in ("", "or", "close"):
            token = self._tokens[self._next]
            self._next += 1
            atom, literal = NOTHING, token["escaped"] or token["plain"] or b""
            if kind == "open":
                atom = self.alternation()
                self._next += 1
            minimum, quantified = self._quantifiers()
            if literal and not quantified:
                run += literal
                continue
            if literal and minimum:
                run += literal
            required, run = _both(required, ((run,),) if run else NOTHING), b""
            if minimum:
                required = _both(required, atom)
        return _both(required, ((run,),) if run else NOTHING)

    def _quantifiers(self) -> tuple[int, bool]:
        """Return the minimum count of the atom before, and True if it has a quantifier."""
        minimum, quantified = 1, False
        while self._kind() == "quantifier":
            token = self._tokens[self._next]
            self._next += 1
            quantified = True
            minimum = min(minimum, int(token["minimum"] or token[0][:1] == b"+"))
        return minimum, quantified

    def _kind(self) -> str:
        """Return the kind of the next token, "" at the end."""
        if self._next == len(self._tokens):
            return ""
        token = self._tokens[self._next]
        return "flags" if token["flags"] else str(token.lastgroup)


def _both(first: Alternatives, second: Alternatives) -> Alternatives:
    """Return what a text needs that meets both; the first alone where that were too much."""
    if len(first) * len(second) > _MAX_ALTERNATIVES:
        return first
    return tuple((*left, *right) for left in first for right in second)
