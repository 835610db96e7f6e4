"""Git's history as a source: the last commits of the current branch, without their diffs."""

from __future__ import annotations

import re
import secrets
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from packhound.core.records import Record, SourceName
from packhound.git import OPTIONS, Repository, open_repository, stream
from packhound.knowledge.text_files import WorkspaceTexts
from packhound.sources import Source

MAX_COMMITS = 5_000
_TIMEOUT_S, _DIFF_TIMEOUT_S = 30.0, 2.0
_MARK, _FIELD = (f"\x1e{secrets.token_hex(8)}{end}" for end in "\x1e\x1f")
"""Chosen anew in each process, so that no message or file can hold them and forge a commit."""
_COMMIT_ID = re.compile(r"[0-9a-f]{40,64}")
_LOG = (
    *("log", f"--max-count={MAX_COMMITS}", "--name-only", "-z", "--no-renames", "--relative"),
    f"--format={_MARK}%H{_FIELD}%ct{_FIELD}%an{_FIELD}%s{_FIELD}%b{_FIELD}",
)
_MAX_PATHS = 200
"""Touched paths of a commit that are indexed."""
_MAX_LINKS = 20
_MAX_REMEMBERED = 1_000


class CommitsSource(Source):
    """Commits with subject, body and touched paths; those shown name their code that is left."""

    name: SourceName = "commits"

    def __init__(self, root: Path, workspace: WorkspaceTexts) -> None:
        self._root, self._workspace = root, workspace
        self._repository: Repository | None = None
        self._problem = ""
        self._late: list[str] = []
        self._added: dict[str, Mapping[str, frozenset[str]]] = {}

    def version(self) -> object:
        """Return what differs after each commit and checkout."""
        if self._repository is None or self._repository.state != "ready":
            self._repository = open_repository(self._root)
            state = self._repository.state
            self._problem = "" if state == "ready" else f"there is no history: git is {state} here"
        return self._repository.state, self._repository.stamp()

    def records(self) -> Iterable[Record]:
        """Return the last commits of the current branch that touch the folder."""
        self._late = []
        commits = [*read_commits(self._stream(*_LOG, "--", ".", timeout_s=_TIMEOUT_S))]
        # Where git was stopped, the last commit may be cut.
        return commits[:-1] if self._late else commits

    def annotate(self, records: Sequence[Record]) -> list[Record]:
        """Return commits with the code that has lines of theirs to this day."""
        unread = [record.id for record in records if record.id not in self._added]
        if unread:
            arguments = ("show", f"--format={_MARK}%H", *OPTIONS, *unread)
            text = "".join(self._stream(*arguments, timeout_s=_DIFF_TIMEOUT_S))
            if len(self._added) > _MAX_REMEMBERED:
                self._added.clear()
            for block in text.split(_MARK)[1:]:
                commit, _, patch = block.partition("\n")
                self._added[commit] = added_lines(patch)
        return [self._with_code(record) for record in records]

    def problems(self) -> Sequence[str]:
        """Return why there is no history, or what took git too long."""
        return (*filter(None, (self._problem,)), *dict.fromkeys(self._late))

    def _stream(self, *arguments: str, timeout_s: float) -> Iterator[str]:
        return stream(self._root, *arguments, timeout_s=timeout_s, on_timeout=self._late.append)

    def _with_code(self, record: Record) -> Record:
        added = self._added.get(record.id) or {}
        code = (
            ref for path, lines in added.items() for ref in self._workspace.code_with(path, lines)
        )
        return record._replace(metadata={**record.metadata, "code": [*islice(code, _MAX_LINKS)]})


def read_commits(pieces: Iterable[str]) -> Iterator[Record]:
    """Yield the commits of a log in pieces."""
    for block in "".join(pieces).split(_MARK)[1:]:
        identity, date, author, subject, body, names = (*block.split(_FIELD, 5), *[""] * 5)[:6]
        if not date.isdigit() or not _COMMIT_ID.fullmatch(identity):
            continue
        paths = [name for part in names.split("\0") if (name := part.strip("\n"))]
        text = "\n".join((body.strip(), *paths[:_MAX_PATHS])).strip()
        metadata = {"author": author, "paths": paths[:_MAX_PATHS]}
        yield Record(identity, "commit", subject, text, float(date), metadata=metadata)


def added_lines(patch: str) -> dict[str, frozenset[str]]:
    """Return the distinct lines, without indentation, that a patch adds to each path."""
    added: defaultdict[str, set[str]] = defaultdict(set)
    path = ""
    for line in patch.splitlines():
        if line.startswith("+++ "):
            path = line[4:].removeprefix("b/") if line != "+++ /dev/null" else ""
        elif line.startswith("+") and path and any(map(str.isalnum, line)):
            added[path].add(line[1:].strip())
    return {path: frozenset(lines) for path, lines in added.items()}
