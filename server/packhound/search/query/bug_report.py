"""What a bug report holds besides prose: the code and output that it quotes, and stack traces."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCED = re.compile(
    r"^[ \t]*(`{3,20}|~{3,20})[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.M
)
_QUOTED_LINE = re.compile(r"^(?:>>>|\.\.\. |In \[|Out\[| {4}|\t|\$ |Traceback|  File \")")
_VERSION = re.compile(r"\s*[\w.-]+(?:==|(?:\s*:)?\s+v?(?=\d))[\w.]+\s*$")
"""A line of a list of packages and their versions, which reports end with."""

_OUTERMOST_FIRST = re.compile(
    r'File "(?P<python>[^"\n]+)", line \d+, in (?P<in_python>[\w<>]+)'
    r"|File (?P<ipython>[^\s\"]+?):\d+, in (?P<in_ipython>\w+)"
    r"|^(?P<notebook>[^\s:]+\.py) in (?P<in_notebook>\w+)\("
    r"|^(?P<pytest>[^\s:]+\.py):\d+: in (?P<in_pytest>\w+)",
    re.M,
)
_INNERMOST_FIRST = re.compile(
    r"^[^\S\n]*at (?:async )?(?:[\w$<>]+\.)*(?P<in_js>[\w$<>]+) \((?P<js>[^\s():]+):\d+:\d+\)"
    r"|^[^\S\n]*at (?:[\w$<>]+[./])*(?P<in_jvm>[\w$<>]+)\((?P<jvm>\w+\.\w+):\d+\)"
    r"|^[^\S\n]*(?:from )?(?P<ruby>[^\s:]+\.rb):\d+:in [`'](?:[\w:]+[#.])?(?P<in_ruby>[\w?!]+)'",
    re.M,
)


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a stack trace in a report."""

    path: str
    function: str


def code_of(text: str) -> str:
    """What a report quotes as code or output, without lists of versions; empty where nothing is."""
    quoted = [block for _, block in _FENCED.findall(text)]
    rest = _FENCED.sub("\n", text)
    quoted += [line for line in rest.split("\n") if _QUOTED_LINE.match(line)]
    lines = "\n".join(quoted).split("\n")
    return "\n".join(line for line in lines if line.strip() and not _VERSION.match(line))


def frames_of(text: str) -> tuple[Frame, ...]:
    """The stack traces of a report (Python, JavaScript, Java and its kin, Ruby), innermost first.

    Of several traces the last one comes first.
    """
    outer = [_frame(found) for found in _OUTERMOST_FIRST.finditer(text)]
    inner = [_frame(found) for found in _INNERMOST_FIRST.finditer(text)]
    return (*reversed(outer), *inner)


def _frame(found: re.Match[str]) -> Frame:
    groups = {name: value for name, value in found.groupdict().items() if value}
    [language] = [name for name in groups if not name.startswith("in_")]
    return Frame(groups[language].replace("\\", "/"), groups[f"in_{language}"])
