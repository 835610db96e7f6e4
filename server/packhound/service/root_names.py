"""Paths, globs and queries as answers of several folders print them, and what they mean in one.

A path begins with the label of its folder or with the place of it on the disk; within a folder that
is in another, also with its path in that one. A subfolder may have such a name too: a glob then
means both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from packhound.core.types import Note, Query
from packhound.search import Relaxed

_WILDCARD = re.compile(r"[\\*?\[]")
_PATH_FILTER = re.compile(r"(?<!\S)(-?)path:(\S+)")
_LINES = re.compile(r"(?::\d[\d:,-]*|#\S+|\(\d[\d,]*\))?:?$")
PATH_IN_TEXT = re.compile(r"(?<![^\s'\"`(<])[^\s'\"`()<>,;]+/[^\s'\"`()<>,;]*[^\s'\"`()<>,;.?!]")
"""A place within a question: it has a slash."""
_MAX_PLACE = 1_000
"""A longer text is no place."""


def without_name(written: str, names: Iterable[str]) -> str | None:
    """Return the rest of a path or glob behind the longest of some names, None without one."""
    written = written.removeprefix("./")
    for name in sorted(names, key=len, reverse=True):
        for prefix in dict.fromkeys((name, escaped(name))):
            if written == prefix or written.startswith(f"{prefix}/"):
                return written[len(prefix) :].strip("/")
    return None


def escaped(path: str) -> str:
    """Return a glob that means a path as it is."""
    return _WILDCARD.sub(r"\\\g<0>", path)


def globs_within(globs: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Return globs with those of the folder that has these names, as they are within it."""
    split = (("!" * glob.startswith("!"), glob.removeprefix("!")) for glob in globs)
    inner = ((sign, without_name(glob, names)) for sign, glob in split)
    return (*globs, *dict.fromkeys(f"{sign}/{glob}" for sign, glob in inner if glob is not None))


def split_place(text: str) -> tuple[str, str]:
    """Return the path and the lines or the name of what may be a place."""
    match = _LINES.search(text) if len(text) <= _MAX_PLACE else None
    start = match.start() if match else len(text)
    return text[:start], text[start:]


def filters_as_fields(query: Query) -> Query:
    """Return a query whose path filters are in its fields, not in its text."""
    filters = _PATH_FILTER.findall(query.text)
    if not filters:
        return query
    return replace(
        query,
        text=_PATH_FILTER.sub("", query.text).strip(),
        paths=(*query.paths, *(glob for sign, glob in filters if not sign)),
        exclude=(*query.exclude, *(glob for sign, glob in filters if sign)),
    )


def notes_as_asked(notes: Iterable[Note], asked: Query, part: Query) -> Iterator[Note]:
    """Yield the notes on the part of one folder, which name no filter that nobody has written."""
    pairs = (("path:", part.paths, asked.paths), ("-path:", part.exclude, asked.exclude))
    as_written = {_filters(pre, used): _filters(pre, written) for pre, used, written in pairs}
    for note in notes:
        if isinstance(note, Relaxed):
            note = replace(note, subject=as_written.get(note.subject, note.subject))
        if not isinstance(note, Relaxed) or note.subject:
            yield note


def _filters(prefix: str, globs: Iterable[str]) -> str:
    return " ".join(prefix + glob for glob in globs)
