"""What git prints of changes: the hunks of patches without context."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

OPTIONS = (
    *("--unified=0", "--relative", "--no-color", "--no-ext-diff", "--no-textconv"),
    *("--ignore-submodules", "--src-prefix=a/", "--dst-prefix=b/"),
)
"""What makes git print patches that `read_hunks` reads, and start no program for it."""

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines replaced: `n_old` from `old` by `n_new` from `new`, 1-based.

    Where a count is 0, the line given is the one before.
    """

    old: int
    n_old: int
    new: int
    n_new: int


def read_hunks(lines: Iterable[str], mark: str = "\0") -> Iterator[tuple[str, Hunk | None]]:
    """Hunks with the path of what they made, and lines that begin with `mark`, alone.

    The text of a hunk is counted, not looked at: it can look like anything.
    """
    path, left = "", 0
    for line in lines:
        if left and line.startswith(("+", "-")):
            left -= 1
        elif line.startswith(mark):
            path = ""
            yield line, None
        elif line.startswith("+++ "):
            path = _path(line[4:])
        elif path and (found := _HUNK.match(line)):
            old, n_old, new, n_new = (1 if part is None else int(part) for part in found.groups())
            left = n_old + n_new
            yield path, Hunk(old, n_old, new, n_new)


def _path(written: str) -> str:
    """The path of a `+++` line; git quotes those with odd characters as C does."""
    written = written.rstrip("\t")
    if written.startswith('"') and written.endswith('"'):
        raw = written[1:-1].encode("utf-8", "surrogateescape")
        written = (
            raw.decode("unicode_escape").encode("latin-1", "replace").decode("utf-8", "replace")
        )
    return written.removeprefix("b/") if written != "/dev/null" else ""
