"""Conversation logs: one record per phase, or one of the whole log where it has no phases.

# Conversation: OAuth
Date: 2025-12-15
Query: How do we add OAuth?
## Phase 1: Assessment
...
## Phase 9: Response
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from packhound.core.records import Record, read_iso_date
from packhound.knowledge.text_files import TextFile

_DAY_IN_NAME = re.compile(r"(?:^|[-_ ])(\d{4}-\d{2}-\d{2})$")
_LIKE_DAY = re.compile(r"(?:^|[-_ ])((?:19|20)\d\d-(?:0[1-9]|1[0-2])-[0-3]\d)$")
_TOPIC = re.compile(r"#\s*Conversation:\s*(.*?)\s*", re.IGNORECASE)
_FIELD = re.compile(r"(Date|Query):\s*(.*?)\s*")
_PHASE = re.compile(r"## Phase ([1-9]):\s*(.*?)\s*")


@dataclass
class _Phase:
    """A section of a log with its heading."""

    name: str
    line: int
    lines: list[str] = field(default_factory=list)


def is_log(name: str, head: Sequence[str]) -> bool:
    """Return True if a file is a conversation log, by its name or by its first lines."""
    if _day_in(PurePath(name).stem):
        return True
    return any(_TOPIC.fullmatch(line) or _PHASE.fullmatch(line) for line in map(str.rstrip, head))


def wrong_day(name: str) -> str:
    """Return the day that the name of a file ends with if it is in no calendar, else ""."""
    stem = PurePath(name).stem
    match = _LIKE_DAY.search(stem)
    return match[1] if match and not _day_in(stem) else ""


def read_log(file: TextFile) -> list[Record]:
    """Return the records of a log; a heading that is no phase is text of the phase before it."""
    header: dict[str, str] = {}
    phases: dict[int, _Phase] = {}
    phase, preamble = _Phase("", 1), [""] * 0
    for number, line in enumerate(file.lines, 1):
        stripped = line.rstrip()
        if match := _PHASE.fullmatch(stripped):
            phase = phases.setdefault(int(match[1]), _Phase(match[2], number))
        elif phases:
            phase.lines.append(line)
        else:
            _read_header(stripped, header)
            preamble.append(line)
    return _records(file, header, phases, "".join(preamble).strip())


def _read_header(line: str, header: dict[str, str]) -> None:
    """Add the field of a line, if it is one; the first of a name counts."""
    if match := _TOPIC.fullmatch(line):
        header.setdefault("Topic", match[1])
    elif match := _FIELD.fullmatch(line):
        header.setdefault(match[1], match[2])


def _records(
    file: TextFile, header: dict[str, str], phases: dict[int, _Phase], text: str
) -> list[Record]:
    path = PurePath(file.path)
    day = _day_in(path.stem) or header.get("Date", "")
    date = read_iso_date(day)
    words = re.sub(r"[-_ ]+", " ", _DAY_IN_NAME.sub("", path.stem)).strip()
    topic = header.get("Topic") or words or path.stem
    metadata: dict[str, object] = {
        "source_file": path.name,
        "conversation_date": day if date is not None else "",
        "query": header.get("Query", ""),
    }
    log = Record(
        f"conv-{path.stem}", "knowledge", topic, text, date or 0.0, file.path, 1, metadata=metadata
    )
    if not phases:
        return [log] if text else []
    return [
        log._replace(
            id=f"{log.id}-phase{number}",
            title=f"{topic}: {phase.name}",
            text="".join(phase.lines).strip(),
            line=phase.line,
            metadata={**metadata, "phase_number": number, "phase_name": phase.name},
        )
        for number, phase in sorted(phases.items())
    ]


def _day_in(stem: str) -> str:
    """Return the day that a file name ends with, if it is one of the calendar."""
    match = _DAY_IN_NAME.search(stem)
    return match[1] if match and read_iso_date(match[1]) is not None else ""
