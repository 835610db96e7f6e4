"""Parts of a bug report: what its template and its environment put there, and what it quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from packhound.search.query.word_lists import REPORT_WORDS, STOP_WORDS, TEMPLATE_WORDS

_MIN_WORDS, _MIN_LINES = 45, 4
"""Either of them makes a text a report."""
_HEADING = re.compile(r"^ {0,3}(?:#{1,6} +|\*\*|.*<summary>)(\S.{0,80})", re.I)
_ENVIRONMENT = re.compile(
    r"\b(?:environment|versions?|show_versions|platform|os|operating system|dependencies"
    r"|system (?:details|info\w*|settings)|installed packages|screenshots?|desktop|smartphone"
    r"|code of conduct)\b",
    re.I,
)
_HEADING_WORDS = REPORT_WORDS | STOP_WORDS | TEMPLATE_WORDS
_LEFT_OPEN = re.compile(
    r"\s*(?:[-*+] \[[ xX]\] .*|_?no response_?|n/?a|-{3,}|if applicable, add .*"
    r"|add any other context about .*|steps to reproduce the behavior:?)\s*$",
    re.I,
)
"""An entry of a checklist, and what a template has where nobody wrote anything."""
_ABOUT_MACHINE = re.compile(
    r"\s*(?:[-*+|] *)?\**(?:(?:\w+ ){0,2}version\**(?: ?[:|].{1,60})"
    r"|(?:os|operating system|platform|browser|kernel|shell|python|node(?:\.js)?|npm|yarn|pip|ruby"
    r"|bundler|rails|go|rustc|cargo|java|maven|gradle|gcc|clang|cmake|php|dart|elixir|erlang/otp"
    r"|flutter)\**(?: ?[:|][ *]*(?:v?\d"
    r"|.{0,40}(?:mac|darwin|linux|ubuntu|debian|win(?:dows|\d)|unix|chrome|firefox)).{0,60}"
    r"|[ *]+v?\d[\w.+-]*(?: *[(\[].*)?)|platform \w+ -- python .*)$",
    re.I,
)
"""A line about the machine, of a list or a table."""
_INSTALLATION = re.compile(
    r"\s*(?:collecting \w\S*$|requirement already satisfied|installing collected packages"
    r"|(?:downloading|downloaded|fetching|installing|using|compiling) \S+ "
    r"(?:\(\d|v?\d|from http|metadata)|successfully (?:installed|built) \S"
    r"|using cached|npm (?:warn|notice|http)\b|added \d+ packages|go: downloading"
    r"|resolving (?:\w+ )?dependencies|got dependencies|bundle complete"
    r"|\[info\] (?:download|build success)|-- (?:the \w+ compiler|detecting|configuring)"
    r"|(?:get|hit|ign):\d+ http|setting up \S+ \()",
    re.I,
)
"""A line that a package manager or a build prints."""
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
    """Return what somebody wrote of a report, without its template, machine and installation.

    Its first line is the title; a report that begins with a heading of its template has none, and
    what is written below it comes first. Other text stays as it is.
    """
    if not is_report(text):
        return text
    lines = "".join(_outside_comments(text)).split("\n")
    content = _outside_template(_outside_lists(_outside_sections(lines)))
    return "\n".join(content).strip("\n") or text


def _outside_template(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines that no template, machine or package manager wrote."""
    in_code = False
    for line in lines:
        if _FENCE.match(line):
            in_code = not in_code
        if _INSTALLATION.match(line):
            continue
        if in_code or not (_LEFT_OPEN.match(line) or _ABOUT_MACHINE.match(line)):
            yield line


def _is_template(heading: str) -> bool:
    """Return True for a heading that says only which part of a report is below it."""
    return _HEADING_WORDS.issuperset(re.findall(r"[a-z']+", heading.lower()))


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
            if _is_template(title):
                continue
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
