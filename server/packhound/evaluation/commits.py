"""Queries from a folder's own history: a commit's subject, answered by the nodes it changed.

A commit's changed lines are followed to the newest commit; the present nodes with the surviving
lines are the answers. Merges, commits of many files, and chores (`bump version`) are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from packhound.core.errors import SettingsError
from packhound.core.types import Node
from packhound.evaluation.cases import Case, Target
from packhound.git import OPTIONS, Hunk, open_repository, read_hunks, stream
from packhound.index import FileEntry

COMMIT = "commit"
"""The category of a query that is a commit's subject."""
MAX_FILES = 5
MAX_NODES = 10
_MIN_WORDS = 3
_LOG_TIMEOUT_S = 120.0
_DIFF_TIMEOUT_S = 10.0

_PATCH = (*OPTIONS, "--no-renames")
_COMMIT_MARK = "\x1e"
_KIND = re.compile(r"^[a-z]+(\([^)]*\))?!?:\s+")
_NUMBER = re.compile(r"\s*\((?:#|GH-)\d+\)\s*$")
_CHORE = re.compile(
    r"merge|revert|bump|release|prepare|version|wip\b|fixup!|squash!|format|lint|typo|changelog"
    r"|update (changelog|dependenc|version|readme)|v?\d+\.",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Commit:
    digest: str
    subject: str
    files: dict[str, list[Hunk]] = field(default_factory=dict)


def cases_of_history(root: Path, files: Mapping[str, FileEntry], last: int) -> tuple[Case, ...]:
    """Return the cases of the last commits of a folder, newest first, see `commit_cases`."""
    return tuple(case for _, case in commit_cases(root, files, last))


def commit_cases(
    root: Path, files: Mapping[str, FileEntry], last: int
) -> Iterator[tuple[str, Case]]:
    """Yield the digest and the case of each of the last commits of a folder, newest first.

    `files` are those of the index that may be answers. Raises SettingsError where there is no
    readable history.
    """
    if open_repository(root).state != "ready":
        raise SettingsError(f"'{root}' is not in a git repository that can be read")
    for commit in _commits(root, last):
        subject = _NUMBER.sub("", _KIND.sub("", commit.subject)).strip()
        paths = [path for path in commit.files if path in files]
        if not paths or len(commit.files) > MAX_FILES or _is_chore(subject):
            continue
        targets = _targets(root, commit, paths, files)
        if 1 <= len(targets) <= MAX_NODES:
            language = files[targets[0].path].language
            yield commit.digest, Case(subject, targets, COMMIT, root.name, language, ".")


def _is_chore(subject: str) -> bool:
    return len(subject.split()) < _MIN_WORDS or bool(_CHORE.match(subject))


def _commits(root: Path, last: int) -> Iterator[_Commit]:
    """Yield the last commits except merges, with the lines that they changed."""
    arguments = (
        "log",
        f"--max-count={last}",
        "--no-merges",
        f"--format={_COMMIT_MARK}%H %s",
        "--patch",
    )
    printed = stream(root, *arguments, *_PATCH, "--", ".", timeout_s=_LOG_TIMEOUT_S)
    commit = None
    for line, hunk in read_hunks(_lines(printed), _COMMIT_MARK):
        if line.startswith(_COMMIT_MARK):
            if commit:
                yield commit
            digest, _, subject = line[1:].partition(" ")
            commit = _Commit(digest, subject)
        elif commit and hunk:
            commit.files.setdefault(line, []).append(hunk)
    if commit:
        yield commit


def _targets(
    root: Path, commit: _Commit, paths: Sequence[str], files: Mapping[str, FileEntry]
) -> tuple[Target, ...]:
    """Return the innermost present nodes with the lines that the commit changed."""
    arguments = ("diff", *_PATCH, commit.digest, "HEAD", "--", *paths)
    since: dict[str, list[Hunk]] = {path: [] for path in paths}
    for path, hunk in read_hunks(_lines(stream(root, *arguments, timeout_s=_DIFF_TIMEOUT_S))):
        if hunk and path in since:
            since[path].append(hunk)
    targets: dict[Target, None] = {}
    for path in paths:
        changed = {line for hunk in commit.files[path] for line in _new_lines(hunk)}
        present = [_follow(line, since[path]) for line in sorted(changed)]
        nodes = files[path].nodes
        for line in present:
            node = line and _innermost(nodes, line - 1)
            if node:
                span = node.span
                targets[Target(path, span.start_line + 1, span.end_line + 1)] = None
    return tuple(targets)


def _new_lines(hunk: Hunk) -> range:
    """Return the lines that a hunk added; for one that only removes, the line before it."""
    return range(hunk.new, hunk.new + hunk.n_new) if hunk.n_new else range(hunk.new, hunk.new + 1)


def _follow(line: int, hunks: Iterable[Hunk]) -> int:
    """Return the new number of a line, 0 if it was removed."""
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
    """Return the shortest definition or section at a 0-based line."""
    enclosing = [
        node
        for node in nodes
        if node.kind != "file" and node.span.start_line <= line <= node.span.end_line
    ]
    return min(enclosing, key=lambda node: node.span.end - node.span.start, default=None)


def _lines(pieces: Iterable[str]) -> Iterator[str]:
    rest = ""
    for piece in pieces:
        *lines, rest = (rest + piece).split("\n")
        yield from lines
    if rest:
        yield rest
