"""Git history of a folder's files: when each last changed, how often, and what is not committed.

`git log` is read in the background, newest first and with limits, by the git that the user has.
Nothing waits for it and nothing fails because of it: until it is read, or where there is no git,
the history is empty and says why.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from packhound.core.errors import StoreError
from packhound.core.log import log
from packhound.core.private_file import make_private_folder, read_private, write_private_atomic
from packhound.git.client import Repository, git, has_filters, open_repository, stream
from packhound.git.repository_reader import RepositoryReader

HistoryState = Literal["reading", "ready", "untracked", "unavailable"]

_MAX_COMMITS = 100_000
_TIMEOUT_S = 60.0
_SECONDS_A_DAY = 86_400.0
_HALF_LIFE_DAYS = 90.0
_COMMIT = "\x1e"
_MAX_OWN_COMMITS = 32
"""Commits of the user's own that are counted of one file."""

_LOG = (
    *("log", f"--max-count={_MAX_COMMITS}", f"--format={_COMMIT}%ct %ae", "--name-only"),
    *("--no-renames", "--no-merges", "--no-show-signature", "-z", "--relative", "--full-history"),
)
_STATUS = ("status", "--porcelain", "-z", "--no-renames", "--ignore-submodules", "--", ".")


@dataclass(frozen=True, slots=True)
class FileHistory:
    """Commits that changed a file, the time of the newest (Unix), and times of the user's own."""

    commits: int
    last_change: int
    own_commits: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class History:
    """The history of the files of one folder, by path.

    `head` is the commit it was read at, `author` the user whose commits are their own.
    """

    state: HistoryState = "reading"
    files: Mapping[str, FileHistory] = field(default_factory=dict)
    dirty: frozenset[str] = frozenset()
    new: frozenset[str] = frozenset()
    head: str = ""
    author: str = ""

    def is_dirty(self, path: str) -> bool:
        """Return True if a file differs from the last commit, or git does not track it."""
        return path in self.dirty or self.is_new(path)

    def is_new(self, path: str) -> bool:
        """Return True if git does not track a file; it names untracked folders with a `/`."""
        parts = path.split("/")
        folders = ("/".join(parts[:depth]) + "/" for depth in range(1, len(parts)))
        return path in self.new or any(folder in self.new for folder in folders)

    def changed_at(self, path: str) -> float | None:
        """Return the time of the last commit that changed a file, None if not all is committed."""
        file = None if self.is_dirty(path) else self.files.get(path)
        return file.last_change if file else None

    def recency(self, path: str, now: float | None = None) -> float:
        """Return 1 if a file changes today or is not committed, halved every 90 days, else 0."""
        if self.is_dirty(path):
            return 1.0
        file_history = self.files.get(path)
        if file_history is None:
            return 0.0
        days = max(0.0, (now or time.time()) - file_history.last_change) / _SECONDS_A_DAY
        return float(0.5 ** (days / _HALF_LIFE_DAYS))


class HistoryReader(RepositoryReader):
    """Reads the history of a folder; `history` is what it has so far.

    What was read is kept in the file `saved`, so that a start reads only later commits.
    """

    def __init__(self, root: Path, saved: Path | None = None) -> None:
        super().__init__(root)
        self.history = History()
        self._saved = saved

    def wait(self, timeout_s: float) -> History:
        """Return the history once it is read, or what there is after `timeout_s`."""
        self.join(timeout_s)
        return self.history

    def _read(self, repository: Repository) -> None:
        before, began = self.history, time.monotonic()
        if self._saved and not before.head:
            before = load_history(self._saved)
        self.history = read_history(self._root, repository, before)
        is_whole = time.monotonic() - began < _TIMEOUT_S
        is_new = is_whole and (self.history.head, self.history.author) != (
            before.head,
            before.author,
        )
        if self._saved and self.history.head and is_new:
            save_history(self._root, self.history, self._saved)


