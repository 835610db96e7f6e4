"""Lines that the user has changed: an editor's text against the disk, the disk against HEAD.

Git is asked in the background, when something has changed since it was asked last. The text of an
open document is compared when it is asked about, so no edit is missed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple, TypeAlias

from packhound.core.common_prefix import common_prefix_length
from packhound.core.errors import SettingsError
from packhound.core.types import Document
from packhound.files import read_text
from packhound.git.blobs import Blob
from packhound.git.client import Repository, git, git_bytes, has_filters, open_repository
from packhound.git.hunks import OPTIONS, read_hunks
from packhound.git.log import parse_status
from packhound.git.repository_reader import RepositoryReader
from packhound.text import is_notebook

Lines: TypeAlias = tuple[int, int]
"""First and last line, 0-based and inclusive."""
ChangedLines: TypeAlias = Mapping[str, tuple[Lines, ...]]

_TIMEOUT_S = 5.0
_PATIENCE_S = 0.15
"""How long a question waits for git, which answers in some 20 ms."""
WHOLE: Lines = (0, 1 << 30)
GONE: Lines = (-1, -1)
"""Instead of lines, of a file that a commit has and the disk has not."""
_MAX_NEW, _MAX_NEW_SINCE = 50, 1_000
"""More files that git does not know are no work in progress, or counted alone."""
_MAX_COMPARED = 2_000
"""Lines between the first and the last edit; more count as changed throughout."""

_DIFF = (*OPTIONS, "--find-renames")
_STATES = ("diff", "--raw", "--no-abbrev", "-z", "--find-renames", *OPTIONS[1:6])
_COMMIT = ("rev-parse", "--verify", "--quiet", "--end-of-options")
_NEW = ("status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules", "--", ".")
_LINE_END = re.compile(rb"\r\n|\r|\n")


def read_committed(root: Path, path: str) -> bytes | None:
    """Return a file as the last commit has it, None if it has none."""
    return git_bytes(root, "cat-file", "blob", f"HEAD:./{path}", timeout_s=_TIMEOUT_S)


class Since(NamedTuple):
    """Difference from a commit: `lines` by path, `GONE` of a deleted or renamed one.

    A file without such lines, as a binary one, has none. `renamed` has old paths by new ones.
    `committed` are the texts of the commit, None where it has no such file; of a path that is not
    there the text on the disk is the same.
    """

    lines: ChangedLines
    renamed: Mapping[str, str]
    committed: Mapping[str, Blob | None]
    notes: tuple[str, ...] = ()


class Changes(RepositoryReader):
    """The changed lines of one folder's files. Methods may be called from any thread."""

    def __init__(self, root: Path, opened: Callable[[str], Document | None]) -> None:
        super().__init__(root)
        self._opened = opened
        self._committed: ChangedLines = {}

    def lines(self, path: str) -> tuple[Lines, ...]:
        """Return the lines of a file, as the editor has it, that are not in the last commit."""
        self.join(_PATIENCE_S)
        return self._in_editor(path, self._committed.get(path, ()))

    def since(self, base: str, open_paths: Iterable[str]) -> Since:
        """Return all that differs from a commit, as the editors have it; waits for git.

        Raises SettingsError: the folder is in no repository, there is no such commit, git does not
        compare, or it would take a program of the repository's settings to do so.
        """
        repository = self._repository or open_repository(self._root)
        if repository.state != "ready":
            raise SettingsError(f"'{self._root}' is in no git repository; changes need its history")
        commit = git(self._root, *_COMMIT, f"{base}^{{commit}}", timeout_s=_TIMEOUT_S)
        if commit is None:
            raise SettingsError(f"'{base[:200]!s}' is no commit, branch or tag of this repository")
        if has_filters(self._root):
            raise SettingsError(
                f"'{self._root}' has filters in its git settings; to compare files would run them"
            )
        since = _compare(self._root, repository, commit.strip())
        moved = {path: self._in_editor(path, since.lines.get(path, ())) for path in open_paths}
        edited = {path: lines for path, lines in moved.items() if lines}
        return since._replace(lines={**since.lines, **edited})

    def _in_editor(self, path: str, committed: tuple[Lines, ...]) -> tuple[Lines, ...]:
        """Return changed lines of a file on disk where they are in the editor, and its edits."""
        document = self._opened(path)
        if document is None:
            return committed
        saved = read_text(self._root, path)
        if saved is None:
            return (WHOLE,)
        return move_lines(committed, _edits(saved, document.source))

    def _read(self, repository: Repository) -> None:
        if repository.state == "ready":
            self._committed = changed_lines(self._root, repository)


