"""Sources as their grammars can read them: what no grammar knows becomes something it does.

A rewritten source has the same bytes at the same places wherever it says something, so offsets in
the tree are offsets in the source.
"""

from __future__ import annotations

import re

from packhound.parsing.extract.c_macros import without_macros
from packhound.parsing.lines import Run
from packhound.parsing.source import Source

_SCRIPT = re.compile(rb"(<script\b[^>]*>)(.*?)(?:</script\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_BATS_TEST = re.compile(rb"^(@test[ \t]+[^\n]*?)([ \t]*\{[ \t]*)(?=\r?$)", re.MULTILINE)
_SETEXT = re.compile(
    rb"^(?<![^\r\n]\n)(?<![^\r\n]\r\n)(?![#>|\-*+`]|\d+[.)]\s)(\S[^\r\n]{3,120})(\r?\n)"
    rb"(={3,}|-{3,})([ \t]*)(?=\r?\n|\Z)",
    re.MULTILINE,
)
_NOT_LINE_END = re.compile(rb"[^\r\n]")


def rewritten(source: Source) -> tuple[bytes, list[Run]]:
    """The source as the grammar can read it, and the runs of attributes it does not show."""
    if source.language.name in ("c", "cpp"):
        return without_macros(source.octets)
    return _rewritten(source), []


def _rewritten(source: Source) -> bytes:
    if source.language.in_scripts:
        return _scripts(source.octets)
    if source.path.endswith(".bats"):
        return _BATS_TEST.sub(_bats_function, source.octets)
    if source.language.name == "markdown":
        return _SETEXT.sub(_atx_heading, source.octets)
    return source.octets


def _bats_function(test: re.Match[bytes]) -> bytes:
    return b"t" * (len(test[1]) - 2) + b"()" + test[2]


def _atx_heading(setext: re.Match[bytes]) -> bytes:
    """An underlined heading, which the grammar does not take for the start of a section."""
    title, line_end, underline, rest = setext.groups()
    marks = b"# " if underline.startswith(b"=") else b"## "
    return marks + b"x" * (len(title) - len(marks)) + line_end + b" " * len(underline) + rest


def _scripts(page: bytes) -> bytes:
    """The page with blanks in the place of everything outside its script elements."""
    parts, at = [], 0
    for match in _SCRIPT.finditer(page):
        start, end = match.span(2)
        parts += [_NOT_LINE_END.sub(b" ", page[at:start]), page[start:end]]
        at = end
    return b"".join([*parts, _NOT_LINE_END.sub(b" ", page[at:])])