def read_history(
    root: Path, repository: Repository | None = None, before: History | None = None
) -> History:
    """Return the history of a folder as of now; reuse the commits of `before`. Never raises."""
    repository = repository or open_repository(root)
    if repository.state != "ready":
        return History(repository.state)
    head = (git(root, "rev-parse", "--verify", "--quiet", "HEAD") or "").strip()
    author = (git(root, "config", "user.email") or "").strip()
    is_known = before and before.head and before.author == author
    base = before if before and is_known and _is_ancestor(root, before.head, head) else None
    files = dict(base.files) if base else {}
    if head and (base is None or base.head != head):
        span = f"{base.head}..{head}" if base else head
        pieces = stream(root, *_LOG, span, "--", ".", timeout_s=_TIMEOUT_S)
        files = merge_histories(parse_log(pieces, author), files)
    status = None if has_filters(root) else git(root, *_STATUS)
    dirty, new = parse_status(status or "", repository.prefix)
    return History("ready", files, dirty, new, head, author)


def save_history(root: Path, history: History, path: Path) -> None:
    """Keep the commits of a history, unless git has only the latest ones; failures are logged."""
    if (git(root, "rev-parse", "--is-shallow-repository") or "").strip() != "false":
        return
    rows = {
        name: (file.commits, file.last_change, file.own_commits)
        for name, file in history.files.items()
    }
    try:
        make_private_folder(path.parent)
        data = json.dumps({"head": history.head, "author": history.author, "files": rows})
        write_private_atomic(path, data.encode())
    except (OSError, StoreError, ValueError) as error:
        log.warning("git's history is not kept: %s", error)


def load_history(path: Path) -> History:
    """Return the commits that were kept, without what is not committed; none if that is broken."""
    try:
        saved = msgspec.json.decode(read_private(path) or b"", type=_Saved)
    except (StoreError, msgspec.MsgspecError):
        return History()
    files = {name: FileHistory(*row) for name, row in saved.files.items()}
    return History("ready", files, head=saved.head, author=saved.author)


class _Saved(msgspec.Struct):
    head: str
    author: str
    files: dict[str, tuple[int, int, tuple[int, ...]]]


def parse_log(pieces: Iterable[str], author: str = "") -> dict[str, FileHistory]:
    """Parse `git log --name-only -z` in pieces, newest commit first; `author` is the user."""
    files: dict[str, FileHistory] = {}
    for commit in commits_in(pieces):
        head, *names = (part.strip("\n") for part in commit.split("\0"))
        when, _, email = head.partition(" ")
        if not when.isdigit():
            continue
        committed_at = int(when)
        own_commits = (committed_at,) if author and email == author else ()
        for name in filter(None, names):
            files[name] = _add(FileHistory(1, committed_at, own_commits), files.get(name))
    return files


def merge_histories(
    newer: Mapping[str, FileHistory], older: Mapping[str, FileHistory]
) -> dict[str, FileHistory]:
    """Merge the histories of two ranges of commits."""
    return {**older, **{name: _add(file, older.get(name)) for name, file in newer.items()}}


def parse_status(status: str, prefix: str = "") -> tuple[frozenset[str], frozenset[str]]:
    """Parse `git status --porcelain -z`: changed and unknown paths, relative to `prefix`."""
    entries = [entry for entry in status.split("\0") if len(entry) > 3]
    unknown = frozenset(e[3:].removeprefix(prefix) for e in entries if e.startswith("??"))
    changed = frozenset(e[3:].removeprefix(prefix) for e in entries if not e.startswith("??"))
    return changed, unknown


def commits_in(pieces: Iterable[str]) -> Iterator[str]:
    """Yield whole commits; the last one is left out where reading ended within it."""
    rest = ""
    for piece in pieces:
        *commits, rest = (rest + piece).split(_COMMIT)
        yield from commits
    if rest.endswith(("\0", "\n")):
        yield rest


def _add(newer: FileHistory, older: FileHistory | None) -> FileHistory:
    if older is None:
        return newer
    own_commits = tuple(
        sorted((*newer.own_commits, *older.own_commits), reverse=True)[:_MAX_OWN_COMMITS]
    )
    last_change = max(newer.last_change, older.last_change)
    return FileHistory(newer.commits + older.commits, last_change, own_commits)


def _is_ancestor(root: Path, old: str, new: str) -> bool:
    return bool(new) and git(root, "merge-base", "--is-ancestor", old, new) is not None
