"""Hunks of unified diffs, as git prints them and as people quote them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

OPTIONS = (
    *("--unified=1", "--relative", "--no-color", "--no-ext-diff", "--no-textconv"),
    *("--ignore-submodules", "--src-prefix=a/", "--dst-prefix=b/"),
)
"""Options that make git print patches, and start no program for it. Without context git aligns
lines in another way than it does where a person looks."""

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
    """Yield what replaces lines in a row, with the path of the new file, without its context.

    A line that begins with `mark` comes with None. Lines of a hunk are counted, since they can look
    like headers; one that is quoted as far as its context is all that its header says.
    """
    path, old, new, n_old, n_new, start = "", 0, 0, 0, 0, (0, 0)
    header = None
    for line in chain(lines, ("end",)):
        if n_new and line.startswith("+"):
            new, n_new, header = new + 1, n_new - 1, None
            continue
        if n_old and line.startswith("-"):
            old, n_old, header = old + 1, n_old - 1, None
            continue
        if (n_old or n_new) and line.startswith("\\"):
            continue
        if start != (old, new):
            yield path, _between(start, (old, new))
        if (n_old or n_new) and line[:1] in (" ", ""):
            old, new, n_old, n_new = old + 1, new + 1, max(0, n_old - 1), max(0, n_new - 1)
        else:
            # Anything else ends a hunk, also one that was quoted in part.
            if header and (n_old or n_new):
                yield path, header
            n_old, n_new, header = 0, 0, None
            if line.startswith(mark):
                path = ""
                yield line, None
            elif line.startswith("+++ "):
                path = _new_path(line[4:])
            elif path and (match := _HUNK.match(line)):
                old, n_old, new, n_new = (1 if n is None else int(n) for n in match.groups())
                header = Hunk(old, n_old, new, n_new)
                old, new = old + (not n_old), new + (not n_new)
        start = old, new


def _between(start: tuple[int, int], end: tuple[int, int]) -> Hunk:
    n_old, n_new = end[0] - start[0], end[1] - start[1]
    return Hunk(start[0] - (not n_old), n_old, start[1] - (not n_new), n_new)


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
