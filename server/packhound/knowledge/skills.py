"""Skills as a source: SKILL.md folders of the workspace, and skills that were recorded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec.structs import asdict, replace

from packhound.core.errors import SettingsError
from packhound.core.file_lock import locked
from packhound.core.log import log
from packhound.core.private_file import append_private, make_private_folder, read_private
from packhound.core.records import Record, SourceName
from packhound.knowledge.skill_files import MIN_SCORE, RecordedSkill, read_skill, recorded_skill
from packhound.knowledge.text_files import TextFile, TextFiles, WorkspaceTexts, distinct

SKILLS_FILE = "skills.jsonl"


class SkillsSource(TextFiles):
    """SKILL.md of the workspace, and the recorded skills that succeed more often than not."""

    name: SourceName = "skills"

    def __init__(self, workspace: WorkspaceTexts, recorded: Path) -> None:
        super().__init__(workspace)
        self._recorded = recorded
        self._problems: tuple[str, ...] = ()

    def is_document_outside(self, path: str) -> bool:
        """Return True for the name of a skill's file."""
        return PurePosixPath(path).name == "SKILL.md"

    def parse(self, file: TextFile) -> Iterable[Record]:
        """Return the skill of a file. Raises ValueError for one that breaks the format."""
        return read_skill(file)

    def version(self) -> object:
        """Return what differs once a skill changed or was recorded."""
        try:
            status = self._recorded.stat()
        except OSError:
            return super().version(), None
        return super().version(), status.st_mtime_ns, status.st_size

    def records(self) -> list[Record]:
        """Return all skills but those that fail more often than they succeed."""
        skills, self._problems = read_recorded(self._recorded)
        good = (skill.record() for skill in skills.values() if skill.success_score >= MIN_SCORE)
        return distinct([*super().records(), *good])

    def problems(self) -> tuple[str, ...]:
        """Return the files and lines that are no skills."""
        return (*super().problems(), *self._problems)


def read_recorded(path: Path) -> tuple[dict[str, RecordedSkill], tuple[str, ...]]:
    """Return the last line of each name, and what is wrong with the others.

    Raises StoreError where the file cannot be read.
    """
    skills: dict[str, RecordedSkill] = {}
    problems = []
    for number, line in enumerate((read_private(path) or b"").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            skill = recorded_skill(json.loads(line.decode()))
        except (SettingsError, ValueError, RecursionError) as error:
            problems.append(f"'{path}' line {number} is skipped: {error}")
            log.warning("%s", problems[-1])
            continue
        skills[skill.name] = skill
    return skills, tuple(problems)


def record_skill(path: Path, values: Mapping[str, object]) -> dict[str, Any]:
    """Append a skill and return it; of one that there is, the uses and the score go on.

    A score given is that of this use. Raises SettingsError or StoreError.
    """
    skill = recorded_skill({**values})
    make_private_folder(path.parent)
    with locked(path.with_suffix(".lock")):
        row = asdict(_next_use(skill, read_recorded(path)[0].get(skill.name)))
        append_private(path, json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    return row


def _next_use(skill: RecordedSkill, before: RecordedSkill | None) -> RecordedSkill:
    """Return a skill after one use more."""
    if before is not None:
        n = max(1, before.usage_count)
        lists = {key: v for key, v in asdict(skill).items() if v and isinstance(v, tuple)}
        score = round((before.success_score * n + skill.success_score) / (n + 1), 4)
        return replace(before, **lists, success_score=score, usage_count=n + 1)
    day = datetime.now(timezone.utc).date().isoformat()
    return replace(skill, usage_count=max(1, skill.usage_count), created_at=day)