def changed_lines(root: Path, repository: Repository | None = None) -> ChangedLines:
    """Return the lines of files on disk that differ from the last commit; {} where unknown."""
    repository = repository or open_repository(root)
    if repository.state != "ready" or has_filters(root):
        return {}
    new = _new_files(root, repository) or []
    changed = _changed_lines(root, "HEAD") or {}
    return {**changed, **(dict.fromkeys(new, (WHOLE,)) if len(new) <= _MAX_NEW else {})}


def _changed_lines(root: Path, *ends: str) -> ChangedLines | None:
    """Return the lines of files that differ from a commit; None if git fails, or is late."""
    diff = git(root, "diff", *ends, *_DIFF, "--", ".", timeout_s=_TIMEOUT_S)
    if diff is None:
        return None
    # Lines of a notebook's file are not those of the text of its cells.
    changed = parse_diff(diff)
    return {path: (WHOLE,) if is_notebook(path) else lines for path, lines in changed.items()}


def _new_files(root: Path, repository: Repository) -> list[str] | None:
    """Return the files that git does not know; None if it fails, or is late."""
    status = git(root, *_NEW, timeout_s=_TIMEOUT_S)
    return None if status is None else sorted(parse_status(status, repository.prefix)[1])


def _compare(root: Path, repository: Repository, commit: str) -> Since:
    """Return what of the files on disk differs from a commit. Raises SettingsError: unknown."""
    ends = (commit, "HEAD") if repository.is_bare else (commit,)
    listed = git(root, *_STATES, *ends, "--", ".", timeout_s=_TIMEOUT_S)
    changed = _changed_lines(root, *ends)
    new = [] if repository.is_bare else _new_files(root, repository)
    if listed is None or changed is None or new is None:
        raise SettingsError(f"git did not compare '{root}' with {commit[:10]}; ask again")
    lines, renamed = dict[str, tuple[Lines, ...]](), dict[str, str]()
    blobs: dict[str, Blob | None] = dict.fromkeys(new)
    fields = iter(listed.split("\0"))
    for entry, path in zip(fields, fields, strict=False):
        mode, _, name, _, state = entry.removeprefix(":").split(" ")
        blob = Blob(name, 0, path) if mode.startswith("100") else None
        lines[path], blobs[path] = (GONE,) if state[0] in "DR" else (), blob
        if state[0] == "R":
            renamed[new_path := next(fields)] = path
            lines[new_path], blobs[new_path] = (), blob
    notes = [f"{len(new):,} files that git does not know are not named"]
    is_named = len(new) <= _MAX_NEW_SINCE
    lines |= {**changed, **(dict.fromkeys(new, (WHOLE,)) if is_named else {})}
    return Since(lines, renamed, blobs, tuple(notes[is_named:]))


def parse_diff(diff: str) -> dict[str, tuple[Lines, ...]]:
    """Return the changed lines by path of a diff; a removal marks its line."""
    changed: dict[str, list[Lines]] = {}
    for path, hunk in read_hunks(diff.split("\n")):
        if hunk:
            changed.setdefault(path, []).append(hunk.new_lines)
    return {path: tuple(lines) for path, lines in changed.items()}


def move_lines(
    lines: Sequence[Lines], edits: Sequence[tuple[int, int, int, int]]
) -> tuple[Lines, ...]:
    """Return lines of an old text where they are in the new one, and lines that edits touch.

    An edit is (first, end, first, end): half open, of the old text and of the new.
    """
    result = []
    for first, last in lines:
        before = sum((d - c) - (b - a) for a, b, c, d in edits if b <= first)
        within = sum((d - c) - (b - a) for a, b, c, d in edits if first <= a and b <= last + 1)
        result.append((max(0, first + before), max(0, last + before + within)))
    for _, _, c, d in edits:
        start = max(0, c - (c == d))  # As git has it, a removal marks the line before it.
        result.append((start, max(start, d - 1)))
    return tuple(sorted(set(result)))


def _edits(old: bytes, new: bytes) -> list[tuple[int, int, int, int]]:
    if old == new:
        return []
    return line_edits(_LINE_END.split(old), _LINE_END.split(new))


def line_edits(before: Sequence[bytes], after: Sequence[bytes]) -> list[tuple[int, int, int, int]]:
    """Return what differs between lines as (first, end, first, end), half open, ascending."""
    start = common_prefix_length(before, after)
    end = common_prefix_length(before[start:][::-1], after[start:][::-1])
    before, after = before[start : len(before) - end], after[start : len(after) - end]
    if max(len(before), len(after)) > _MAX_COMPARED:
        return [(start, start + len(before), start, start + len(after))]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [
        (start + a, start + b, start + c, start + d)
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]
