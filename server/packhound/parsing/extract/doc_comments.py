"""Doc comments and docstrings to their text: markers stripped, indentation evened out."""

from __future__ import annotations

import re

_MAX_DOC = 4_000
"""Characters of documentation of a node; nobody searches by the end of a longer one."""

_MARKER = re.compile(
    r"^[ \t]*(?:/\*+!?<?|\*+/|\*(?!\*)|//+[/!<]*|#+[!'|:]?(?!\w)|#(?=[A-Za-z])|--+\[*=*\[*|\(\*+"
    r"|\{-+|[-*%;]+\}?)?[ \t]?(?:[|^](?=\s))?",
    re.MULTILINE,
)
_TAIL = re.compile(r"(?:[ \t]*(?:\*+/|-\}|\*+\)|\]=*\]|=end)[ \t]*|[ \t]+)$", re.MULTILINE)
_DOC_CALL = re.compile(r"""^@\w*doc\s+(?:~[sS])?""")
_OPENING = re.compile(r'''^(?:[rRbBuUfF]{0,2})("""|\'\'\'|"|')''')
_TAG = re.compile(r"""</?[a-z]\w*(?:\s+(?:cref|name|langword)="(?:[A-Z]:)?([^"]*)")?[^<>\n]*>""")
_RULE = re.compile(r"^[^\w\s]{3,}\n?$", re.MULTILINE)
_LINE = re.compile(r"\r\n|\n|\r")
_PRAGMA = re.compile(
    r"[\s/*#;%-]*(?:frozen_string_literal|-\*-|(?:en)?coding[:=]|vim?:|eslint|prettier|@ts-|@flow"
    r"|@jest|noqa|pylint|mypy:|ruff:|rubocop|shellcheck|clang-format|NOLINT|typed:|!/)",
)
_LICENCE = re.compile(
    r"copyright|licen[cs]ed? (?:under|to)|SPDX-License|all rights reserved|@licen[cs]e\b",
    re.IGNORECASE,
)


def strip_comment_marks(text: str) -> str:
    """Return the text of a comment or docstring."""
    if text.startswith("@"):
        text = _DOC_CALL.sub("", text, count=1)
    return _strip_docstring(text) if _OPENING.match(text) else _strip_comment(text)


def is_licence_or_pragma(text: str) -> bool:
    """Return True if a comment at the top of a file is a licence or for a tool."""
    return _LICENCE.search(text) is not None or _PRAGMA.match(text) is not None


def _strip_comment(text: str) -> str:
    lines = _LINE.sub("\n", text) if "\r" in text else text
    bare = _RULE.sub("", _TAIL.sub("", _MARKER.sub("", lines)))
    return (_TAG.sub(r" \1 ", bare) if "<" in bare else bare).strip()[:_MAX_DOC]


def _strip_docstring(text: str) -> str:
    match = _OPENING.match(text)
    if match is not None:
        text = text[match.end() :].removesuffix(match.group(1))
    return "\n".join([line.strip() for line in _LINE.split(text)]).strip()[:_MAX_DOC]
