"""The commits that lines stem from, asked of `git blame` for the text that the user sees."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from packhound.core.line_history import LineHistory, LineState
from packhound.git.client import git, has_filters, open_repository
from packhound.text import is_notebook

LineRange: TypeAlias = tuple[int, int]
"""First and last line, 0-based."""

_TIMEOUT_S = 5.0
_LINE = re.compile(r"([0-9a-f]{40,64}) \d+ (\d+)")
_TIME = re.compile(r"committer-time (\d+)")


def line_histories(
    root: Path, path: str, text: bytes, ranges: Sequence[LineRange]
) -> list[LineHistory]:
    """Return the history of ranges of lines of a file, whose text may be unsaved. Never raises."""
    repository = open_repository(root)
    # Filters of the repository would be run on the text, and git has no text of cells.
    if repository.state != "ready" or is_notebook(path) or has_filters(root):
        state: LineState = "untracked" if repository.state == "untracked" else "unavailable"
        return [LineHistory(state)] * len(ranges)
    limits = [f"-L{first + 1},{last + 1}" for first, last in ranges]
    arguments = ("blame", "--porcelain", "--no-textconv", "--contents", "-", *limits, "--", path)
    tree = ("--work-tree=.",) if repository.is_bare else ()
    answer = git(root, *tree, *arguments, timeout_s=_TIMEOUT_S, stdin=text)
    if answer is None:
        is_committed = git(root, "cat-file", "-e", f"HEAD:./{path}") is not None
        return [LineHistory("unavailable" if is_committed else "untracked")] * len(ranges)
    commit_of, times = _parse(answer)
    return [_history(commit_of, times, *lines) for lines in ranges]


def _parse(answer: str) -> tuple[dict[int, str], dict[str, int]]:
    """Return the commit of each 0-based line, and the time of each commit."""
    commit_of: dict[int, str] = {}
    times: dict[str, int] = {}
    commit = ""
    for line in answer.split("\n"):
        if line.startswith("\t"):
            continue  # The text of a line, which could look like anything.
        if header := _LINE.match(line):
            commit = header[1]
            commit_of[int(header[2]) - 1] = commit
        elif time := _TIME.match(line):
            times[commit] = int(time[1])
    return commit_of, times


def _history(
    commit_of: dict[int, str], times: dict[str, int], first: int, last: int
) -> LineHistory:
    commits = {commit_of[line] for line in range(first, last + 1) if line in commit_of}
    committed = {commit for commit in commits if commit.strip("0")}
    state: LineState = "committed" if commits == committed else "not committed"
    last_change = max((times.get(commit, 0) for commit in committed), default=0)
    return LineHistory(state, len(committed), last_change)
