"""Notes as front ends show them, and the requests that read and write them.

Text leaves without secrets and with hidden characters made visible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, TypeAlias

from packhound.api.json_codec import Json
from packhound.api.schema import QUERY
from packhound.api.tools.references import resolve
from packhound.api.tools.text import rows_in
from packhound.core.errors import SettingsError
from packhound.core.parameters import Parameter, array, choice, text
from packhound.core.records import iso_date
from packhound.core.types import Query
from packhound.knowledge import EPISODE_KINDS, EPISODE_RESULTS, MAX_EPISODE_TEXT
from packhound.memory import NOTE_TYPES, RECORD_TYPE, Note, NoteType, Resolution, diff, iso_time
from packhound.redact import safe_line, without_secrets
from packhound.service import Engine

Handler: TypeAlias = "Callable[[Engine, Mapping[str, Any]], Json]"

_NAME_OF = {"insight": "key", "decision": "topic", "stash": "name"}
NOT_FOUND = "not_found"
_MAX_LISTED, _MAX_HITS = 1_000, 10


def add_note(engine: Engine, values: Mapping[str, Any]) -> Json:
    """Write a note of the type under `type`, on the code under `code`. Raises SettingsError."""
    kind = _type_in(values)
    positions = []
    for reference in _references_in(values):
        path, line = resolve(engine, reference)
        if line is None:
            raise SettingsError(f"'{reference}' names a file; add #NAME or :LINE of the code")
        positions.append((path, line))
    note = engine.notes.add(kind, values, positions)
    if kind == "decision":
        engine.sources.episodes.record_decision(note)
    return note_row(engine, note)


def change_note(engine: Engine, values: Mapping[str, Any]) -> Json:
    """Change fields of the note under `id`. Raises SettingsError."""
    changes = {key: value for key, value in values.items() if key != "id"}
    note = engine.notes.notebook.change(_id_in(values), changes)
    return note_row(engine, note) if note else {"status": NOT_FOUND}


def forget_note(engine: Engine, values: Mapping[str, Any]) -> Json:
    """Delete the note under `id`."""
    deleted = engine.notes.notebook.delete(_id_in(values))
    return {"status": "deleted" if deleted else NOT_FOUND}


def list_notes(engine: Engine, values: Mapping[str, Any]) -> Json:
    """Return all notes, the newest first, or those of one type; at most `limit`."""
    kinds = [_type_in(values)] if values.get("type") else []
    notes = engine.notes.notebook.all(kinds)[: _limit_in(values, _MAX_LISTED)]
    return {"notes": [note_row(engine, note) for note in notes]}


def show_note(engine: Engine, values: Mapping[str, Any]) -> Json:
    """Return the note under `id` with what changed in its code since."""
    note = engine.notes.notebook.get(_id_in(values))
    if note is None:
        return {"status": NOT_FOUND}
    view = engine.notes.view()
    resolutions = engine.notes.notebook.resolutions(note)
    changes = [
        diff(anchor, resolution, view) if resolution.state else ""
        for anchor, resolution in zip(note.anchors, resolutions, strict=True)
    ]
    row = note_row(engine, note)
    row["code"] = [
        {**_code_row(resolution), "diff": without_secrets(change)}
        for resolution, change in zip(resolutions, changes, strict=True)
    ]
    return row


def search_notes(engine: Engine, values: Mapping[str, Any]) -> Json:
    """Return the notes that answer `query`, the best first."""
    kinds = [_type_in(values)] if values.get("type") else NOTE_TYPES
    types = tuple(RECORD_TYPE[kind] for kind in kinds)
    text = QUERY["query"].read("'query'", values.get("query"))
    results = engine.search(Query(text, _limit_in(values, _MAX_HITS), types=types))
    notes = (engine.notes.notebook.get(hit.record.id) for hit in results.hits if hit.record)
    return {
        "notes": [note_row(engine, note) for note in notes if note],
        "problems": list(results.notes),
    }


EPISODE_FIELDS: dict[str, Parameter] = {
    "kind": choice("What happened.", EPISODE_KINDS),
    "text": text("What was asked, packed, run or decided.", MAX_EPISODE_TEXT, 1),
    "result": choice("What came of it, if it is known.", ("", *EPISODE_RESULTS)),
    "code": array("Code that it named, as path#Name or path:line.", text("Code.", 4_096)),
    "conversation": text("Conversation that it belongs to.", 200),
}
EPISODE_DEFAULTS: dict[str, Any] = {"result": "", "code": (), "conversation": ""}


def record_episode(engine: Engine, values: Mapping[str, Any]) -> Json:
    """Write an episode, or the result of the last one of its kind and text.

    Raises SettingsError for a bad field or where episodes are off.
    """
    row = {
        name: parameter.read(f"'{name}'", values.get(name, EPISODE_DEFAULTS.get(name)))
        for name, parameter in EPISODE_FIELDS.items()
    }
    kind, words, result, code, conversation = row.values()
    episode = engine.sources.episodes.record(kind, words, code, result, conversation)
    return {"id": episode.id, "kind": episode.kind, "result": episode.result}


def recall_note(engine: Engine, kind: NoteType, name: str, limit: int) -> Json:
    """Return the insight or stash of a name, else those nearest in meaning."""
    recalled = engine.notes.recall(kind, name, limit, engine.search)
    rows = [note_row(engine, note) for note in recalled.notes]
    answer: Json = {"results": rows}
    if recalled.match_type:
        answer["match_type"] = recalled.match_type
    if recalled.message:
        answer["message"] = without_secrets(recalled.message)
    if recalled.problems:
        answer["notes"] = list(recalled.problems)
    return answer


def note_row(engine: Engine, note: Note) -> Json:
    """Return a note for people and agents: its fields, its author, and where its code is now."""
    fields = {name: without_secrets(value) for name, value in note.fields.items()}
    return {
        "id": note.id,
        "type": note.type,
        **fields,
        "author": safe_line(note.author),
        "created_at": iso_time(note.created_at),
        "date": iso_date(note.created_at),
        "tags": [safe_line(tag) for tag in note.tags],
        "metadata": without_secrets(note.metadata),
        "expires_at": None if note.expires_at is None else iso_time(note.expires_at),
        "shared": note.shared,
        "state": engine.notes.notebook.state(note),
        "code": [_code_row(each) for each in engine.notes.notebook.resolutions(note)],
    }


def merge_notes(name: str, values: Mapping[str, Any], answers: Sequence[Json]) -> Json:
    """Return the answers of several folders to `list`, the newest first, or `search`, by rank."""
    limit = _limit_in(values, _MAX_LISTED if name == "list" else _MAX_HITS)
    notes = [[*rows_in(answer, "notes")] for answer in answers]
    rows = merge_by_rank(notes)
    if name == "list":
        rows.sort(key=lambda row: str(row["created_at"]), reverse=True)
    problems = dict.fromkeys(p for answer in answers for p in rows_in(answer, "problems"))
    return {"notes": rows[:limit], "problems": [*problems]}


def merge_by_rank(rankings: Sequence[Sequence[Json]]) -> list[Json]:
    """Return the rows of several folders: the first of each, then the second of each, ..."""
    return [row for rank in zip_longest(*rankings) for row in rank if row is not None]


def name_of(row: Mapping[str, Any]) -> str:
    """Return the key, topic or name of a note's row."""
    return str(row.get(_NAME_OF[row["type"]]) or "")


