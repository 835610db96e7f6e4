"""Patterns of RE2, and the lines that they match.

A line ends at LF, and a pattern matches within one line, as in ripgrep. A pattern in ASCII is about
bytes, as with ripgrep's `--no-unicode`; one with other characters, or with `\\p`, is about
characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Protocol

from packhound.core.errors import SettingsError
from packhound.grep.literals import NOTHING, Alternatives, required_literals
from packhound.grep.ngrams import Hashes, hashes_of, hashes_of_tokens
from packhound.grep.request import Case

if TYPE_CHECKING:
    from collections.abc import Callable

_ABOUT_CHARACTERS = re.compile(r"[^\x00-\x7f]|\\[pP]|\\x\{")
_NO_LETTER = re.compile(r"\\.|\[:\^?\w+:\]|\(\?[a-zA-Z-]+[:)]|\(\?P?<\w+>", re.DOTALL)
"""Escapes, named classes, flags and names of groups: their letters match no letter."""
_OF_RIPGREP = re.compile(
    r"(?P<word>\\(?:[<>]|b\{(?:start|end)(?:-half)?\}))|(?P<start>\\A)|(?P<end>\\z)"
    r"|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]",
    re.DOTALL,
)
_SET_OPERATION = re.compile(r"\[[^\]]*[^\]\[\\](?:&&|--|~~)[^\]]")
_ABOUT_WORDS = re.compile(r"\\[bBwW<>]")
_FLAG_I = re.compile(r"\(\?[a-zA-Z]*i")
_PLAIN = re.compile(r"[^\\.+*?()|\[\]{}^$\n]+")
_UNSUPPORTED = {
    "(?=": "look-ahead",
    "(?!": "negative look-ahead",
    "(?<=": "look-behind",
    "(?<!": "negative look-behind",
    "(?>": "atomic group",
}
_WORD = re.compile(r"\w+")
_ASCII_WORD = re.compile(rb"[0-9A-Za-z_]")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD_BYTE = re.compile(rb"[0-9A-Za-z\x80-\xff]")
_MAX_QUOTED = 80
_MULTI_LINE = b"(?m)"


class Match(Protocol):
    """The part of a match of RE2 that is used."""

    def start(self) -> int:
        """Return the offset of the first byte."""

    def end(self) -> int:
        """Return the offset after the last byte."""


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A compiled pattern.

    `literals` are what a matching text contains, `hashes` those of their n-grams.
    """

    text: str
    search: Callable[[bytes, int], Match | None] | None
    literal: bytes
    literals: Alternatives
    hashes: Hashes

    def lines(self, source: bytes) -> list[int]:
        """Return the offset of the first match in each line that has one."""
        offsets = self._literal_offsets if self.search is None else self._match_offsets
        return [*offsets(source)]

    def _literal_offsets(self, source: bytes) -> Iterator[int]:
        literal, offset = self.literal, source.find(self.literal)
        while offset >= 0:
            yield offset
            line_end = source.find(b"\n", offset)
            offset = source.find(literal, line_end + 1) if line_end >= 0 else -1

    def _match_offsets(self, source: bytes) -> Iterator[int]:
        assert self.search is not None
        # A line end at the end of the text begins no further line.
        end = len(source) - source.endswith(b"\n")
        offset = 0
        while (match := self.search(source, offset)) and (start := match.start()) <= end:
            yield start
            line_end = source.find(b"\n", match.end())
            if line_end < 0 or line_end + 1 > end:
                return
            offset = line_end + 1


def compile_pattern(text: str, *, regex: bool = True, case: Case = "sensitive") -> Pattern:
    """Compile a pattern; with `regex` off it is a literal.

    Raises:
        SettingsError: it is not RE2's syntax; the message names what is not.
    """
    ignore_case = _ignores_case(text, case, regex=regex)
    regex_text = _as_re2(text) if regex else quote(text)
    if text and not ignore_case and "\n" not in text and (not regex or _PLAIN.fullmatch(text)):
        literal = text.encode("utf-8", "surrogatepass")
        return Pattern(text, None, literal, ((literal,),), hashes_of(((literal,),)))
    search = compile_search(regex_text, ignore_case=ignore_case)
    literals = required_literals(regex_text.encode("utf-8", "surrogatepass"))
    # Beyond ASCII, letters of another case have other bytes, and k and s have exotic ones.
    if _ABOUT_CHARACTERS.search(regex_text) and (ignore_case or _FLAG_I.search(regex_text)):
        literals = NOTHING
    return Pattern(text, search, b"", literals, hashes_of(literals))


