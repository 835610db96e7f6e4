"""The refusal of a name that no indexed definition has, with the lines that grep finds of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import itemgetter

from packhound.core.errors import NOT_INDEXED, SettingsError
from packhound.grep import GrepRequest, GrepResults
from packhound.operations.operation import Call
from packhound.operations.rows import skipped_counts, skipped_note
from packhound.operations.text import cut, path_of
from packhound.redact import safe_line, visible_line
from packhound.text import FLAGS, path_facts

_MAX_LINES = 8
_MAX_LIKELY = 200
"""Lines that may define a name, of which those beside the code come last."""
_ASIDE = tuple(map(FLAGS.index, ("is_test", "is_example", "is_prose")))
_MAX_LETTERS = 160
_PATH = re.compile(r"[^#]*/[^#]*|.*:\d[\d:,-]*")
_NAMES = r"(?:^|\W){0}(?:\W|$)"
_DEFINES = (
    r"\b(?:define|def|const|let|var|val|fn|func?|function|class|struct|union|enum|interface"
    r"|trait|type|delegate|macro|module|static|attr_\w+)\s+(?:[\w.:<>\[\]*&?]+,?\s+)*:?{0}(?:\W|$)"
    r"|^[\w.:<>\[\]*&? ]*\b{0}\s*(?::[^=]*)?=(?:[^=]|$)|^\s*{0}\b[^;]*\{{\s*$"
)
"""A line with a name behind a word that defines, before its value, or first with a body."""


def not_indexed(call: Call, reference: str) -> SettingsError:
    """Return the refusal of a name or place; its further lines are those that have the name."""
    words = [] if _PATH.fullmatch(reference) else re.findall(r"\w+", reference)
    skipped = skipped_note(skipped_counts(call.roots, by_grep=False), " for definitions")
    head = (
        f"{NOT_INDEXED}'{visible_line(reference[:200])}' is indexed; give a name, Qual.name, "
        f"PATH:LINE or PATH#NAME, or use search{f' ({skipped})' if skipped else ''}"
    )
    return SettingsError("\n".join([head, *(_lines_with(call, words[-1]) if words else ())]))


def _lines_with(call: Call, name: str) -> Iterator[str]:
    """Yield how many lines have a name, and some of them: first those that may define it."""
    results = _grep(call, _NAMES, name, _MAX_LINES)
    likely = sorted(_rows(call, _grep(call, _DEFINES, name, _MAX_LIKELY)), key=itemgetter(0))
    lines = [*dict.fromkeys(line for _, line in (*likely, *_rows(call, results)))][:_MAX_LINES]
    if lines:
        verb = "line has" if results.n_lines == 1 else "lines have"
        files = f"{results.n_files:,} file" + "s"[: results.n_files != 1]
        yield f"{results.n_lines:,} {verb} '{name}', in {files}:"
    else:
        yield f"no line has '{name}'"
    yield from lines
    if n_more := results.n_lines - len(lines):
        yield f"  ... {n_more:,} more by grep"
    yield from results.notes


def _grep(call: Call, pattern: str, name: str, limit: int) -> GrepResults:
    request = GrepRequest(pattern.format(re.escape(name)), limit=limit)
    return call.roots.grep(request, call.cancel, redacted=call.is_agent)


def _rows(call: Call, results: GrepResults) -> Iterator[tuple[bool, str]]:
    """Yield if a line is of a file beside the code, and the line with its place."""
    for group in results.groups:
        flags = path_facts(group.path).flags
        path = path_of({"path": group.path, **call.roots.whose(group.root)})
        for line in group.lines:
            text = cut(safe_line(line.text.strip()), _MAX_LETTERS)
            yield any(flags[i] for i in _ASIDE), f"  {path}:{line.number + 1} | {text}"
