"""Queries that a folder's own history answers: a commit's subject, and the nodes that it changed.

A commit's changed lines are followed to the newest commit; those that are still there lie in nodes
of today, and these are the answers. Merges, commits of many files, and subjects that ask for
nothing (`bump version`) are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from packhound.core.errors import SettingsError
from packhound.core.types import Node
from packhound.evaluation.cases import Case, Target
from packhound.git.client import open_repository, stream
from packhound.git.hunks import OPTIONS, Hunk, read_hunks

COMMIT = "commit"
"""The category of a query that is a commit's subject."""
MOST_FILES = 5
MOST_NODES = 10
_FEWEST_WORDS = 3
_LOG_S = 120.0
_DIFF_S = 10.0

_PATCH = (*OPTIONS, "--no-renames")
_START = "\x1e"
_KIND = re.compile(r"^[a-z]+(\([^)]*\))?!?:\s+")
_NUMBER = re.compile(r"\s*\((?:#|GH-)\d+\)\s*$")
_CHORE = re.compile(
    r"merge|revert|bump|release|prepare|version|wip\b|fixup!|squash!|format|lint|typo|changelog"
    r"|update (changelog|dependenc|version|readme)|v?\d+\.",
    re.IGNORECASE,
)


class File(Protocol):
    """What is read of a file of a snapshot."""

    @property
    def language(self) -> str: ...  # noqa: D102
    @property
    def nodes(self) -> tuple[Node, ...]: ...  # noqa: D102


@dataclass(slots=True)
class _Commit:
    digest: str
    subject: str
    files: dict[str, list[Hunk]] = field(default_factory=dict)


def cases_of_history(
    root: Path, files: Mapping[str, File], last: int, counts: Callable[[str], bool]
) -> tuple[Case, ...]:
    """The cases of the last commits of the folder, newest first.

    `files` are those of the index, `counts` says which paths may be answers. Raises SettingsError
    where there is no history to read.
    """
    if open_repository(root).state != "ready":
        raise SettingsError(f"'{root}' is not in a git repository that can be read")
    found = []
    for commit in _commits(root, last):
        subject = _NUMBER.sub("", _KIND.sub("", commit.subject)).strip()
        paths = [path for path in commit.files if path in files and counts(path)]
        if not paths or len(commit.files) > MOST_FILES or _asks_nothing(subject):
            continue
        targets = _targets(root, commit, paths, files)
        if 1 <= len(targets) <= MOST_NODES:
            language = files[targets[0].path].language
            found.append(Case(subject, targets, COMMIT, root.name, language, "."))
    return tuple(found)


def _asks_nothing(subject: str) -> bool:
    return len(subject.split()) < _FEWEST_WORDS or bool(_CHORE.match(subject))


def _commits(root: Path, last: int) -> Iterator[_Commit]:
    """The last commits that are no merges, and the lines that they changed."""
    arguments = ("log", f"--max-count={last}", "--no-merges", f"--format={_START}%H %s", "--patch")
    printed = stream(root, *arguments, *_PATCH, "--", ".", timeout_s=_LOG_S)
    commit = None
    for line, hunk in read_hunks(_lines(printed), _START):
        if line.startswith(_START):
            if commit:
                yield commit
            digest, _, subject = line[1:].partition(" ")
            commit = _Commit(digest, subject)
        elif commit and hunk:
            commit.files.setdefault(line, []).append(hunk)
    if commit:
        yield commit


def _targets(
    root: Path, commit: _Commit, paths: Sequence[str], files: Mapping[str, File]
) -> tuple[Target, ...]:
    """The innermost nodes of today that hold the lines which the commit changed."""
    arguments = ("diff", *_PATCH, commit.digest, "HEAD", "--", *paths)
    since: dict[str, list[Hunk]] = {path: [] for path in paths}
    for path, hunk in read_hunks(_lines(stream(root, *arguments, timeout_s=_DIFF_S))):
        if hunk and path in since:
            since[path].append(hunk)
    found: dict[Target, None] = {}
    for path in paths:
        changed = {line for hunk in commit.files[path] for line in _new_lines(hunk)}
        moved = [_moved(line, since[path]) for line in sorted(changed)]
        nodes = files[path].nodes
        for line in moved:
            node = line and _innermost(nodes, line - 1)
            if node:
                span = node.span
                found[Target(path, span.start_line + 1, span.end_line + 1)] = None
    return tuple(found)


def _new_lines(hunk: Hunk) -> range:
    """The lines that a hunk wrote; where it only took lines away, the line before them."""
    return range(hunk.new, hunk.new + hunk.n_new) if hunk.n_new else range(hunk.new, hunk.new + 1)


def _moved(line: int, hunks: Iterable[Hunk]) -> int:
    """Where a line went, 0 where it is gone."""
    shift = 0
    for hunk in hunks:
        first = hunk.old if hunk.n_old else hunk.old + 1
        if line < first:
            break
        if line < first + hunk.n_old:
            return 0
        shift += hunk.n_new - hunk.n_old
    return line + shift


def _innermost(nodes: Iterable[Node], line: int) -> Node | None:
    """The shortest definition or section at a 0-based line."""
    around = [
        node
        for node in nodes
        if node.kind != "file" and node.span.start_line <= line <= node.span.end_line
    ]
    return min(around, key=lambda node: node.span.end - node.span.start, default=None)


def _lines(pieces: Iterable[str]) -> Iterator[str]:
    left = ""
    for piece in pieces:
        *whole, left = (left + piece).split("\n")
        yield from whole
    if left:
        yield left
