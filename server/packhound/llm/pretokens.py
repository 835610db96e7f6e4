"""Pre-tokenization as of o200k_base: words, digits, signs and white space.

The pattern is that of OpenAI's tiktoken (MIT), which needs Unicode classes that `re` lacks. So a
text that is not ASCII is first translated, character by character, into one representative of each
class, and the cuts found there are made in the original.
"""

from __future__ import annotations

import re
import unicodedata

from packhound.core.caching import BoundedMemo

_LETTER, _MARK, _SPACE, _OTHER = "\x80", "\x83", "\x81", "\x82"
"""Representatives of letters without case, combining marks, white space, everything else."""

_MAX_CHARACTERS = 20_000
"""Bound of the memo of classes."""

_UPPER = r"A-Z\x80\x83"
_LOWER = r"a-z\x80\x83"
_WORD = r"A-Za-z\x800-9"
_WHITE = r" \t\n\x0b\x0c\r\x81"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_PATTERN = re.compile(
    rf"[^\r\n{_WORD}]?[{_UPPER}]*[{_LOWER}]+{_CONTRACTION}"
    rf"|[^\r\n{_WORD}]?[{_UPPER}]+[{_LOWER}]*{_CONTRACTION}"
    r"|[0-9]{1,3}"
    rf"| ?[^{_WHITE}{_WORD}]+[\r\n/]*"
    rf"|[{_WHITE}]*[\r\n]+"
    rf"|[{_WHITE}]+(?![^{_WHITE}])"
    rf"|[{_WHITE}]+",
)

_OTHER_SPACES = frozenset("\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {
    chr(code) for code in range(0x2000, 0x200B)
}
_REPRESENTATIVE = {
    **dict.fromkeys(("Lu", "Lt"), "A"),
    "Ll": "a",
    **dict.fromkeys(("Lm", "Lo"), _LETTER),
    **dict.fromkeys(("Mn", "Mc", "Me"), _MARK),
    **dict.fromkeys(("Nd", "Nl", "No"), "0"),
}


def _representative(code: int) -> str:
    """Return the representative of a character's class."""
    character = chr(code)
    if code < 128:
        return character
    if character in _OTHER_SPACES:
        return _SPACE
    return _REPRESENTATIVE.get(unicodedata.category(character), _OTHER)


_CLASSES = BoundedMemo(_representative, _MAX_CHARACTERS)
"""Table for `str.translate`."""


def pretokens(text: str) -> list[str]:
    """Split `text` into pieces that no merge reaches across."""
    if text.isascii():
        return _PATTERN.findall(text)
    cuts = _PATTERN.finditer(text.translate(_CLASSES))
    return [text[cut.start() : cut.end()] for cut in cuts]


def split_lines(text: str) -> list[str]:
    """Split `text` into parts that no piece reaches across: lines, with the empty lines after.

    Neither does a piece end before a slash that begins a line.
    """
    if "\r" in text:
        return [text]
    lines, parts = text.split("\n"), [""]
    for line in lines[:-1]:
        if not line or line[0] == "/" or line.isspace():
            parts[-1] += line + "\n"
        else:
            parts.append(line + "\n")
    if lines[-1][:1] == "/":
        parts[-1] += lines[-1]
    else:
        parts.append(lines[-1])
    return parts
