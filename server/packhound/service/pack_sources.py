"""Records of other sources in packs: those that the setting `pack.sources` names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from packhound import pack
from packhound.core.errors import StoreError
from packhound.core.records import RECORD_TYPES, SOURCE_OF, Record, SourceName, byline, iso_date
from packhound.core.settings import Settings
from packhound.core.types import Hit, Query, Results
from packhound.redact import safe_line, without_secrets
from packhound.search import DEEP_SIMILARITY
from packhound.service.notes import FolderNotes
from packhound.sources import digest_of

if TYPE_CHECKING:
    from packhound.pack import Conversations, Pack, PackRequest

RecordSearch = Callable[[Query], Results]
_MAX_RECORDS, _MAX_SEARCHED = 3, 20
"""Of a source: those that a pack may show, and those among which they are."""
_MIN_SCORE = 0.25
"""Of words and meaning: what has less is mostly about something else."""
_MAX_CHARACTERS, _MAX_REDACTED = 800, 20_000
"""Of a record: those that a pack shows, and those that are searched for secrets first."""
_LIKE, _PROMPT_CHARACTERS = 0.5, 100
"""Of an earlier prompt whose pack is named: least similarity, in words and meaning, and length."""
_KINDS_IN_NOTE = ("query", "pick", "pack", "edit")
"""Kinds of episodes that only say what was asked for; a note names the last pack."""


class PackRecords(NamedTuple):
    """The request for the code of a pack, with room left for what the sources say of it.

    `records` are the best of each source, `has_notes` says if notes on the code are added, and
    `problems` name sources that are off.
    """

    request: PackRequest
    records: Mapping[SourceName, Sequence[Record]]
    has_notes: bool
    problems: Sequence[str]


def choose_records(
    request: PackRequest,
    settings: Settings,
    notes: FolderNotes,
    search: RecordSearch,
    conversations: Conversations,
) -> PackRecords:
    """Return what the sources chosen by the settings have, but for what a conversation has had."""
    sent = conversations.sent_tiers(request.conversation)
    names = [name for name in settings.pack.sources if name != "notes" and request.prompt.strip()]
    problems = [switched_off(name) for name in names if not settings.sources.has(name)]
    near = records_near(request.prompt, names, settings, search)
    unsent = {name: [r for r in best if _key(r) not in sent] for name, best in near.items()}
    records = {name: best for name, best in unsent.items() if best}
    has_notes = False
    if settings.sources.notes and "notes" in settings.pack.sources:
        try:
            has_notes = any(note.anchors for note in notes.notebook.all())
        except StoreError as problem:
            problems.append(str(problem))
    n_sources = len(records) + has_notes
    reserved = pack.reserve_sections(request, n_sources) if n_sources else request
    return PackRecords(reserved, records, has_notes, problems)


def add_records(
    packed: Pack,
    request: PackRequest,
    chosen: PackRecords,
    notes: FolderNotes,
    conversations: Conversations,
) -> Pack:
    """Return a pack with what was chosen for it, but for what it shows as code."""
    packed = replace(packed, remarks=(*packed.remarks, *chosen.problems))
    on_code = [pack.Section("notes", notes.in_pack(packed))] if chosen.has_notes else []
    by_text = {
        name: {_text(record): record for record in best if not _is_in(packed, record)}
        for name, best in chosen.records.items()
    }
    sections = [*on_code, *(pack.Section(name, [*texts]) for name, texts in by_text.items())]
    packed, taken = pack.add_sections(packed, request, sections)
    in_pack = [
        by_text[section.source][text]
        for section in taken
        if section.source in by_text
        for text in section.texts
    ]
    if in_pack:
        conversations.remember(request.conversation, [(_key(record), 0) for record in in_pack])
    return packed


def switched_off(name: str) -> str:
    """Return that a source is off, and how to switch it on."""
    return f"'{name}' is switched off: set sources.{name}.enabled to true"


def records_near(
    prompt: str, names: Sequence[SourceName], settings: Settings, search: RecordSearch
) -> dict[SourceName, list[Record]]:
    """Return what sources have that is near a prompt, the best first; of those that are on."""
    return {name: _best(name, prompt, search) for name in filter(settings.sources.has, names)}


def _best(name: SourceName, prompt: str, search: RecordSearch) -> list[Record]:
    """Return the records of a source that are near a prompt, the best first."""
    types = tuple(kind for kind in RECORD_TYPES if SOURCE_OF[kind] == name)
    hits = search(Query(prompt, limit=_MAX_SEARCHED, types=types)).hits
    near = (hit.record for hit in hits if hit.record and _similarity(hit) >= _MIN_SCORE)
    informative = (r for r in near if r.metadata.get("kind") not in _KINDS_IN_NOTE)
    return [*islice(informative, _MAX_RECORDS)]


def _similarity(hit: Hit) -> float:
    """Return the score of a record without the deep model's part, which is not always there."""
    return sum(s.contribution for s in hit.why if s.signal != DEEP_SIMILARITY)


def _is_in(packed: Pack, record: Record) -> bool:
    """Return True if the code of a pack shows the line of a record."""
    return any(
        item.path == record.path and item.start_line < record.line <= item.end_line + 1
        for item in packed.items
    )


def _key(record: Record) -> tuple[str, bytes]:
    return record.reference, digest_of(record)


def _text(record: Record) -> str:
    """Return a record as its type, title, author, day and reference, and how its text begins."""
    by = f"{author}, " if (author := byline(record.metadata)) else ""
    origin = f"({by}{iso_date(record.date)}, {record.reference})"
    safe = without_secrets(record.text[:_MAX_REDACTED])
    # A secret in the line that is cut could be half of one, which none would know.
    checked_lines = safe.splitlines()[: -1 if len(record.text) > _MAX_REDACTED else None]
    lines = [line.rstrip() for line in checked_lines if line.strip()]
    text = "\n".join(lines)
    cut = f"{text[:_MAX_CHARACTERS]}..." if len(text) > _MAX_CHARACTERS else text
    return "\n".join((safe_line(f"{record.type} {record.title} {origin}"), cut)).strip()


def earlier_pack(hits: Iterable[Hit]) -> list[str]:
    """Return a note on the best of some episodes that is a pack for a like prompt."""
    for hit in hits:
        record = hit.record
        if record and record.metadata.get("kind") == "pack" and _similarity(hit) >= _LIKE:
            result = str(record.metadata.get("result") or "")
            packed_prompt = record.title.removeprefix("pack: ")[:_PROMPT_CHARACTERS]
            when = f"on {iso_date(record.date)}{', ' if result else ''}{result}"
            return [safe_line(f"packed before for '{packed_prompt}' {when}")]
    return []
