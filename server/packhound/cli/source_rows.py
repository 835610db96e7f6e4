"""Figures of the deep model and of the sources beside code, in words."""

from __future__ import annotations

from packhound.core.records import Record, byline, iso_date
from packhound.core.status import SourceRow, Status
from packhound.redact import safe_line


def source_counts(state: Status) -> str:
    """Return the number of nodes of each source that has any."""
    counts = {"Code": state.nodes, **{r.name.capitalize(): r.records for r in state.sources}}
    parts = [f"{name} {n:,}" for name, n in counts.items() if n]
    return f"{', '.join(parts)}, total {sum(counts.values()):,}"


def source_line(row: SourceRow) -> str:
    """Return the records of a source, the date of the newest, and its problems."""
    newest = f", newest of {iso_date(row.changed)}" if row.changed else ""
    return "; ".join((f"{row.records:,} records{newest}", *row.problems))


def beside_code(state: Status) -> dict[str, str]:
    """Return what the deep model has read in advance, if it does, and each source."""
    rows = {row.name: source_line(row) for row in state.sources}
    if state.deep_vectors is None:
        return rows
    n_read, n_nodes = state.deep_vectors
    return {"deep vectors": f"{n_read:,} of {n_nodes:,}", **rows}


def source_problems(state: Status) -> list[str]:
    """Return the problems of all sources, a line each."""
    return [f"{row.name}: {problem}" for row in state.sources for problem in row.problems]


def note_line(note: Record) -> str:
    """Return a note on code in one line, of a shared one with its author."""
    by = f" ({byline(note.metadata)})" if note.metadata.get("shared") else ""
    return safe_line(" ".join(f"{note.type} {note.title}{by}: {note.text}".split()))
