"""String literals with placeholders, and which of them print a message.

A literal prints a message if its constant parts occur in it in their order and near each other.
Quotes, backslashes, letter case and the width of white space do not count. What is a literal is
seen from quotes alone, in any language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from packhound.grep.pattern import Match, compile_search

_PLACEHOLDER = re.compile(
    r"""
    # printf
    %(?:\(\w+\)|[{<]\w+[}>])?[-+\ #0']*(?:\*|\d+\$?\d*)?(?:\.(?:\*|\d+))?[hlqjzt]*[a-zA-Z@]
    | [$\#]?\{(?:[^{}\n]|\{[^{}\n]*\})*\}         # Python, Rust, C#, Go, Ruby, Kotlin, JavaScript
    | \\\((?:[^()\n]|\([^()\n]*\))*\)             # Swift
    | \$\w+(?:(?:\.|->)\w+)*                     # Kotlin, Dart, PHP, shell
    | ~[a-zA-Z]{1,2}\b                            # Erlang, Lisp
    | (?<![\w:]):[a-z]\w+                         # Laravel
    """,
    re.VERBOSE,
)
_MARK = re.compile(r"%|\{|\$|~|\\|\0|:[a-z]")
"""A character of any placeholder, of an escape or of a value between literals. As alternatives `re`
looks for them in half the time."""
_WORD = re.compile(r"[^\W\d_]+")
_ESCAPED_SPACE = re.compile(r"\\[ntr]")
_QUOTES = re.compile(r"""["'`‘’“”\\]""")
_ENDS = re.compile(r"^[\W_]+|[\W_]+$")
_INTERPOLATION = r"[#$](?!\{)|[#$]\{(?:[^{}\n]|\{[^{}\n]*\})*\}"


def _inside(quote: str) -> str:
    """Return what stands between two quotes, most of it in runs: one by one takes twice as long."""
    run = rf"[^{quote}\\\n#$]*"
    return rf"{run}(?:(?:\\.|{_INTERPOLATION}){run})*"


_IN_DOUBLE, _IN_BACK, _IN_SINGLE = map(_inside, ('"', "`", "'"))
_DOUBLE = rf'"(?P<double>{_IN_DOUBLE})"|`(?P<back>{_IN_BACK})`'
_PASSES = {
    '"`': re.compile(_DOUBLE),
    "'": re.compile(rf"(?<![a-zA-Z]{{2}})'(?P<single>{_IN_SINGLE})'"),
}
"""Kinds of quotes that are looked for apart, so that an apostrophe hides no literal."""
_PASSES_WITH_LONG = _PASSES | {
    '"`': re.compile(
        r'^[ \t]*(?:@\w+[ \t]+)?[rRuU]?"""[\s\S]*?"""'  # A docstring.
        rf'|"""(?P<long>[\s\S]*?)"""|{_DOUBLE}',
        re.MULTILINE,
    )
}
_NEIGHBOUR = re.compile(r"\s*(?:\\\s*)?(?:[+.&]|\.\.|<>|\+\+)?\s*[a-zA-Z]{0,2}")
_OPERATOR = r"(?:\+\+?|\.\.?|<>|<<|&|,)"
_VALUE_BETWEEN = re.compile(
    rf"\s*{_OPERATOR}[^;{{}}\"'`]{{1,80}}{_OPERATOR}\s*[a-zA-Z]{{0,2}}|\s*[A-Z]\w*\s*"
)
_COMMENT = re.compile(r"\s*(?://|#[^\[{]|\*[ /]|--|;)")
_VALUE = "\0"
_BETWEEN = r"[^0-9a-z\x80-\xff]+"
_SHORT_WORD = 3
"""Two words of so few letters are neighbours in too many places."""
_MAX_PAIRS = 120
_MAX_WINDOWS, _LINES_AROUND, _BYTES_AROUND = 40, 5, 2_000
_MAX_BETWEEN = 200
"""Characters between literals that are one."""
_MAX_LINE = 200
_MAX_GAP = 300
"""Characters that a value may have."""
_MAX_STARTS = 8
_MIN_PIECE = 3
_MIN_WORDS, _MIN_LETTERS = 3, 12
_SHORTEST = _MIN_LETTERS + _MIN_WORDS - 1


class Print(NamedTuple):
    """A literal that prints a message: its letters outside placeholders, and its line."""

    n_letters: int
    line: str


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """A message as it was printed; `search` finds neighbouring words of it in lower-case text."""

    text: str
    search: Callable[[bytes, int], Match | None]

    def prints(self, source: bytes) -> Iterator[Print]:
        """Yield the literals of a text that print the message."""
        for window in self._windows(source):
            text = window.decode("utf-8", "replace")
            for offset, n_letters in self._matches(text):
                start = text.rfind("\n", 0, offset) + 1
                if not _COMMENT.match(text, start, offset):
                    line = text[start:].partition("\n")[0].strip()[:_MAX_LINE]
                    yield Print(n_letters, line)

    def _windows(self, source: bytes) -> Iterator[bytes]:
        """Yield the lines around neighbouring words of the message."""
        lowered, end = source.lower(), 0
        for _ in range(_MAX_WINDOWS):
            match = self.search(lowered, end)
            if match is None:
                return
            nearest = match.start() - _BYTES_AROUND
            start = max(end, nearest, _skip_lines(source, match.start(), -_LINES_AROUND))
            farthest = match.end() + _BYTES_AROUND
            end = min(farthest, _skip_lines(source, match.end(), _LINES_AROUND))
            yield source[start:end]

    def _matches(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the offset and letters of the literals that match, one kind of quotes at a time."""
        passes = _PASSES_WITH_LONG if '"""' in text else _PASSES
        for quotes, pattern in passes.items():
            if not any(text.count(quote) > 1 for quote in quotes):
                continue
            for group in _join(text, pattern):
                start, body = group[0]
                if len(group) > 1:
                    body = "".join([each for _, each in group])
                if len(body) < _SHORTEST:
                    continue
                if n_letters := _n_letters(body, self.text):
                    yield start, n_letters
                elif len(group) > 1:
                    for start, body in group:
                        if len(body) >= _SHORTEST and (n_letters := _n_letters(body, self.text)):
                            yield start, n_letters


@lru_cache(maxsize=4_096)
def _n_letters(literal: str, message: str) -> int:
    """Return the letters outside placeholders, 0 if the literal does not print the message."""
    # Most have no placeholder, and begin with a word that the message has not.
    if not _MARK.search(literal):
        word = _WORD.search(literal)
        if not word or word[0].lower() not in message:
            return 0
    elif "\\" not in literal:
        # Whatever its placeholders are, it needs that many words of the message.
        words = [word for word in _WORD.findall(literal.lower()) if word in message]
        if len(words) < _MIN_WORDS or sum(map(len, words)) < _MIN_LETTERS:
            return 0
    pieces = [_normalize(piece) for piece in _PLACEHOLDER.sub(_VALUE, literal).split(_VALUE)]
    pieces = [piece for piece in pieces if len(piece) >= _MIN_PIECE]
    if not any(piece in message for piece in pieces):
        return 0
    # Who quotes a message may leave out its begin or its end.
    for part in (pieces, pieces[1:], pieces[:-1]):
        words = [word for piece in part for word in _WORD.findall(piece)]
        n_letters = sum(map(len, words))
        if len(words) < _MIN_WORDS or n_letters < _MIN_LETTERS:
            return 0
        if _in_order(part, message):
            return n_letters
    return 0


def compile_message(text: str) -> Message | None:
    """Return what looks for a message; None where it has no neighbouring words."""
    words = re.findall(r"[^\W_]+", text.lower())
    pairs = [(a, b) for a, b in pairwise(words) if max(len(a), len(b)) > _SHORT_WORD]
    if not pairs:
        return None
    regex = "|".join([*dict.fromkeys(f"{a}{_BETWEEN}{b}" for a, b in pairs)][:_MAX_PAIRS])
    return Message(_normalize(text), compile_search(regex, across_lines=True))


def _skip_lines(source: bytes, offset: int, n: int) -> int:
    """Return where the line begins that is `n` lines below, or above, that of an offset."""
    for _ in range(abs(n) + (n < 0)):
        line_end = source.find(b"\n", offset) if n > 0 else source.rfind(b"\n", 0, offset)
        if line_end < 0:
            return len(source) if n > 0 else 0
        offset = line_end + 1 if n > 0 else line_end
    return offset if n > 0 else offset + 1


def _join(text: str, pattern: re.Pattern[str]) -> Iterator[list[tuple[int, str]]]:
    """Yield groups of literals of some kinds of quotes, each its offset and what is between them.

    Those of a group are concatenated, with or without values between them.
    """
    group, end = list[tuple[int, str]](), 0
    for match in pattern.finditer(text):
        kind = match.lastgroup
        if not kind:
            continue
        start = match.start()
        if group:
            if start - end > _MAX_BETWEEN:
                yield group
                group = []
            elif _VALUE_BETWEEN.fullmatch(text, end, start):
                group.append((end, _VALUE))
            elif not _NEIGHBOUR.fullmatch(text, end, start):
                yield group
                group = []
        group.append((start, match[kind]))
        end = match.end()
    if group:
        yield group


def _normalize(text: str) -> str:
    """Return lower-case words and what stands between them."""
    text = _QUOTES.sub("", _ESCAPED_SPACE.sub(" ", text)).lower()
    return _ENDS.sub("", " ".join(text.split()))


def _in_order(pieces: Sequence[str], text: str) -> bool:
    """Return True if all pieces occur in their order, near each other."""
    start = -1
    for _ in range(_MAX_STARTS):
        start = text.find(pieces[0], start + 1)
        if start < 0:
            return False
        end = start + len(pieces[0])
        for piece in pieces[1:]:
            offset = text.find(piece, end, end + _MAX_GAP + len(piece))
            if offset < 0:
                break
            end = offset + len(piece)
        else:
            return True
    return False