def _code_row(resolution: Resolution) -> Json:
    span = resolution.span
    return {
        "ref": safe_line(resolution.reference),
        "path": resolution.path,
        "state": resolution.state,
        "start_line": span.start_line + 1 if span else 0,
        "end_line": span.end_line + 1 if span else 0,
    }


def _limit_in(values: Mapping[str, Any], default: int) -> int:
    limit = values.get("limit")
    return default if limit is None else int(QUERY["limit"].read("'limit'", limit))


def _type_in(values: Mapping[str, Any]) -> NoteType:
    kind = values.get("type")
    for name in NOTE_TYPES:
        if kind == name:
            return name
    raise SettingsError(f"'type' is {kind!r:.80}; expected one of: {', '.join(NOTE_TYPES)}")


def _id_in(values: Mapping[str, Any]) -> str:
    identity = values.get("id")
    if not isinstance(identity, str) or not identity:
        raise SettingsError(f"'id' is {identity!r:.80}; must be the id of a note")
    return identity


def _references_in(values: Mapping[str, Any]) -> Sequence[str]:
    code = values.get("code") or ()
    if isinstance(code, str):
        code = (code,)
    is_list = isinstance(code, Iterable) and all(isinstance(each, str) for each in code)
    if not is_list:
        raise SettingsError(f"'code' is {code!r:.80}; must be a list of path#NAME or path:LINE")
    return [each for each in code if each]


MEMORY_REQUESTS: dict[str, Handler] = {
    "add": add_note,
    "change": change_note,
    "forget": forget_note,
    "list": list_notes,
    "show": show_note,
    "search": search_notes,
    "episode": record_episode,
}
"""The requests `packhound/memory/NAME`, and those of the command line to a running server."""
