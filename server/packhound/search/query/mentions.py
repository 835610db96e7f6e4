"""Mentions in a text: files, lines of files, frames of stack traces and hunks of diffs.

One reader for rankings and for packs. Frames are those of Python, IPython, notebooks, pytest,
JavaScript, the JVM, Ruby, Go, Rust, .NET, PHP, and of gdb and sanitizers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from packhound.git import read_hunks

MentionKind = Literal["path", "stack frame", "line", "diff"]

_MAX_TEXT = 100_000
_MAX_MENTIONS = 60

_OUTERMOST_FIRST = re.compile(
    r'File "(?P<python>[^"\n]{1,400})", line (?P<line_python>\d{1,7})'
    r"(?:, in (?P<in_python>[\w<>]+))?"
    r"|File (?P<ipython>[^\s\"]{1,400}?):(?P<line_ipython>\d{1,7}), in (?P<in_ipython>\w+)"
    r"|^(?P<notebook>[^\s:]+\.py) in (?P<in_notebook>\w+)\("
    r"|^(?P<pytest>[^\s:]+\.py):(?P<line_pytest>\d{1,7}): in (?P<in_pytest>\w+)",
    re.M,
)
_INNERMOST_FIRST = re.compile(
    r"^[^\S\n]*at (?:async )?(?:[\w$<>]+\.)*(?P<in_js>[\w$<>]+)"
    r" \((?P<js>[^\s():]+):(?P<line_js>\d{1,7}):\d+\)"
    r"|^[^\S\n]*at (?:[\w$<>]+[./])*(?P<in_jvm>[\w$<>]+)"
    r"\((?P<jvm>\w+\.\w+):(?P<line_jvm>\d{1,7})\)"
    r"|^[^\S\n]*(?:from )?(?P<ruby>[^\s:]+\.rb):(?P<line_ruby>\d{1,7})"
    r":in [`'](?:[\w:]+[#.])?(?P<in_ruby>[\w?!]+)'"
    r"|^(?:[\w./-]+\.)?(?:\(\*?\w+\)\.)?(?P<in_go>\w+)\([^\n]{0,400}\)\n"
    r"\t(?P<go>[^\s:]+\.go):(?P<line_go>\d{1,7})"
    r"|^[ \t]*\d{1,4}: (?:[\w<>]+::)*(?P<in_rust>\w+)(?:::\w{17})?\n"
    r"[ \t]+at (?P<rust>[^\s:]+\.rs):(?P<line_rust>\d{1,7})"
    r"|^[^\S\n]*at (?:async )?(?:file://)?(?P<script>[^\s():]+):(?P<line_script>\d{1,7}):\d+$"
    r"|^[^\S\n]*at (?:[\w`<>+]+\.)*(?P<in_dotnet>[\w<>]+)\([^\n]{0,400}\)"
    r" in (?P<dotnet>(?:[A-Z]:)?[^\n:]{1,400}):line (?P<line_dotnet>\d{1,7})"
    r"|^#\d{1,4} (?P<php>[^\s():]+)\((?P<line_php>\d{1,7})\): "
    r"|^[^\S\n]*#\d{1,4}[^\S\n]+(?=0x|[\w:~<>]+ ?\()(?:0x[\da-f]{1,16} in )?"
    r"(?:[\w~<>]+::)*(?P<in_native>[\w~]+)[^\n]{0,400}?"
    r" (?:at )?(?P<native>[^\s:()]+\.\w{1,4}):(?P<line_native>\d{1,7})",
    re.M,
)
_TRACE_LINE = re.compile(r"[ \t]*(?:at |from |\.\.\. |\d+: |#\d+ )")
"""Lines between the frames of one trace, such as frames of native code."""

_LINE_OR_PATH = re.compile(
    r"(?<![\w/\\.-])((?:[A-Za-z]:)?[\w.@~+/\\-]{0,300}\w\.[A-Za-z]\w{0,7})(?:[:(](\d{1,7})|#L(\d{1,7})(?:-L?(\d{1,7}))?)?"
    r"(?:[:,]\d{1,7}\)?)?"
)
_PATH_OF_QUERY = re.compile(
    r"(?:(?<![\w./\\-])[\w.~-]+|(?<![\w.-]))(?:[/\\][\w.+-]+)+\.\w{1,5}\b"
    r"|\b[\w-]{1,99}\.(?:py|js|ts|go|rs|java|c|h|rb)\b"
)
"""Stricter than `_LINE_OR_PATH`, since names and qualified names have signals of their own."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Frame of a stack trace; `line` is 0-based and None where the trace has none."""

    path: str
    function: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """A file as the text writes it, and the lines it speaks of (None: the whole file)."""

    kind: MentionKind
    path: str
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class _FrameMatch:
    start: int
    end: int
    frame: Frame


