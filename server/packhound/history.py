"""What git knows of a folder's files: when each last changed, how often, and what is not committed.

`git log` is read in the background, newest first and with a limit, by the git that the user has.
Nothing waits for it and nothing fails because of it: until it is read, or where there is no git,
the history is empty and says why.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

HistoryState = Literal["reading", "ready", "untracked", "unavailable"]

_MAX_COMMITS = 5_000
_TIMEOUT_S = 30.0
_DIFF_TIMEOUT_S = 5.0
_SECONDS_A_DAY = 86_400.0
_HALF_LIFE_DAYS = 90.0
_COMMIT = "\x1e"

_STATUS = ("status", "--porcelain", "-z", "--no-renames", "--", ".")
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_FILE = re.compile(r"^\+\+\+ (?:b/)?(.+?)\t?$", re.MULTILINE)

Lines = tuple[int, int]


@dataclass(frozen=True, slots=True)
class FileHistory:
    """Commits that changed a file, among the last ones, and the time of the newest (Unix)."""

    commits: int
    last_change: int


@dataclass(frozen=True, slots=True)
class History:
    """The history of the files of one folder, by path."""

    state: HistoryState = "reading"
    files: Mapping[str, FileHistory] = field(default_factory=dict)
    dirty: frozenset[str] = frozenset()

    def recency(self, path: str, now: float | None = None) -> float:
        """1 for a file that changes today or is not committed, halved every 90 days, else 0."""
        if path in self.dirty:
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
        self.history = History()

    def refresh(self) -> None:
        """Read again, unless that is under way; returns at once."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._read, name="packhound-history", daemon=True
                )
                self._thread.start()

    def wait(self, timeout_s: float) -> History:
        """The history once it is read, or what there is after `timeout_s`."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)
        return self.history

    def _read(self) -> None:
        found = read_history(self._root)
        if found != self.history:
            self.history = found
            self._on_change()


def read_history(root: Path) -> History:
    """The history of a folder as of now; never raises."""
    if shutil.which("git") is None:
        return History("unavailable")
    prefix = _git(root, "rev-parse", "--show-prefix")
    if prefix is None:
        return History("untracked")
    log = _git(
        root,
        *("log", f"--max-count={_MAX_COMMITS}", f"--format={_COMMIT}%ct", "--name-only"),
        *("--no-renames", "--no-merges", "-z", "--relative", "--", "."),
    )
    if log is None:
        return History("untracked")
    status = None if _has_filters(root) else _git(root, *_STATUS)
    return History("ready", parse_log(log), parse_status(status or "", prefix.strip()))


def changed_lines(root: Path, paths: Sequence[str] = ()) -> dict[str, tuple[Lines, ...]]:
    """The 0-based lines of files on disk that differ from the last commit; {} where unknown."""
    if _has_filters(root):
        return {}
    diff = _git(
        root,
        *("diff", "HEAD", "--unified=0", "--relative", "--no-color", "--no-ext-diff"),
        *("--no-textconv", "--", *(paths or (".",))),
        timeout_s=_DIFF_TIMEOUT_S,
    )
    return parse_diff(diff or "")


def parse_log(log: str) -> dict[str, FileHistory]:
    """`git log --name-only -z`, newest commit first."""
    files: dict[str, FileHistory] = {}
    for commit in log.split(_COMMIT)[1:]:
        when, *names = (part.strip("\n") for part in commit.split("\0"))
        if not when.isdigit():
            continue
        for name in filter(None, names):
            known = files.get(name)
            files[name] = FileHistory(
                known.commits + 1 if known else 1, max(known.last_change if known else 0, int(when))
            )
    return files


def parse_status(status: str, prefix: str = "") -> frozenset[str]:
    """`git status --porcelain -z`: the paths below `prefix`, relative to it."""
    paths = (entry[3:] for entry in status.split("\0") if len(entry) > 3)
    return frozenset(path.removeprefix(prefix) for path in paths)


def parse_diff(diff: str) -> dict[str, tuple[Lines, ...]]:
    """The lines that a diff without context adds or changes, by path."""
    starts = [(match.start(), match[1]) for match in _FILE.finditer(diff)]
    ends = [*(start for start, _ in starts[1:]), len(diff)][: len(starts)]
    return {
        path: tuple(_hunks(_HUNK.finditer(diff, start, end)))
        for (start, path), end in zip(starts, ends, strict=True)
        if path != "/dev/null"
    }


def _has_filters(root: Path) -> bool:
    """Whether comparing files would run a program that the repository's own settings name."""
    return bool(_git(root, "config", "--local", "--get-regexp", r"^filter\.") or "")


def _hunks(found: Iterable[re.Match[str]]) -> Iterable[Lines]:
    for hunk in found:
        first, count = int(hunk[1]), int(hunk[2] or 1)
        yield max(0, first - 1), max(0, first + max(count, 1) - 2)


def _git(root: Path, *arguments: str, timeout_s: float = _TIMEOUT_S) -> str | None:
    """What git answers; None if it will not. No hook, pager, prompt or other program is run."""
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"}
    safe = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat")
    try:
        done = subprocess.run(
            ["git", "--no-pager", *safe, *arguments],
            cwd=root,
            env={**os.environ, **quiet},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
