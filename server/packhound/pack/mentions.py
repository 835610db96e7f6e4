"""What a prompt names outright: files, lines of stack traces, hunks of diffs.

Paths are matched to files of the root by their last components, so that a trace from another
machine or an installed package still finds its file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

MentionKind = Literal["path", "stack frame", "line", "diff"]

_MAX_TEXT = 100_000
_MAX_MENTIONS = 60
_AMBIGUOUS = 3
"""A file name that more files bear names none of them."""

_PYTHON_FRAME = re.compile(r'File "([^"\n]{1,400})", line (\d{1,7})')
_PLACE = re.compile(
    r"(?<![\w/\\.-])((?:[A-Za-z]:)?[\w.@~+/\\-]{0,300}\w\.[A-Za-z]\w{0,7})(?:[:(](\d{1,7}))?"
    r"(?:[:,]\d{1,7}\)?)?"
)
_DIFF_FILE = re.compile(r"^\+\+\+ (?:b/)?(\S{1,400})", re.MULTILINE)
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d{1,7})(?:,(\d{1,7}))? @@", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Mention:
    """A file as the prompt writes it, and the lines it speaks of (None: the whole file)."""

    kind: MentionKind
    path: str
    lines: tuple[int, int] | None = None


def mentions(prompt: str) -> tuple[Mention, ...]:
    """All mentions in the order of the text, each once; the last are those nearest its end."""
    text = prompt[:_MAX_TEXT]
    found = sorted((*_diffs(text), *_frames(text), *_places(text)), key=lambda pair: pair[0])
    return tuple(dict.fromkeys(mention for _, mention in found))[-_MAX_MENTIONS:]


class Files:
    """Finds the files of a root that end with the components of a written path."""

    def __init__(self, named: Callable[[str], Iterable[str]]) -> None:
        """`named` gives the files whose path ends with a component."""
        self._named = named

    def matching(self, written: str) -> tuple[str, ...]:
        """The files that `written` means; none if it is unknown or could be many.

        A longer tail that matches beats a shorter one, and one of the two must match whole.
        """
        wanted = _parts(written)
        if not wanted:
            return ()
        scored = [(_tail(path.split("/"), wanted), path) for path in self._named(wanted[-1])]
        best = max((length for length, _ in scored), default=0)
        found = sorted(path for length, path in scored if length == best)
        return tuple(found) if best and len(found) <= _AMBIGUOUS else ()


def _parts(written: str) -> list[str]:
    return [part for part in re.split(r"[/\\]+", written) if part not in ("", ".", "..")]


def _tail(own: list[str], wanted: list[str]) -> int:
    length = 0
    for mine, other in zip(reversed(own), reversed(wanted), strict=False):
        if mine != other:
            break
        length += 1
    return length


def _diffs(text: str) -> Iterator[tuple[int, Mention]]:
    files = [(match.start(), match[1]) for match in _DIFF_FILE.finditer(text)]
    for hunk in _HUNK.finditer(text):
        before = [path for start, path in files if start < hunk.start()]
        if before:
            first = max(0, int(hunk[1]) - 1)
            lines = (first, first + max(0, int(hunk[2] or 1) - 1))
            yield hunk.start(), Mention("diff", before[-1], lines)


def _frames(text: str) -> Iterator[tuple[int, Mention]]:
    for match in _PYTHON_FRAME.finditer(text):
        line = int(match[2]) - 1
        yield match.start(), Mention("stack frame", match[1], (line, line))


def _places(text: str) -> Iterator[tuple[int, Mention]]:
    for match in _PLACE.finditer(text):
        if match[2]:
            line = max(0, int(match[2]) - 1)
            yield match.start(), Mention("line", match[1], (line, line))
        else:
            yield match.start(), Mention("path", match[1])
