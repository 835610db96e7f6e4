"""Source with comments and strings blanked, and the expression in front of a name.

Texts are decoded as Latin-1, so an offset is that of the byte.
"""

from __future__ import annotations

import re
from typing import NamedTuple

SCRIPT_LANGUAGES = ("javascript", "typescript", "tsx", "vue", "svelte")
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
    **dict.fromkeys((*SCRIPT_LANGUAGES, "dart"), _SCRIPT),
    **dict.fromkeys(("ruby", "bash", "r", "julia"), _SHELL),
    **dict.fromkeys(("lua", "haskell", "sql"), _DASHES),
}
_COMMENT = ("#", "//", "/*", "--")
_WITH_CODE = re.compile(r"^(?:[rR]?[fF][rR]?[\"'].*\{|`.*\$\{)", re.DOTALL)
"""Strings that hold expressions."""

_OPERATOR = re.compile(r"(?:\?\.|!!?\.|(?<!\.\.)\.|->|::)\Z")
_WORD = re.compile(r"[\w$@#]+[?!]?\Z")
_MAX_EXPRESSION = 400
"""Characters in front of a name that are read."""
_CLOSING = {")": "(", "]": "["}


def blank(source: bytes, language: str) -> tuple[str, str]:
    """Return a source without comments, and without comments and strings; offsets stay."""
    text, end = source.decode("latin-1"), 0
    code, bare = list[str](), list[str]()
    for match in _PATTERNS.get(language, _C).finditer(text):
        between, part = text[end : match.start()], match[0]
        blanked = "\n".join([" " * len(line) for line in part.split("\n")])
        is_comment = part.startswith(_COMMENT)
        code += between, blanked if is_comment else part
        bare += between, blanked if is_comment or not _WITH_CODE.match(part) else part
        end = match.end()
    return "".join([*code, text[end:]]), "".join([*bare, text[end:]])


class Segment(NamedTuple):
    """One link of a chain such as `self.store.open()`; "" for what is no name."""

    name: str
    called: bool
    indexed: bool = False


def receiver(text: str, offset: int) -> tuple[Segment, ...]:
    """Return the chain in front of the name at `offset`, empty for a name that stands alone."""
    return _last_chain(text[max(0, offset - _MAX_EXPRESSION) : offset])[0]


def chain_of(expression: str) -> tuple[Segment, ...]:
    """Return an expression that is one chain of names and calls, empty for any other."""
    segments, rest = _last_chain(expression.rstrip(" ,;") + ".")
    is_chain = rest in ("", "await", "&", "&mut") and all(
        each.name and not each.indexed for each in segments
    )
    return segments if is_chain else ()


def _last_chain(before: str) -> tuple[tuple[Segment, ...], str]:
    """Return the chain that an operator ends, and what stands in front of it."""
    segments: list[Segment] = []
    before = before.rstrip()
    while operator := _OPERATOR.search(before):
        before = before[: operator.start()].rstrip()
        bare, indexed = _without_brackets(before, "]")
        before, called = (bare, False) if indexed else _without_brackets(before, ")")
        word = _WORD.search(before)
        segments.append(Segment(word[0].rstrip("?!") if word else "", called, indexed))
        if word is None:
            break
        before = before[: word.start()].rstrip()
    return tuple(reversed(segments)), before.strip()


def _without_brackets(before: str, closing: str) -> tuple[str, bool]:
    """Strip a tail in brackets; True if there is one."""
    opening, depth = _CLOSING[closing], 0
    for i in range(len(before) - 1, -1, -1):
        depth += (before[i] == closing) - (before[i] == opening)
        if depth == 0:
            return (before[:i].rstrip(), True) if before[i] == opening else (before, False)
    return before, False
