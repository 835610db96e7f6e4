"""Patterns of code with holes over the texts of a snapshot.

Which files may match is known from the literals of the pattern, as for a regular expression; their
trees are made in parser processes.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from packhound.core.errors import SettingsError
from packhound.core.types import Document, Remark
from packhound.grep.ngrams import hashes_of
from packhound.grep.scan import SortedFiles, Source, select
from packhound.index import Snapshot
from packhound.parsing import (
    CodePattern,
    PatternMatch,
    PatternProblem,
    find_pattern,
    read_pattern,
)
from packhound.text import LineIndex

_MAX_QUOTED = 60
_WORD = re.compile(rb"[0-9A-Za-z_]+")


class NotLookedAt(Remark, template="{} were not looked at: give more time, or narrow by path:"):
    """Number of files for which the time of a pattern was too short."""


class Place(NamedTuple):
    """Place with the shape of a pattern: the first byte, its line and that line's text.

    `captures` are the texts of the named holes.
    """

    start: int
    line: int
    text: str
    captures: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Places:
    """Matches by path, in the order of paths; `n_unread` of the files that may match are unread."""

    by_path: Mapping[str, Sequence[Place]]
    n_files: int
    n_unread: int

    @property
    def notes(self) -> list[NotLookedAt]:
        """Note on files that were not looked at, if there are any."""
        n_files = f"{self.n_unread:,} of {self.n_files:,}"
        return [NotLookedAt(f"{n_files} files that may match")] if self.n_unread else []


def languages_of(snapshot: Snapshot, paths: Iterable[str]) -> list[str]:
    """Return the languages of files of a snapshot, those of the most files first."""
    counts = Counter(snapshot.files[path].language for path in paths)
    return [language for language, _ in counts.most_common()]


def compile_code(
    snapshot: Snapshot, text: str, paths: Sequence[str], exclude: Sequence[str]
) -> CodePattern:
    """Return the pattern that a text is in the languages of the files that globs let through.

    Where they let none through these are all of the snapshot. Raises SettingsError.
    """
    selected = [*filter(select(paths, exclude), snapshot.files)] or snapshot.files
    read = read_pattern(text, languages_of(snapshot, selected), is_explicit=True)
    if read is None or isinstance(read, PatternProblem):
        raise SettingsError(
            f"{describe_problem(text, read)}; expected an expression, a statement or a definition"
        )
    return read[1]


def describe_problem(text: str, problem: PatternProblem | None) -> str:
    """Return why a text is no pattern, and what it was taken for."""
    shown = text if len(text) <= _MAX_QUOTED else text[: _MAX_QUOTED - 3] + "..."
    if problem is None:
        return f"'{shown}' is no pattern: no file is of a language that it could be of"
    if not problem.language:
        return f"'{shown}' {problem.reason}"
    rest = " ".join(text[problem.offset :][:20].split())
    where = f"at column {problem.offset + 1}, '{rest}'" if rest else "at its end"
    return f"'{shown}' was taken for a pattern in {problem.language}, and {problem.reason} {where}"


def find_structure(
    snapshot: Snapshot,
    files: SortedFiles,
    source: Source,
    pattern: CodePattern,
    paths: Sequence[str],
    exclude: Sequence[str],
    until: float,
    cancel: threading.Event | None,
) -> Places:
    """Return the matches in the selected files that were read before `until` (time.monotonic).

    Raises Cancelled as `cancel` says.
    """
    selected = [*filter(select(paths, exclude), _candidates(snapshot, files, pattern))]
    n_read = 0
    by_path: dict[str, list[Place]] = {}
    without = list[str]()
    documents = _documents(snapshot, source, pattern, selected, without)
    for document, matches in find_pattern(pattern, documents, until, cancel):
        n_read += matches is not None
        if matches:
            by_path[document.path] = [*_places(document.source, matches)]
    n_unread = len(selected) - n_read - len(without)
    return Places(dict(sorted(by_path.items())), len(selected), n_unread)


def _candidates(snapshot: Snapshot, files: SortedFiles, pattern: CodePattern) -> Iterator[str]:
    """Yield the paths whose filters admit a match, by language and path."""
    for language, literals in pattern.literals.items():
        positions = files.filters.candidates(hashes_of((literals,)))
        for position in positions.tolist():
            path = files.paths[position]
            if snapshot.files[path].language == language:
                yield path


def _documents(
    snapshot: Snapshot,
    source: Source,
    pattern: CodePattern,
    paths: Iterable[str],
    without: list[str],
) -> Iterator[Document]:
    """Yield the files that have all literals; others that were read go to `without`."""
    searches = {
        language: [
            re.compile(rb"\b%s\b" % each if _WORD.fullmatch(each) else re.escape(each)).search
            for each in literals
        ]
        for language, literals in pattern.literals.items()
    }
    for path in paths:
        text, language = source(path, snapshot), snapshot.files[path].language
        if text is None:
            continue
        if all(search(text) for search in searches[language]):
            yield Document(path, text, language)
        else:
            without.append(path)


def _places(source: bytes, matches: Iterable[PatternMatch]) -> Iterator[Place]:
    index = LineIndex(source)
    for match in matches:
        line = index.line_of(match.start)
        begin, end = index.starts[line], source.find(b"\n", match.start)
        text = _text(source[begin : end if end >= 0 else None])
        captures = {c.name.lstrip("$"): _text(source[c.start : c.end]) for c in match.captures}
        yield Place(match.start, line, text, captures)


def _text(octets: bytes) -> str:
    return " ".join(octets.decode("utf-8", "replace").split())
