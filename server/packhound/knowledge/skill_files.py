"""Skills as text: SKILL.md in the open format of agents' skills, and lines of skills.jsonl."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from packhound.core.errors import SettingsError
from packhound.core.records import Record, read_iso_date
from packhound.core.typed import about, convert, fields_of, number, sized
from packhound.knowledge.text_files import TextFile

MIN_SCORE = 0.5
"""Skills that succeeded less often are kept, not found."""
_NAME = re.compile(r"[a-z0-9-]{1,64}")
_MAX_DESCRIPTION = 1_024
_FIELD = re.compile(r"([A-Za-z_-]+):\s*(.*?)\s*")
_FENCE = "---"

_Text: TypeAlias = Annotated[str, Meta(max_length=200)]
_Item: TypeAlias = Annotated[str, Meta(max_length=20_000)]
_Items: TypeAlias = Annotated[tuple[_Item, ...], Meta(max_length=100)]


class SkillFields(Struct):
    """Description of a skill; all but the name may be missing."""

    name: Annotated[_Text, Meta(min_length=1, description="Name of the skill.")]
    preconditions: Annotated[_Items, about("When it applies.")] = ()
    steps: Annotated[_Items, about("What to do, in order.")] = ()
    patch_templates: Annotated[_Items, about("Changes to make, as text.")] = ()
    verification: Annotated[_Items, about("How to see that it worked.")] = ()
    tags: Annotated[tuple[_Text, ...], sized("Tags to filter by.", 100)] = ()
    pattern_type: Annotated[_Text, about("Kind of pattern, such as bugfix.")] = ""
    success_score: Annotated[float, number("Share of the runs that succeeded.", 0, 1)] = 1.0


class RecordedSkill(SkillFields):
    """A line of skills.jsonl."""

    usage_count: Annotated[int, Meta(ge=0, le=1_000_000_000)] = 0
    created_at: Annotated[str, Meta(max_length=64)] = ""

    def record(self) -> Record:
        """Return the skill as a record of a source."""
        names = ("preconditions", "steps", "patch_templates", "verification")
        lists = {name.replace("_", " "): getattr(self, name) for name in names}
        return Record(
            f"recorded-{self.name}",
            "skill",
            self.name,
            "\n\n".join(f"{name}:\n" + "\n".join(items) for name, items in lists.items() if items),
            read_iso_date(self.created_at[:10]) or 0.0,
            tags=self.tags,
            metadata={
                "pattern_type": self.pattern_type,
                "success_score": self.success_score,
                "usage_count": self.usage_count,
            },
        )


def read_skill(file: TextFile) -> Iterator[Record]:
    """Yield the skill of a SKILL.md. Raises ValueError for one that breaks the format."""
    fields, body = _front_matter(file.lines)
    name, description = fields.get("name", ""), fields.get("description", "")
    folder = PurePath(file.path).parent.name
    if not _NAME.fullmatch(name):
        raise ValueError(f"name '{name:.80}' must be 1 to 64 of a-z, 0-9 and '-'")
    if folder and name != folder:
        raise ValueError(f"name '{name}' must be that of its folder, '{folder}'")
    if not 0 < len(description) <= _MAX_DESCRIPTION:
        raise ValueError(
            f"description has {len(description):,} characters; must have 1 to {_MAX_DESCRIPTION:,}"
        )
    names = ("license", "compatibility", "allowed-tools")
    metadata = {key: fields[key] for key in names if fields.get(key)}
    title = f"{name}: {description}"
    yield Record(name, "skill", title, body, file.date, file.path, 1, metadata=metadata)


def recorded_skill(row: object) -> RecordedSkill:
    """Return the skill of a line of skills.jsonl; other keys are ignored. Raises SettingsError."""
    if not isinstance(row, dict):
        raise SettingsError("must be an object")
    known = fields_of(RecordedSkill)
    return convert(RecordedSkill, {key: row[key] for key in row if key in known}, "")


def _front_matter(lines: Iterator[str]) -> tuple[dict[str, str], str]:
    """Return the fields between two `---`, one or several lines each, and the text after them."""
    fields: dict[str, str] = {}
    key = ""
    if next(lines, "").strip() != _FENCE:
        raise ValueError("it must begin with '---', 'name:' and 'description:'")
    for line in lines:
        if line.rstrip() == _FENCE:
            break
        if match := _FIELD.fullmatch(line.rstrip("\n")):
            key = match[1].lower()
            fields[key] = match[2].lstrip(">|+-").strip().strip("'\"")
        elif key and line.startswith((" ", "\t")):
            fields[key] = f"{fields[key]} {line.strip()}".strip()
    return fields, "".join(lines).strip()
