"""Records: what sources beside the code yield, and what a query asks of all sources.

Dates are seconds since 1970, in UTC where they are shown or read as YYYY-MM-DD.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from datetime import datetime, timezone
from math import inf
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

RecordType = Literal["knowledge", "note", "decision", "stash", "skill", "episode", "commit"]
RECORD_TYPES: tuple[RecordType, ...] = get_args(RecordType)

SourceName = Literal["knowledge", "skills", "notes", "episodes", "commits"]
SOURCE_NAMES: tuple[SourceName, ...] = get_args(SourceName)

SOURCE_OF: Mapping[RecordType, SourceName] = MappingProxyType(
    {
        "knowledge": "knowledge",
        "note": "notes",
        "decision": "notes",
        "stash": "notes",
        "skill": "skills",
        "episode": "episodes",
        "commit": "commits",
    }
)
"""The source that holds the records of a type."""

CODE = "code"
"""Name of the source of code, and the type of all its nodes."""

ALL = "all"
"""The type that stands for code and every source that is switched on."""

_AGO = re.compile(r"(\d{1,4})([hdwy])")
_SECONDS = {"h": 3_600, "d": 86_400, "w": 7 * 86_400, "y": 365 * 86_400}
_NO_METADATA: Mapping[str, object] = MappingProxyType({})


class Record(NamedTuple):
    """One document of a source.

    `id` is unique in its source. `title` weighs more than `text`; both are indexed. `path` is
    relative to the root or absolute and `line` 1-based, both for records that stand in a file.
    """

    id: str
    type: RecordType
    title: str
    text: str
    date: float = 0.0
    path: str | None = None
    line: int = 0
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, object] = _NO_METADATA

    @property
    def source(self) -> SourceName:
        """Name of the source."""
        return SOURCE_OF[self.type]

    @property
    def reference(self) -> str:
        """Identity of the record among all sources: its line in a file, else type and id."""
        return f"{self.path}:{self.line}" if self.path else f"{self.type}:{self.id}"


class NoteMark(NamedTuple):
    """A note on a hit: its record, and its state beside the code, empty while it is fresh."""

    record: Record
    state: str = ""


class Scope(NamedTuple):
    """The types and the time of what a query asks for; no type means code alone.

    `types` are code kinds, `code`, record types and `all`; dates are half open; `tags` means any of
    them.
    """

    types: tuple[str, ...] = ()
    since: float = -inf
    before: float = inf
    tags: tuple[str, ...] = ()

    @property
    def is_dated(self) -> bool:
        """True if only some dates are asked for."""
        return self.since > -inf or self.before < inf

    def holds_date(self, date: float) -> bool:
        """Return True if a date is among those asked for."""
        return self.since <= date < self.before

    @property
    def record_types(self) -> tuple[RecordType, ...]:
        """The types of records that are asked for."""
        return tuple(name for name in RECORD_TYPES if ALL in self.types or name in self.types)

    @property
    def sources(self) -> tuple[SourceName, ...]:
        """The sources beside code that hold such records."""
        chosen = {SOURCE_OF[name] for name in self.record_types}
        return tuple(name for name in SOURCE_NAMES if name in chosen)

    @property
    def has_code(self) -> bool:
        """True if code is asked for."""
        return not self.types or any(name not in RECORD_TYPES for name in self.types)


ALL_CODE = Scope()
"""What a query without filters asks for."""


def byline(metadata: Mapping[str, object]) -> str:
    """Return who wrote a record, and how it came here where that was not by this user."""
    author = str(metadata.get("author", ""))
    if owner := metadata.get("owner"):
        return f"{author}, pushed by {owner}"
    return f"shared by {author}" if metadata.get("shared") else author


def iso_date(date: float) -> str:
    """Return a date as YYYY-MM-DD, `-` for none."""
    try:
        return datetime.fromtimestamp(date, timezone.utc).date().isoformat() if date else "-"
    except (OverflowError, OSError, ValueError):
        return "-"


def read_iso_date(text: str) -> float | None:
    """Return the first moment of a day written as YYYY-MM-DD; None for any other text."""
    try:
        day = datetime.strptime(text, "%Y-%m-%d")
    except ValueError:
        return None
    return day.replace(tzinfo=timezone.utc).timestamp()


def read_date(text: str) -> float | None:
    """Return the moment of a day as YYYY-MM-DD, or of so long ago, as 5h, 3d, 2w or 1y."""
    if ago := _AGO.fullmatch(text):
        return time.time() - int(ago[1]) * _SECONDS[ago[2]]
    return read_iso_date(text)
