"""Skills as text: SKILL.md in the open format of agents' skills, and lines of skills.jsonl."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from packhound.core.errors import SettingsError
from packhound.core.parameters import Parameter, array, integer, number, text
from packhound.core.records import Record, read_iso_date
from packhound.knowledge.text_files import TextFile

MIN_SCORE = 0.5
"""Skills that succeeded less often are kept, not found."""
_MAX_TEXT, _MAX_USES = 20_000, 1_000_000_000
_NAME = re.compile(r"[a-z0-9-]{1,64}")
_MAX_DESCRIPTION = 1_024
_FIELD = re.compile(r"([A-Za-z_-]+):\s*(.*?)\s*")
_FENCE = "---"
_LIST_ITEM = text(_MAX_TEXT)

SKILL_FIELDS: dict[str, Parameter] = {
    "name": text(200, 1),
    "preconditions": array(_LIST_ITEM),
    "steps": array(_LIST_ITEM),
    "patch_templates": array(_LIST_ITEM),
    "verification": array(_LIST_ITEM),
    "tags": array(text(200)),
    "pattern_type": text(200),
    "success_score": number(0, 1),
    "usage_count": integer(0, _MAX_USES),
    "created_at": text(64),
}
"""What a line of skills.jsonl may have; all but `name` may be missing."""
SKILL_DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(("preconditions", "steps", "patch_templates", "verification", "tags"), ()),
    **{"pattern_type": "", "success_score": 1.0, "usage_count": 0, "created_at": ""},
}


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


def read_pattern(line: str) -> dict[str, Any]:
    """Return the fields of a line of skills.jsonl. Raises ValueError or SettingsError."""
    row = json.loads(line)
    if not isinstance(row, dict):
        raise SettingsError("must be an object")
    return check_pattern(row)


def check_pattern(row: Mapping[str, object]) -> dict[str, Any]:
    """Return the checked fields of a skill, with defaults. Raises SettingsError."""
    return {
        key: SKILL_DEFAULTS[key]
        if row.get(key) is None and key in SKILL_DEFAULTS
        else parameter.read(f"'{key}'", row.get(key))
        for key, parameter in SKILL_FIELDS.items()
    }


def pattern_record(row: Mapping[str, Any]) -> Record:
    """Return a skill that was recorded as a record."""
    names = ("preconditions", "steps", "patch_templates", "verification")
    parts = [f"{key.replace('_', ' ')}:\n" + "\n".join(row[key]) for key in names if row[key]]
    keys = ("pattern_type", "success_score", "usage_count")
    return Record(
        f"recorded-{row['name']}",
        "skill",
        row["name"],
        "\n\n".join(parts),
        read_iso_date(row["created_at"][:10]) or 0.0,
        tags=tuple(row["tags"]),
        metadata={key: row[key] for key in keys},
    )


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