@dataclass(eq=False)
class Phrase:
    """Words that stand next to each other."""

    words: tuple[str, ...]

    def starts(self, source: bytes) -> list[int]:
        """Return the offset of the first word of each occurrence."""
        if source.isascii() and "".join(self.words).isascii():
            words, text = [word.lower().encode() for word in self.words], source.lower()
            if not all(word in text for word in words):
                return []
            return [match.start() for match in self._in_ascii(*words).finditer(text)]
        starts, offset = list[int](), 0
        while match := self._search(source, offset):
            # The character before the first word is part of the match.
            word = _WORD_BYTE.search(source, match.start())
            starts.append(word.start() if word else match.start())
            offset = max(match.end() - 1, match.start() + 1)
        return starts

    @staticmethod
    def _in_ascii(*words: bytes) -> re.Pattern[bytes]:
        """Return the pattern for a text in ASCII and lower case; RE2 takes ten times as long."""
        part, first = b"[0-9a-z]", words[0]
        rest = b"".join(b"[^0-9a-z]+" + word for word in words[1:])
        return re.compile(b"%b(?<!%b%b)%b(?!%b)" % (first, part, first, rest, part))

    @cached_property
    def _search(self) -> Callable[[bytes, int], Match | None]:
        inner = r"[^\pL\pN]+".join(self.words)
        regex = rf"(?:^|[^\pL\pN]){inner}(?:$|[^\pL\pN])"
        return compile_search(regex, ignore_case=True, across_lines=True)


@dataclass(frozen=True, eq=False)
class TextPattern:
    """A text of which the white space may differ.

    `regex` is empty for a word. `tokens` are the words and signs in their order, folded where the
    letter case may differ too, `hashes` those of n-grams of a matching text.
    """

    regex: str
    tokens: tuple[bytes, ...]
    ignore_case: bool
    hashes: tuple[int, ...]

    @cached_property
    def _search(self) -> Callable[[bytes, int], Match | None]:
        # Compiled for the first file that the filters admit.
        return compile_search(self.regex, ignore_case=self.ignore_case, across_lines=True)

    @cached_property
    def _neighbours(self) -> re.Pattern[bytes]:
        """The longest token beside the next or else the one before.

        Looking for it takes a fifth of the time of the whole expression.
        """
        position = max(range(len(self.tokens)), key=lambda i: len(self.tokens[i]))
        first = max(0, min(position, len(self.tokens) - 2))
        return re.compile(rb"\s*".join(map(re.escape, self.tokens[first : first + 2])))

    def matches(self, source: bytes) -> Iterator[tuple[int, int]]:
        """Yield the offsets of the first byte of each match and of the one after its last."""
        if not self.regex:
            yield from _word_offsets(self.tokens[0], source.lower() if self.ignore_case else source)
            return
        if not self.ignore_case and not self._neighbours.search(source):
            return
        offset = 0
        while match := self._search(source, offset):
            yield match.start(), match.end()
            offset = max(match.end(), match.start() + 1)


def _word_offsets(word: bytes, source: bytes) -> Iterator[tuple[int, int]]:
    start = source.find(word)
    while start >= 0:
        end = start + len(word)
        if not _ASCII_WORD.match(source, start - 1 if start else end) and not _ASCII_WORD.match(
            source, end
        ):
            yield start, end
        start = source.find(word, end)


