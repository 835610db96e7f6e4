"""Sessions of coding agents: JSON lines that they write, read as one record a question.

Agents differ in how they nest a message; all have a role, a content of texts, mostly a time and the
folder that they worked in. What is anything else, such as a call of a tool, is passed over.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePath
from typing import Any

from packhound.core.records import Record
from packhound.core.types import FileStamp
from packhound.files import stamp_of
from packhound.knowledge.text_files import TextFile, TextFiles, WorkspaceTexts

_SUFFIX = ".jsonl"
_MAX_FILES = 500
"""The newest logs that are read."""
_MAX_TEXT, _MAX_TITLE = 20_000, 200


@dataclass(slots=True)
class _Turn:
    """A user's question on a line, and the last text of the agent's answer."""

    line: int
    question: str
    date: float
    answer: str = ""


class SessionLogs(TextFiles):
    """The sessions below some folders that worked in the workspace at `root`."""

    def __init__(self, workspace: WorkspaceTexts, root: Path) -> None:
        super().__init__(workspace)
        self._root = root

    def is_document(self, path: str) -> bool:
        """Return False: the workspace's own files are no sessions."""
        return False

    def is_document_outside(self, path: str) -> bool:
        """Return True for the name of a log."""
        return path.endswith(_SUFFIX)

    def parse(self, file: TextFile) -> Iterable[Record]:
        """Return the questions of a session."""
        return read_session(file, self._root)

    def walk(self, folder: Path) -> list[tuple[str, FileStamp]]:
        """Return the newest logs below a folder by their paths; links are not followed."""
        logs: list[tuple[str, FileStamp]] = []
        for parent, _, names in os.walk(folder):
            for name in filter(self.is_document_outside, names):
                path = Path(parent, name)
                try:
                    status = path.lstat()
                except OSError:
                    continue
                if stat.S_ISREG(status.st_mode):
                    logs.append((path.relative_to(folder).as_posix(), stamp_of(status)))
        return sorted(sorted(logs, key=lambda log: -log[1].mtime_ns)[:_MAX_FILES])


def read_session(file: TextFile, root: Path) -> Iterator[Record]:
    """Yield a record for each question of a session that names `root` as where it worked."""
    turns: list[_Turn] = []
    is_named = False
    for number, line in enumerate(file.lines, 1):
        row = _object_in(line)
        message = _message_in(row)
        folder = row.get("cwd") or message.get("cwd")
        if isinstance(folder, str):
            is_named = PurePath(folder).is_relative_to(root)
            if not is_named:
                return
        role, text = message.get("role"), _text_of(message.get("content"))
        if not text or _is_machine_made(row, text):
            continue
        if role == "user":
            turns.append(_Turn(number, text, _date_in(row) or file.date))
        elif role == "assistant" and turns:
            turns[-1].answer = text
    stem = PurePath(file.path).stem
    for turn in turns if is_named else ():
        yield Record(
            f"session-{stem}-{turn.line}",
            "episode",
            f"session: {turn.question.splitlines()[0][:_MAX_TITLE]}",
            f"{turn.question}\n\n{turn.answer}".strip()[:_MAX_TEXT],
            turn.date,
            file.path,
            turn.line,
            metadata={"kind": "session", "source_file": PurePath(file.path).name},
        )


def _object_in(line: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}


def _message_in(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the message of a line, which some agents wrap."""
    for key in ("message", "payload"):
        if isinstance(inner := row.get(key), dict):
            return inner
    return row


def _text_of(content: object) -> str:
    """Return the texts of a message; other parts, such as calls of tools, have none."""
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str)).strip()


def _is_machine_made(row: Mapping[str, Any], text: str) -> bool:
    """Return True for what agents put between, such as the environment, as if the user wrote it."""
    return bool(row.get("isMeta")) or (text.startswith("<") and text.endswith(">"))


def _date_in(row: Mapping[str, Any]) -> float | None:
    try:
        return datetime.fromisoformat(str(row.get("timestamp")).replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
