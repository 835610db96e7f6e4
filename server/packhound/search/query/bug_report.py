"""Code and output that a bug report quotes."""

from __future__ import annotations

import re

_FENCED = re.compile(
    r"^[ \t]*(`{3,20}|~{3,20})[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.M
)
_QUOTED_LINE = re.compile(r"^(?:>>>|\.\.\. |In \[|Out\[| {4}|\t|\$ |Traceback|  File \")")
_VERSION = re.compile(r"\s*[\w.-]+(?:==|(?:\s*:)?\s+v?(?=\d))[\w.]+\s*$")
"""A line of a list of packages and their versions, with which reports end."""


def code_of(text: str) -> str:
    """Return what a report quotes as code or output, without lists of versions."""
    quoted = [block for _, block in _FENCED.findall(text)]
    rest = _FENCED.sub("\n", text)
    quoted += [line for line in rest.split("\n") if _QUOTED_LINE.match(line)]
    lines = "\n".join(quoted).split("\n")
    return "\n".join(line for line in lines if line.strip() and not _VERSION.match(line))
