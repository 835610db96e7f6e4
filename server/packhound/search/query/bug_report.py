"""Parts of a bug report: what its template and its environment put there, and what it quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_MIN_WORDS, _MIN_LINES = 45, 4
"""Either of them makes a text a report."""
_HEADING = re.compile(r"^ {0,3}(?:#{1,6} +|\*\*|.*<summary>)(\S.{0,80})", re.I)
_ENVIRONMENT = re.compile(
    r"\b(?:environment|versions?|show_versions|platform|os|operating system|dependencies"
    r"|system (?:details|info\w*|settings)|installed packages|screenshots?)\b",
    re.I,
)
_MAX_HEADING_WORDS = 7
_MAX_SECTION = 150
"""Lines that are left out below one heading."""
_FENCE = re.compile(r"[ \t]*(?:`{3}|~{3})")
_PROGRAM = re.compile(r"\s*(?:Traceback|File \"|>>>|In \[|(?:import|from|def|class) )")
"""Code or a stack trace, which are not left out wherever they are."""
_FENCED = re.compile(
    r"^[ \t]*(`{3,20}|~{3,20})[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.M
)
_QUOTED_LINE = re.compile(r"^(?:>>>|\.\.\. |In \[|Out\[| {4}|\t|\$ |Traceback|  File \")")
_VERSION = re.compile(
    r"\s*(?:[-*] )?[\w.-]+(?:==|(?:\s*:)?\s+v?(?=\d)|: None$)[\w.+-]*(?:\s+\S{1,40}){0,2}\s*$"
)
"""A line of a list of packages and their versions, with which reports end."""
_MIN_VERSIONS = 4
"""Fewer such lines in a row may be anything."""


def is_report(text: str) -> bool:
    """Return True for a text as long as a bug report."""
    return text.count("\n") >= _MIN_LINES or len(text.split()) >= _MIN_WORDS


def content_of(text: str) -> str:
    """Return a report without its template's remarks and lists of versions, other text as it is.

    The first line stays as it is.
    """
    if not is_report(text):
        return text
    title, _, body = text.partition("\n")
    lines = "".join(_outside_comments(body)).split("\n")
    return "\n".join((title, *_outside_lists(_outside_sections(lines))))


def _outside_comments(text: str) -> Iterator[str]:
    """Yield what is not in a comment of HTML, in which templates ask for things."""
    first, *rest = text.split("<!--")
    yield first
    for part in rest:
        _, end, after = part.partition("-->")
        yield after if end else f"<!--{part}"


def _outside_sections(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines that are not below a heading such as "Environment"."""
    n_left, in_code = 0, False
    for line in lines:
        if _FENCE.match(line):
            in_code = not in_code
        elif (heading := _HEADING.match(line)) and not in_code:
            title = heading[1]
            is_environment = len(title.split()) <= _MAX_HEADING_WORDS and _ENVIRONMENT.search(title)
            n_left = _MAX_SECTION if is_environment else 0
        elif _PROGRAM.match(line):
            n_left = 0
        if n_left:
            n_left -= 1
        else:
            yield line


def _outside_lists(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines that are not in a list of versions."""
    versions: list[str] = []
    for line in lines:
        if _VERSION.match(line):
            versions.append(line)
            continue
        if len(versions) < _MIN_VERSIONS:
            yield from versions
        versions = []
        yield line
    if len(versions) < _MIN_VERSIONS:
        yield from versions


def code_of(text: str) -> str:
    """Return what a report quotes as code or output, without lists of versions."""
    quoted = [block for _, block in _FENCED.findall(text)]
    rest = _FENCED.sub("\n", text)
    quoted += [line for line in rest.split("\n") if _QUOTED_LINE.match(line)]
    lines = "\n".join(quoted).split("\n")
    return "\n".join(line for line in lines if line.strip() and not _VERSION.match(line))
