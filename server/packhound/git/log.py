"""What git knows of a folder's files: when each last changed, how often, and what is not committed.

`git log` is read in the background, newest first and with limits, by the git that the user has.
Nothing waits for it and nothing fails because of it: until it is read, or where there is no git,
the history is empty and says why.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from packhound.git.client import Repository, Stamp, git, has_filters, open_repository, stream

HistoryState = Literal["reading", "ready", "untracked", "unavailable"]

_MAX_COMMITS = 100_000
_TIMEOUT_S = 60.0
_SECONDS_A_DAY = 86_400.0
_HALF_LIFE_DAYS = 90.0
_COMMIT = "\x1e"
_OWN_TIMES = 32
"""Own commits remembered of one file."""

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
    own: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class History:
    """The history of the files of one folder, by path; `head` is the commit it was read at."""

    state: HistoryState = "reading"
    files: Mapping[str, FileHistory] = field(default_factory=dict)
    dirty: frozenset[str] = frozenset()
    new: frozenset[str] = frozenset()
    head: str = ""

    def is_dirty(self, path: str) -> bool:
        """Whether a file differs from the last commit, or git does not have it."""
        return path in self.dirty or self.is_new(path)

    def is_new(self, path: str) -> bool:
        """Whether git does not have a file; git names whole folders of such files with a `/`."""
        parts = path.split("/")
        folders = ("/".join(parts[:depth]) + "/" for depth in range(1, len(parts)))
        return path in self.new or any(folder in self.new for folder in folders)

    def recency(self, path: str, now: float | None = None) -> float:
        """1 for a file that changes today or is not committed, halved every 90 days, else 0."""
        if self.is_dirty(path):
            return 1.0
        known = self.files.get(path)
        if known is None:
            return 0.0
        days = max(0.0, (now or time.time()) - known.last_change) / _SECONDS_A_DAY
        return float(0.5 ** (days / _HALF_LIFE_DAYS))


class HistoryReader:
    """Reads the history of a folder in a thread of its own; `history` is what it has so far."""

    def __init__(self, root: Path, on_change: Callable[[], None] | None = None) -> None:
        self._root = root
        self._on_change = on_change or (lambda: None)
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._repository: Repository | None = None
        self._stamp: Stamp = ()
        self._touched = False
        self.history = History()

    def refresh(self) -> None:
        """Read again, unless that is under way; returns at once."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._read, name="packhound-history", daemon=True
                )
                self._thread.start()

    def follow(self) -> None:
        """Read again if anything was changed, committed or checked out; costs three looks."""
        repository = self._repository
        if repository is not None and (self._touched or repository.stamp() != self._stamp):
            self.refresh()

    def touched(self) -> None:
        """Something on the disk may have changed."""
        self._touched = True

    def wait(self, timeout_s: float) -> History:
        """The history once it is read, or what there is after `timeout_s`."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)
        return self.history

    def _read(self) -> None:
        repository = self._repository or open_repository(self._root)
        # Before reading, so that what happens meanwhile is read the next time.
        self._stamp, self._touched = repository.stamp(), False
        self._repository = repository if repository.state == "ready" else None
        found = read_history(self._root, repository, self.history)
        if found != self.history:
            self.history = found
            self._on_change()


def read_history(
    root: Path, repository: Repository | None = None, before: History | None = None
) -> History:
    """The history of a folder as of now; never raises. Commits that `before` has are not reread."""
    repository = repository or open_repository(root)
    if repository.state != "ready":
        return History(repository.state)
    head = (git(root, "rev-parse", "--verify", "--quiet", "HEAD") or "").strip()
    known = before if before and before.head and _is_ancestor(root, before.head, head) else None
    files = dict(known.files) if known else {}
    if head and (known is None or known.head != head):
        span = f"{known.head}..{head}" if known else head
        author = (git(root, "config", "user.email") or "").strip()
        pieces = stream(root, *_LOG, span, "--", ".", timeout_s=_TIMEOUT_S)
        files = merged(parse_log(pieces, author), files)
    status = None if has_filters(root) else git(root, *_STATUS)
    dirty, new = parse_status(status or "", repository.prefix)
    return History("ready", files, dirty, new, head)


def parse_log(pieces: Iterable[str], author: str = "") -> dict[str, FileHistory]:
    """`git log --name-only -z` in pieces, newest commit first; `author` is whose are the own."""
    files: dict[str, FileHistory] = {}
    for commit in _commits(pieces):
        head, *names = (part.strip("\n") for part in commit.split("\0"))
        when, _, email = head.partition(" ")
        if not when.isdigit():
            continue
        made = int(when)
        own = (made,) if author and email == author else ()
        for name in filter(None, names):
            files[name] = _joined(FileHistory(1, made, own), files.get(name))
    return files


def merged(
    newer: Mapping[str, FileHistory], older: Mapping[str, FileHistory]
) -> dict[str, FileHistory]:
    """The histories of two runs of commits as one."""
    return {**older, **{name: _joined(found, older.get(name)) for name, found in newer.items()}}


def parse_status(status: str, prefix: str = "") -> tuple[frozenset[str], frozenset[str]]:
    """`git status --porcelain -z`: changed paths and unknown ones, below `prefix` and relative."""
    entries = [entry for entry in status.split("\0") if len(entry) > 3]
    unknown = frozenset(e[3:].removeprefix(prefix) for e in entries if e.startswith("??"))
    changed = frozenset(e[3:].removeprefix(prefix) for e in entries if not e.startswith("??"))
    return changed, unknown


def _commits(pieces: Iterable[str]) -> Iterator[str]:
    """Whole commits; the last one may be cut where reading ended, so it is left out then."""
    rest = ""
    for piece in pieces:
        *whole, rest = (rest + piece).split(_COMMIT)
        yield from whole
    if rest.endswith(("\0", "\n")):
        yield rest


def _joined(one: FileHistory, other: FileHistory | None) -> FileHistory:
    if other is None:
        return one
    own = tuple(sorted((*one.own, *other.own), reverse=True)[:_OWN_TIMES])
    last = max(one.last_change, other.last_change)
    return FileHistory(one.commits + other.commits, last, own)


def _is_ancestor(root: Path, old: str, new: str) -> bool:
    return bool(new) and git(root, "merge-base", "--is-ancestor", old, new) is not None