@lru_cache(maxsize=64)
def compile_text(text: str, *, is_cut: bool = False, ignore_case: bool = False) -> TextPattern:
    """Compile a text that has a word or sign; `is_cut` if its last word may go on."""
    if text.isascii() and _WORD.fullmatch(text) and not is_cut:
        word = text.lower() if ignore_case else text
        return TextPattern("", (word.encode(),), ignore_case, hashes_of_tokens([word.encode()]))
    parts, end = list[str](), 0
    tokens = [*_TOKEN.finditer(text)]
    for token in tokens:
        if parts:
            is_between_words = text[end - 1 : end].isalnum() and token[0].isalnum()
            parts.append(r"\s+" if is_between_words else r"\s*")
        parts.append(token[0] if _WORD.fullmatch(token[0]) else quote(token[0]))
        end = token.end()
    first, last = tokens[0][0], tokens[-1][0]
    before = r"\b" if first[0].isascii() and _WORD.match(first) else ""
    after = r"\b" if last[-1].isascii() and _WORD.match(last) and not is_cut else ""
    regex = f"{before}{''.join(parts)}{after}"
    octets = tuple(token[0].encode("utf-8", "surrogatepass") for token in tokens)
    # Beyond ASCII, letters of another case have other bytes, and k and s have exotic ones.
    hashes = () if ignore_case else hashes_of_tokens(octets)
    return TextPattern(regex, octets, ignore_case, hashes)


def compile_phrase(words: str) -> Phrase | None:
    """Compile a phrase; None where it has no word."""
    parts = re.findall(r"[^\W_]+", words)
    return Phrase(tuple(parts)) if parts else None


def compile_search(
    text: str, *, ignore_case: bool = False, across_lines: bool = False
) -> Callable[[bytes, int], Match | None]:
    """Return the search of a pattern from an offset on. Raises SettingsError."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.never_nl = not across_lines
    options.case_sensitive = not ignore_case
    if not _ABOUT_CHARACTERS.search(text):
        options.encoding = re2.Options.Encoding.LATIN1
    octets = text.encode("utf-8", "surrogatepass")
    try:
        compiled = re2.compile(_MULTI_LINE + octets, options)
    except re2.error as error:
        message = error.args[0].replace(_MULTI_LINE, b"", 1).decode("utf-8", "replace")
        raise SettingsError(_problem(text, message)) from None
    re2.purge()  # Its own cache holds 128 patterns with up to 8 MB each.
    search: Callable[[bytes, int], Match | None] = compiled.search
    return search


def _problem(text: str, message: str) -> str:
    quoted = text if len(text) <= _MAX_QUOTED else text[: _MAX_QUOTED - 3] + "..."
    reason, _, part = message.partition(": ")
    if part in _UNSUPPORTED:
        return (
            f"'pattern' is '{quoted}'; {_UNSUPPORTED[part]} '{part}' is not supported, since"
            " matching takes linear time (RE2): match without it and narrow by path or by words"
        )
    if re.fullmatch(r"\\[1-9]\d*", part):
        return (
            f"'pattern' is '{quoted}'; back-reference '{part}' is not supported, since"
            " matching takes linear time (RE2): spell out what it repeats"
        )
    hint = f": '{part}'" if part else ""
    return (
        f"'pattern' is '{quoted}'; {reason}{hint}; must be a regular expression of RE2, with a"
        r" backslash before each of \.+*?()[]{}^$| that stands for itself"
    )


def _as_re2(text: str) -> str:
    """Return a pattern of ripgrep's syntax in that of RE2, which lacks the ends of words and texts.

    A pattern matches within one line, whose ends they are.
    """
    in_re2 = {"word": r"\b", "start": "^", "end": "$"}
    return _OF_RIPGREP.sub(lambda match: in_re2.get(match.lastgroup or "", match[0]), text)


def readings(text: str) -> Iterator[str]:
    """Yield what a pattern means that its writer may have meant otherwise."""
    if _SET_OPERATION.search(text):
        yield "'&&', '--' and '~~' between brackets are these characters, and no operation (RE2)"
    if _ABOUT_CHARACTERS.search(text) and _ABOUT_WORDS.search(text):
        yield r"\b and \w know the letters of ASCII alone (RE2): \pL is any letter"


def _ignores_case(text: str, case: Case, *, regex: bool) -> bool:
    """Return True for patterns whose letters may be of either case, as ripgrep decides it."""
    letters = _NO_LETTER.sub("", text) if regex else text
    is_smart = any(map(str.isalpha, letters)) and not any(map(str.isupper, letters))
    return case == "ignore" or (case == "smart" and is_smart)


def quote(text: str) -> str:
    """Return a pattern of a literal: its ASCII punctuation escaped."""
    return re.sub(r"([!-/:-@\[-^`{-~])", r"\\\1", text)
