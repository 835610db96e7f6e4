"""Hunks of unified diffs, as git prints them and as people quote them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

OPTIONS = (
    *("--unified=0", "--relative", "--no-color", "--no-ext-diff", "--no-textconv"),
    *("--ignore-submodules", "--src-prefix=a/", "--dst-prefix=b/"),
)
"""Options that make git print patches without context, and start no program for it."""

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_ESCAPE = re.compile(rb"\\(?:([0-7]{3})|(.))")
_CONTROLS = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines replaced: `n_old` from `old` by `n_new` from `new`, 1-based.

    Where a count is 0, the line given is the one before.
    """

    old: int
    n_old: int
    new: int
    n_new: int

    @property
    def new_lines(self) -> tuple[int, int]:
        """First and last line of the new text, 0-based; a removal marks the line before it."""
        first = max(0, self.new - 1)
        return first, first + max(self.n_new, 1) - 1


def read_hunks(lines: Iterable[str], mark: str = "\0") -> Iterator[tuple[str, Hunk | None]]:
    """Yield hunks with the path of the new file; a line that begins with `mark` comes with None.

    Lines of a hunk are counted, not read, since they can look like headers.
    """
    path, n_old, n_new = "", 0, 0
    for line in lines:
        if n_new and line.startswith("+"):
            n_new -= 1
        elif n_old and line.startswith("-"):
            n_old -= 1
        elif (n_old or n_new) and (not line or line[0] in " \\"):
            context = not line.startswith("\\")
            n_old, n_new = max(0, n_old - context), max(0, n_new - context)
        else:
            # Anything else ends a hunk, also one that was quoted in part.
            n_old = n_new = 0
            if line.startswith(mark):
                path = ""
                yield line, None
            elif line.startswith("+++ "):
                path = _new_path(line[4:])
            elif path and (match := _HUNK.match(line)):
                counts = (1 if part is None else int(part) for part in match.groups())
                hunk = Hunk(*counts)
                n_old, n_new = hunk.n_old, hunk.n_new
                yield path, hunk


def _new_path(header: str) -> str:
    """Return the path of a `+++` line, "" for a removed file; git quotes odd names as C does."""
    path = header.rstrip("\r").partition("\t")[0]
    if len(path) > 1 and path.startswith('"') and path.endswith('"'):
        path = unquote(path.encode("utf-8", "surrogateescape")).decode("utf-8", "replace")
    return path.removeprefix("b/") if path != "/dev/null" else ""


def unquote(name: bytes) -> bytes:
    """Return a name that git has quoted as C does, without its quotes."""
    return _ESCAPE.sub(_unescape, name[1:-1])


def _unescape(match: re.Match[bytes]) -> bytes:
    if match[1]:
        return bytes([int(match[1], 8) & 0xFF])
    return _CONTROLS.get(match[2], match[2])