def paths_of(text: str) -> tuple[str, ...]:
    """Return the distinct paths of files in a query, as written."""
    return tuple(dict.fromkeys(_PATH_OF_QUERY.findall(text)))


def frames_of(text: str) -> tuple[Frame, ...]:
    """Return the frames that name a function, innermost first, the last trace before others."""
    frames = [match.frame for _, match in _frames_outermost_first(text)]
    return tuple(frame for frame in reversed(frames) if frame.function)


def mentions_of(text: str) -> tuple[Mention, ...]:
    """Return the distinct mentions in the order of the text, frames outermost first.

    So the last ones are those nearest the fault; of more than `_MAX_MENTIONS` they are returned.
    """
    text = text[:_MAX_TEXT]
    frames = list(_frames_outermost_first(text))
    located = chain(_diff_mentions(text), _frame_mentions(frames), _path_mentions(text, frames))
    ordered = sorted(located, key=lambda pair: pair[0])
    return tuple(dict.fromkeys(mention for _, mention in ordered))[-_MAX_MENTIONS:]


def _frames_outermost_first(text: str) -> Iterator[tuple[int, _FrameMatch]]:
    """Yield frames by position; those of a trace that begins with the innermost change places."""
    placed = [(match.start, match) for match in _matches(_OUTERMOST_FIRST, text)]
    for trace in _traces(text, list(_matches(_INNERMOST_FIRST, text))):
        starts = [match.start for match in trace]
        placed += zip(starts, reversed(trace), strict=True)
    return iter(sorted(placed, key=lambda pair: pair[0]))


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[_FrameMatch]:
    for match in pattern.finditer(text):
        # The first group that took part names the language.
        groups = {name: group for name, group in match.groupdict().items() if group}
        [language] = [name for name in groups if not name.startswith(("in_", "line_"))]
        line = groups.get(f"line_{language}")
        frame = Frame(
            groups[language].replace("\\", "/"),
            groups.get(f"in_{language}", ""),
            max(0, int(line) - 1) if line else None,
        )
        yield _FrameMatch(match.start(), match.end(), frame)


def _traces(text: str, matches: Sequence[_FrameMatch]) -> list[list[_FrameMatch]]:
    """Group frames that only lines of a trace stand between."""
    traces: list[list[_FrameMatch]] = []
    end = 0
    for match in matches:
        lines_between = text[end : match.start].split("\n")[1:]
        if not traces or not all(_TRACE_LINE.match(line) for line in lines_between if line.strip()):
            traces.append([])
        traces[-1].append(match)
        end = match.end
    return traces


def _diff_mentions(text: str) -> Iterator[tuple[int, Mention]]:
    offset = 0

    def lines() -> Iterator[str]:
        nonlocal offset
        for line in text.split("\n"):
            yield line
            offset += len(line) + 1

    for path, hunk in read_hunks(lines()):
        if hunk:
            yield offset, Mention("diff", path, hunk.new_lines)


def _frame_mentions(frames: Sequence[tuple[int, _FrameMatch]]) -> Iterator[tuple[int, Mention]]:
    for start, match in frames:
        line = match.frame.line
        if line is not None:
            yield start, Mention("stack frame", match.frame.path, (line, line))


def _path_mentions(
    text: str, frames: Sequence[tuple[int, _FrameMatch]]
) -> Iterator[tuple[int, Mention]]:
    """Yield paths, and lines of files unless they are those of a frame."""
    in_frames = [range(match.start, match.end) for _, match in frames]
    in_frames.sort(key=lambda span: span.start, reverse=True)
    for match in _LINE_OR_PATH.finditer(text):
        start = match.start()
        while in_frames and in_frames[-1].stop <= start:
            in_frames.pop()
        first = match[2] or match[3]
        if not first:
            yield start, Mention("path", match[1])
        elif not in_frames or start not in in_frames[-1]:
            lines = max(0, int(first) - 1), max(0, int(match[4] or first) - 1)
            yield start, Mention("line", match[1], lines)
