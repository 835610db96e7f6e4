"""Source with comments and strings blanked, and the expression in front of a name.

Texts are decoded as Latin-1, so an offset is that of the byte.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_HASH, _SLASHES = r"\#[^\n]*", r"//[^\n]*|/\*.*?\*/"
_DOUBLE, _SINGLE = r'"(?:\\.|[^"\\\n])*"', r"'(?:\\.|[^'\\\n])*'"
_TEMPLATE, _CHARACTER = r"`(?:\\.|[^`\\])*`", r"'(?:\\[^\n]{1,9}?|[^'\\\n])'"
_REGEX = r"(?<=[=(,:;!&|?\[{}])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/"
_TRIPLE = r'"""(?:\\.|[^\\])*?"""'
_TRIPLES = rf"{_TRIPLE}|'''(?:\\.|[^\\])*?'''"


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.DOTALL)


_C = _pattern(_SLASHES, _TRIPLE, _DOUBLE, _CHARACTER)
_SCRIPT = _pattern(_SLASHES, _DOUBLE, _SINGLE, _TEMPLATE, _REGEX)
_SHELL = _pattern(_HASH, _DOUBLE, _SINGLE)
_DASHES = _pattern(r"--\[\[.*?\]\]|--[^\n]*", _DOUBLE, _SINGLE)
_PATTERNS = {
    "python": _pattern(_HASH, rf"[a-zA-Z]{{0,2}}(?:{_TRIPLES}|{_DOUBLE}|{_SINGLE})"),
    "php": _pattern(r"\#(?!\[)[^\n]*", _SLASHES, _DOUBLE, _SINGLE),
    "go": _pattern(_SLASHES, _DOUBLE, _TEMPLATE, _CHARACTER),
    "elixir": _pattern(_HASH, _TRIPLE, _DOUBLE),
    **dict.fromkeys(("javascript", "typescript", "tsx", "vue", "svelte", "dart"), _SCRIPT),
    **dict.fromkeys(("ruby", "bash", "r", "julia"), _SHELL),
    **dict.fromkeys(("lua", "haskell", "sql"), _DASHES),
}
_COMMENT = ("#", "//", "/*", "--")
_WITH_CODE = re.compile(r"^(?:[rR]?[fF][rR]?[\"'].*\{|`.*\$\{)", re.DOTALL)
"""Strings that hold expressions."""
_NOT_LINE_END = re.compile(r"[^\n]")

_OPERATOR = re.compile(r"(?:\?\.|!!?\.|(?<!\.\.)\.|->|::)\Z")
_WORD = re.compile(r"[\w$@#]+[?!]?\Z")
_MAX_EXPRESSION = 400
"""Characters in front of a name that are read."""
_CLOSING = {")": "(", "]": "[", "}": "{"}


def blank(source: bytes, language: str) -> tuple[str, str]:
    """Return a source without comments, and without comments and strings; offsets stay."""
    pattern = _PATTERNS.get(language, _C)

    def without_comment(match: re.Match[str]) -> str:
        return _blank(match[0]) if match[0].startswith(_COMMENT) else match[0]

    def without_string(match: re.Match[str]) -> str:
        return match[0] if _WITH_CODE.match(match[0]) else _blank(match[0])

    code = pattern.sub(without_comment, source.decode("latin-1"))
    return code, pattern.sub(without_string, code)


def _blank(text: str) -> str:
    return _NOT_LINE_END.sub(" ", text)


class Segment(NamedTuple):
    """One link of a chain such as `self.store.open()`; "" for what is no name."""

    name: str
    called: bool


def receiver(text: str, offset: int) -> tuple[Segment, ...]:
    """Return the chain in front of the name at `offset`, empty for a name that stands alone."""
    return _last_chain(text[max(0, offset - _MAX_EXPRESSION) : offset])[0]


def chain_of(expression: str) -> tuple[Segment, ...]:
    """Return an expression that is one chain of names and calls, empty for any other."""
    segments, rest = _last_chain(expression.rstrip(" ,;") + ".")
    is_chain = rest in ("", "await", "&", "&mut") and all(each.name for each in segments)
    return segments if is_chain else ()


def _last_chain(before: str) -> tuple[tuple[Segment, ...], str]:
    """Return the chain that an operator ends, and what stands in front of it."""
    segments: list[Segment] = []
    before = before.rstrip()
    while operator := _OPERATOR.search(before):
        before = before[: operator.start()].rstrip()
        before, called = _without_arguments(before)
        word = _WORD.search(before)
        segments.append(Segment(word[0].rstrip("?!") if word else "", called))
        if word is None:
            break
        before = before[: word.start()].rstrip()
    return tuple(reversed(segments)), before.strip()


def _without_arguments(before: str) -> tuple[str, bool]:
    """Strip a bracketed tail; True if it is that of a call. What is indexed is no name."""
    opening = _CLOSING.get(before[-1:])
    if opening is None:
        return before, False
    closing, depth = before[-1], 0
    for i in range(len(before) - 1, -1, -1):
        depth += (before[i] == closing) - (before[i] == opening)
        if depth == 0:
            return (before[:i].rstrip(), True) if closing == ")" else ("", False)
    return "", False
