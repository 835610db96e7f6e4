"""Records of sources beside code as JSON objects, without their secrets."""

from __future__ import annotations

from packhound.core.records import Record, iso_date
from packhound.core.types import Hit
from packhound.redact import redact, safe_line, visible_text


def source_json(hit: Hit) -> dict[str, object]:
    """Return where a hit comes from, what a record has that code has not, and notes on code."""
    fields: dict[str, object] = {"source": hit.source, "type": hit.node.kind}
    if hit.record is not None:
        fields |= record_json(hit.record)
    if hit.notes:
        notes = ({**record_json(note.record), "state": note.state} for note in hit.notes)
        fields["notes"] = [*notes]
    return fields


def record_json(record: Record) -> dict[str, object]:
    """Return a record of a source beside code, without secrets."""
    return {
        "id": record.id,
        "type": record.type,
        "reference": record.reference,
        "title": safe_line(record.title),
        "text": visible_text(redact(record.text).text),
        "date": iso_date(record.date),
        "tags": [safe_line(tag) for tag in record.tags],
        "metadata": dict(record.metadata),
    }
