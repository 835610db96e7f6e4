"""Episodes: what was asked, packed, picked, edited, run and decided, and what came of it.

An append-only file of JSON lines in the user's data folder, bounded, written without secrets. The
last line of an id counts, so that a result is added by a line more.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import msgspec

from packhound.core.errors import StoreError, os_error_as
from packhound.core.file_lock import locked
from packhound.core.private_file import (
    append_private,
    make_private_folder,
    read_private,
    stat_private,
    write_private_atomic,
)
from packhound.core.records import Record, SourceName
from packhound.knowledge.session_logs import SessionLogs
from packhound.knowledge.text_files import WorkspaceTexts
from packhound.redact import without_secrets

EpisodeKind = Literal["query", "pack", "pick", "edit", "run", "decision"]
ACCEPTED, REJECTED = "accepted", "rejected"
"""Results that a client may give an episode; a pick also has its rank."""
EPISODES_FILE = "episodes.jsonl"
MAX_EPISODES, MAX_BYTES = 10_000, 20_000_000
_KEPT = 0.9
"""Share of a full file that stays, so that not every episode rewrites it."""
MAX_EPISODE_TEXT, _MAX_REFERENCES, _MAX_TITLE = 4_000, 20, 200


@dataclass(frozen=True, slots=True)
class Episode:
    """An event with the code that it named, and its result, empty while unknown."""

    id: str
    time: float
    kind: EpisodeKind
    text: str
    references: tuple[str, ...] = ()
    result: str = ""
    conversation: str = ""

    def record(self) -> Record:
        """Return the episode as a record of a source."""
        title = (self.text.strip().splitlines() or [""])[0][:_MAX_TITLE]
        names = ("kind", "references", "result", "conversation")
        return Record(
            self.id,
            "episode",
            f"{self.kind}: {title}",
            "\n".join((self.text, *self.references)),
            self.time,
            metadata={name: getattr(self, name) for name in names},
        )


def new_episode(
    kind: EpisodeKind,
    text: str,
    references: Iterable[str] = (),
    result: str = "",
    conversation: str = "",
) -> Episode:
    """Return an episode of this moment, cut to moderate length."""
    names = tuple(dict.fromkeys(references))[:_MAX_REFERENCES]
    identity = secrets.token_hex(6)
    text = text[:MAX_EPISODE_TEXT]
    return Episode(identity, time.time(), kind, text, names, result, conversation)


class EpisodeLog:
    """The episodes of one workspace. Any thread may call; methods raise StoreError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._counted = (0, 0, 0)
        """Inode and size of the file when its lines were counted, and how many they were."""

    def version(self) -> object:
        """Return what differs once any process wrote."""
        status = stat_private(self._path)
        return status and (status.st_mtime_ns, status.st_size)

    def append(self, episode: Episode) -> None:
        """Write an episode, or what became of that of its id, without secrets."""
        row = without_secrets({**asdict(episode), "id": "", "time": 0})
        row |= {"id": episode.id, "time": round(episode.time, 3)}
        make_private_folder(self._path.parent)
        with locked(self._lock):
            append_private(self._path, json.dumps(row, ensure_ascii=False).encode() + b"\n")
            self._trim()

    def read(self) -> list[Episode]:
        """Return the episodes, the newest first; a broken line is skipped."""
        episodes: dict[str, Episode] = {}
        for line in (read_private(self._path) or b"").splitlines():
            with suppress(ValueError, RecursionError):
                episode = msgspec.json.decode(line, type=Episode, strict=False)
                episodes.pop(episode.id, None)
                episodes[episode.id] = episode
        return [*episodes.values()][::-1]

    def clear(self) -> int:
        """Delete all episodes; return how many there were."""
        if stat_private(self._path) is None:
            return 0
        with locked(self._lock):
            n = len(self.read())
            self._path.unlink(missing_ok=True)
        return n

    @property
    def _lock(self) -> Path:
        return self._path.with_suffix(".lock")

    def _count(self) -> tuple[int, int]:
        """Return the bytes and lines of the file, of which only what is new is read."""
        status, (inode, size, n_lines) = stat_private(self._path), self._counted
        if status is None:
            return 0, 0
        if status.st_ino != inode or status.st_size < size:
            size = n_lines = 0
        n_lines += (read_private(self._path, start=size) or b"").count(b"\n")
        self._counted = status.st_ino, status.st_size, n_lines
        return status.st_size, n_lines

    def _trim(self) -> None:
        """Drop the oldest lines where there are too many."""
        n_bytes, n_lines = self._count()
        if n_lines <= MAX_EPISODES and n_bytes <= MAX_BYTES:
            return
        lines = (read_private(self._path) or b"").splitlines(keepends=True)
        del lines[: -int(MAX_EPISODES * _KEPT)]
        while lines and sum(map(len, lines)) > MAX_BYTES * _KEPT:
            del lines[: len(lines) // 10 + 1]
        with os_error_as(StoreError, f"'{self._path}' cannot be written"):
            write_private_atomic(self._path, b"".join(lines))


class EpisodesSource(SessionLogs):
    """Episodes of a workspace, and the agents' session logs that a setting names."""

    name: SourceName = "episodes"

    def __init__(self, log: EpisodeLog, workspace: WorkspaceTexts, root: Path) -> None:
        super().__init__(workspace, root)
        self._log = log

    def version(self) -> object:
        """Return what differs once an episode was written or a log changed."""
        return self._log.version(), super().version()

    def records(self) -> list[Record]:
        """Return the episodes and the turns of sessions."""
        return [*(episode.record() for episode in self._log.read()), *super().records()]
