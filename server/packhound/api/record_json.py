"""Records of sources beside code as JSON objects, without their secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from packhound.core.records import CODE, NoteMark, Record, iso_date, read_iso_date
from packhound.core.types import Hit
from packhound.redact import safe_line, without_secrets


def source_json(hit: Hit) -> dict[str, object]:
    """Return where a hit comes from, what a record has that code has not, and notes on code."""
    fields: dict[str, object] = {"source": hit.source, "type": hit.node.kind}
    if hit.record is not None:
        name, line = safe_line(hit.node.qualname), safe_line(hit.explanation().line)
        suffix = f"#{name}" if name else f":{hit.node.span.start_line + 1}"
        ref = f"{hit.node.path}{suffix}" if hit.node.path else ""
        fields |= {"name": name, "qualname": name, "ref": ref, "line": line}
        fields |= record_json(hit.record)
    if hit.notes:
        notes = ({**record_json(note.record), "state": note.state} for note in hit.notes)
        fields["notes"] = [*notes]
    return fields


def record_of(row: Mapping[str, Any]) -> Record | None:
    """Return the record of a hit's object, None for code."""
    if row.get("source", CODE) == CODE:
        return None
    return _record(row)._replace(path=row["path"] or None, line=row["start_line"])


def marks_of(row: Mapping[str, Any]) -> tuple[NoteMark, ...]:
    """Return the notes on the code of a hit's object."""
    return tuple(NoteMark(_record(note), note["state"]) for note in row.get("notes", ()))


def _record(row: Mapping[str, Any]) -> Record:
    return Record(
        id=row["id"],
        type=row["type"],
        title=row["title"],
        text=row["text"],
        date=read_iso_date(row["date"]) or 0.0,
        tags=tuple(row["tags"]),
        metadata=row["metadata"],
    )


def record_json(record: Record) -> dict[str, object]:
    """Return a record of a source beside code, without secrets."""
    return {
        "id": safe_line(record.id),
        "type": record.type,
        "reference": safe_line(record.reference),
        "title": safe_line(record.title),
        "text": without_secrets(record.text),
        "date": iso_date(record.date),
        "tags": [safe_line(tag) for tag in record.tags],
        "metadata": without_secrets(record.metadata),
    }
