"""C and C++ without the branches of `#if` that no grammar can parse together.

A grammar that takes `#if` for a statement parses both branches, as long as each consists of whole
statements. Where a branch is a part of one (`#ifdef A / if (a) { / #else / if (b) { / #endif`), its
first branch alone is kept, and the same side of later conditions. Offsets stay what they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from packhound.parsing.source import ByteRange, blank

_TEXT = re.compile(
    rb"//[^\n]*|/\*.*?(?:\*/|\Z)|R\"(\w*)\(.*?\)\1\"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'",
    re.DOTALL,
)
_COMMENT_OR_CODE = re.compile(rb"(//[^\n]*|/\*.*?\*/)|\"(?:[^\"\\\n]|\\.)*\"|[^\s]", re.DOTALL)
_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(\w*)((?:[^\n\\]|\\.)*)", re.MULTILINE | re.DOTALL)
_CONDITION = re.compile(rb"(!?)\s*(?:defined\b)?\s*\(?\s*(\w+)\s*\)?")
_OPENING = frozenset({b"if", b"ifdef", b"ifndef"})
_MIDDLE = frozenset({b"elif", b"elifdef", b"elifndef", b"else"})
_CONTINUES = re.compile(rb"else\b|[,|&?:.+*/=)\]<>-]")
_WANTS_MORE = re.compile(
    rb"[,(=|&+?]\Z|\belse\Z|^[ \t]*(?:\}[ \t]*else[ \t]+)?(?:if|for|while|switch)\b[^\n;{]*\)\Z"
    rb"|^[ \t]*([A-Za-z_]\w*)[ \t]*:\Z",
    re.MULTILINE,
)
_CLASS_LABELS = frozenset({b"public", b"private", b"protected", b"default"})
_MAX_LINE = 400
_BRACKETS = ((b"{", b"}"), (b"(", b")"), (b"[", b"]"))

_Condition = tuple[bytes, bool] | None
"""A name and if it must be defined or true; None if the condition is more than that."""


@dataclass(slots=True)
class _Group:
    """The directives of one `#if` up to its `#endif`."""

    directives: list[ByteRange] = field(default_factory=list)
    conditions: list[_Condition | Literal["else"]] = field(default_factory=list)


def select_branches(source: bytes, code: bytes) -> bytes:
    """Blank the directives, and all branches but one, of each `#if` that splits a statement.

    `code` is `source` without the macros that its grammar cannot parse.
    """
    if b"endif" not in source:
        return code
    text = bytearray(_TEXT.sub(lambda match: blank(match[0]), code))
    directives = list(_DIRECTIVE.finditer(bytes(text)))
    for directive in directives:
        _blank(text, *directive.span())
    selected = bytearray(code)
    values: dict[bytes, bool] = {b"0": False, b"1": True}
    groups: list[_Group] = []
    for directive in directives:
        word = directive[1]
        if word in _OPENING:
            groups.append(_Group())
        if not groups or (word not in _OPENING and word not in _MIDDLE and word != b"endif"):
            continue
        groups[-1].directives.append(directive.span())
        if word == b"endif":
            _close(groups.pop(), source, text, selected, values)
        else:
            groups[-1].conditions.append(_condition(word, directive[2]))
    return bytes(selected)


def _close(
    group: _Group, source: bytes, text: bytearray, code: bytearray, values: dict[bytes, bool]
) -> None:
    """Blank what must go of a group, in the text without comments and in the code."""
    edges = zip(group.directives, group.directives[1:], strict=False)
    branches = [(start, end) for (_, start), (end, _) in edges]
    if not _is_inside_statement(text, group.directives[0][0]) and all(
        _is_whole(bytes(text[low:high]), source[low:high]) for low, high in branches
    ):
        return
    chosen = _choose(group.conditions, values)
    for i, (low, high) in enumerate(branches):
        if i != chosen:
            code[low:high] = _COMMENT_OR_CODE.sub(_blank_code, bytes(code[low:high]))
            _blank(text, low, high)
    for start, end in group.directives:
        _blank(code, start, end)


def _choose(
    conditions: list[_Condition | Literal["else"]], values: dict[bytes, bool]
) -> int | None:
    """Return the first branch that earlier choices leave open, and remember the choice."""
    for i, condition in enumerate(conditions):
        if condition is None or condition == "else":
            return i
        name, value = condition
        if values.setdefault(name, value) == value:
            return i
    return None


def _condition(word: bytes, rest: bytes) -> _Condition | Literal["else"]:
    if word == b"else":
        return "else"
    match = _CONDITION.fullmatch(rest.strip())
    if match is None:
        return None
    return match[2], not match[1] and word not in (b"ifndef", b"elifndef")


def _is_inside_statement(text: bytearray, start: int) -> bool:
    """Return True if the code before an offset wants something behind it."""
    before = bytes(text[max(0, start - _MAX_LINE) : start]).rstrip()
    last = _WANTS_MORE.search(before)
    return last is not None and last[1] not in _CLASS_LABELS


def _is_whole(branch: bytes, source: bytes) -> bool:
    """Return True if a branch is empty, or whole statements; `source` is it before any blanking."""
    bare = branch.strip()
    if not bare:
        return not _DIRECTIVE.sub(b"", _TEXT.sub(b"", source)).strip()
    if any(bare.count(opening) != bare.count(closing) for opening, closing in _BRACKETS):
        return False
    return bare.endswith((b";", b"}", b":")) and not _CONTINUES.match(bare)


def _blank(text: bytearray, start: int, end: int) -> None:
    text[start:end] = blank(text[start:end])


def _blank_code(match: re.Match[bytes]) -> bytes:
    """Blank all but comments."""
    return match[1] or blank(match[0])
