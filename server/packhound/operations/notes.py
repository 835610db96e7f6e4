"""Notes: insights, decisions and stashes on the code, written, recalled, listed and deleted.

What they return was written by people and agents before: it leaves without secrets, and in text
every line of it stands behind a mark, so that it cannot pass for a heading or a note of the tool's.
A note is of one folder; `memory/...` are the requests of editors and the command line.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from packhound import memory, service
from packhound.core.errors import SettingsError
from packhound.core.records import byline, iso_date
from packhound.core.typed import about, number, sized
from packhound.core.types import MAX_HITS, Query
from packhound.operations import fields
from packhound.operations.operation import Call, Json, Operation, Request
from packhound.operations.references import resolve
from packhound.operations.search import QUERY_CHARACTERS
from packhound.operations.text import MARK, Row, Text, cut, rows_in
from packhound.redact import safe_line, visible_line, without_secrets

NOT_FOUND = "not_found"
GROUP = "memory"
_TEAM_S = 1.0
"""Time that a recall waits for what others have pushed, to all folders together."""
_NAME_OF = {"insight": "key", "decision": "topic", "stash": "name"}
_AUTHOR = "agent"
_MAX_LISTED = 1_000
_LINES, _LINES_OF_SEVERAL = 30, 4
"""Lines of a note that is recalled alone, and of one of several."""

_Name = Annotated[str, Meta(max_length=memory.MAX_NAME)]
_Text = Annotated[str, Meta(max_length=memory.MAX_TEXT)]
_Limit = Annotated[int, number("Maximum number of notes.", 1, 20)]
_OnlyType = Annotated[memory.NoteType | None, about("Only notes of this type.")]
_Metadata = Annotated[Any, about("Object of JSON to keep with a stash.")]
_Expiry = Annotated[Any, about("When a stash is forgotten: YYYY-MM-DD, or a time.")]
_Id = Annotated[str, sized("Id of the note.", 64, 1)]


class _Written(Request):
    """Fields that all notes have."""

    tags: Annotated[fields.Words, about("Tags.")] = ()
    author: Annotated[_Name, about("Person or agent who wrote it.")] = ""
    code: fields.References = ()
    shared: Annotated[
        bool | None, about("Share it with the team, as a file in `.packhound/notes`.")
    ] = None


class Remember(_Written, kw_only=True):
    """An insight."""

    content: Annotated[_Text, Meta(min_length=1, description="What to remember.")]
    key: Annotated[_Name, about("Short name to recall it by.")] = ""


class Decide(_Written, kw_only=True):
    """A decision."""

    topic: Annotated[_Name, Meta(min_length=1, description="What was decided about.")]
    decision: Annotated[_Text, Meta(min_length=1, description="What was decided.")]
    reasoning: Annotated[_Text, about("Why.")] = ""


class Stash(_Written, kw_only=True):
    """The state of some work."""

    name: Annotated[_Name, Meta(min_length=1, description="Name to pop it by.")]
    summary: Annotated[
        _Text, Meta(min_length=1, description="State of the work: what is done, what is next.")
    ]
    files: Annotated[fields.Words, about("Files that it is about.")] = ()


class AddNote(_Written, kw_only=True):
    """A note of any type; its fields are those of the type."""

    type: Annotated[memory.NoteType, about("Type of the note.")]
    key: Annotated[_Name, about("Of an insight: its name.")] = ""
    content: Annotated[_Text, about("Of an insight: what to remember.")] = ""
    topic: Annotated[_Name, about("Of a decision: what it is about.")] = ""
    decision: Annotated[_Text, about("What was decided.")] = ""
    reasoning: Annotated[_Text, about("Why it was decided so.")] = ""
    name: Annotated[_Name, about("Of a stash: its name.")] = ""
    summary: Annotated[_Text, about("Of a stash: what is done, and what is next.")] = ""
    files: Annotated[fields.Words, about("Files that a stash is about.")] = ()
    metadata: _Metadata = None
    expires_at: _Expiry = None


class Recall(Request):
    """The key of an insight, or a question."""

    key: Annotated[_Name, Meta(min_length=1, description="Key, id or question.")]
    limit: _Limit = 5
    max_tokens: fields.MaxTokens = 400


class Pop(Request):
    """The name of a stash, or a question."""

    name: Annotated[_Name, Meta(min_length=1, description="Name, id or question.")]
    limit: _Limit = 5
    max_tokens: fields.MaxTokens = 400


class NoteId(Request):
    """The note of an id."""

    id: _Id


class ListNotes(Request):
    """All notes, or those of a type."""

    type: _OnlyType = None
    limit: Annotated[int, number("Maximum number of notes.", 1, _MAX_LISTED)] = _MAX_LISTED


class SearchNotes(Request):
    """A question about notes."""

    query: Annotated[str, sized("What to find.", QUERY_CHARACTERS)]
    type: _OnlyType = None
    limit: Annotated[int, number("Maximum number of notes.", 1, MAX_HITS)] = 10


class ChangeNote(Request):
    """Fields of a note to change; a decision can only be deleted."""

    id: _Id
    content: Annotated[_Text | None, about("New content of an insight.")] = None
    name: Annotated[_Name | None, about("New name of a stash.")] = None
    summary: Annotated[_Text | None, about("New text of a stash.")] = None
    files: Annotated[fields.Words | None, about("New files of a stash.")] = None
    metadata: _Metadata = None
    expires_at: _Expiry = None


def add(call: Call, request: AddNote | Remember | Decide | Stash) -> Json:
    """Write a note on the code that it names. Raises SettingsError.

    Answer: The note.
    """
    values = _given(request)
    kinds: dict[type, memory.NoteType] = {Remember: "insight", Decide: "decision", Stash: "stash"}
    kind: memory.NoteType = kinds.get(type(request)) or values.pop("type")
    if call.is_agent:
        values["author"] = request.author or _AUTHOR
    root, references = root_to_write(call, request.code)
    positions = []
    for reference in references:
        target = resolve(root, reference)
        if target.line is None:
            raise SettingsError(f"'{reference}' names a file; add #NAME or :LINE of the code")
        positions.append((target.path, target.line))
    note = root.engine.notes.add(kind, values, positions)
    if kind == "decision":
        root.engine.sources.episodes.record_decision(note)
    return note_row(call, root, note)


def root_to_write(call: Call, code: Sequence[str]) -> tuple[service.Root, Sequence[str]]:
    """Return the folder that a note is of, and the references to its code within it.

    Raises SettingsError where there are several and none is named.
    """
    roots = [*call.roots]
    for reference in code if len(roots) > 1 else ():
        root, inner = call.roots.candidates(reference)[0]
        if inner != reference:
            only = call.roots.only(root)
            return root, [only.candidates(each)[0][1] for each in code]
    if len(roots) != 1:
        names = ", ".join(root.label for root in roots)
        raise SettingsError(f"argument 'root' is needed to write; expected one of: {names}")
    return roots[0], code


def change(call: Call, request: ChangeNote) -> Json:
    """Change fields of a note. Raises SettingsError.

    Answer: The note.
    """
    changes = {name: value for name, value in _given(request).items() if name != "id"}
    for root in call.roots:
        if note := root.engine.notes.change(request.id, changes):
            return note_row(call, root, note)
    return {"status": NOT_FOUND}


def forget(call: Call, request: NoteId) -> Json:
    """Delete a note, in whichever folder it is.

    Answer: `status`: `deleted` or `not_found`.
    """
    deleted = any(root.engine.notes.delete(request.id) for root in call.roots)
    return {"status": "deleted" if deleted else NOT_FOUND}


def list_(call: Call, request: ListNotes) -> Json:
    """Return the notes of all folders, the newest first.

    Answer: `notes`, each with its `state` and where its `code` is now, and `problems`.
    """
    kinds = [request.type] if request.type else []
    rows = [
        note_row(call, root, note)
        for root in call.roots
        for note in root.engine.notes.notebook.all(kinds)[: request.limit]
    ]
    rows.sort(key=lambda row: str(row["created_at"]), reverse=True)
    return {"notes": rows[: request.limit], "problems": []}


def show(call: Call, request: NoteId) -> Json:
    """Return a note with what changed in its code since.

    Answer: The note with the `diff` of its code.
    """
    for root in call.roots:
        if note := root.engine.notes.notebook.get(request.id):
            return _with_changes(call, root, note)
    return {"status": NOT_FOUND}


def _with_changes(call: Call, root: service.Root, note: memory.Note) -> Json:
    view = root.engine.notes.view()
    resolutions = root.engine.notes.notebook.resolutions(note)
    row = note_row(call, root, note)
    code = list[Json]()
    for anchor, resolution in zip(note.anchors, resolutions, strict=True):
        diff = memory.diff(anchor, resolution, view) if resolution.state else ""
        code.append({**_code_row(resolution), "diff": without_secrets(diff)})
    return {**row, "code": code}


def search(call: Call, request: SearchNotes) -> Json:
    """Return the notes that answer a question, the best of each folder first.

    Answer: `notes`, each with its `state` and where its `code` is now, and `problems`.
    """
    kinds = [request.type] if request.type else memory.NOTE_TYPES
    types = tuple(memory.RECORD_TYPE[kind] for kind in kinds)
    rankings, problems = [], dict[str, None]()
    for root in call.roots:
        results = root.engine.search(Query(request.query, request.limit, types=types), call.cancel)
        notebook = root.engine.notes.notebook
        notes = (notebook.get(hit.record.id) for hit in results.hits if hit.record)
        rankings.append([note_row(call, root, note) for note in notes if note])
        problems |= dict.fromkeys(results.notes)
    return {"notes": _by_rank(rankings)[: request.limit], "problems": [*problems]}


def recall(call: Call, request: Recall | Pop) -> Json:
    """Return the insight or stash of a name in any folder, else the nearest of all by rank.

    Answer: `results` and `match_type`, or a message where there is none.
    """
    kind: memory.NoteType = "stash" if isinstance(request, Pop) else "insight"
    name = request.name if isinstance(request, Pop) else request.key
    for root in call.roots:
        root.engine.notes.team.start_round()
    deadline, recalled = time.monotonic() + _TEAM_S, []
    for root in call.roots:
        notes, seconds = root.engine.notes, max(0.0, deadline - time.monotonic())
        recalled.append(
            (root, notes.recall(kind, name, request.limit, root.engine.search, seconds))
        )
    exact = [pair for pair in recalled if pair[1].match_type == "exact"]
    rankings = [
        [note_row(call, root, note) for note in answer.notes] for root, answer in exact or recalled
    ]
    best = next((answer for _, answer in exact or recalled if answer.notes), recalled[0][1])
    problems = dict.fromkeys(note for _, answer in recalled for note in answer.problems)
    return {
        "results": _by_rank(rankings)[: request.limit],
        **({"match_type": best.match_type} if best.match_type else {}),
        **({"message": without_secrets(best.message)} if best.message else {}),
        "notes": [*problems],
    }


def note_row(call: Call, root: service.Root, note: memory.Note) -> Json:
    """Return a note for people and agents: its fields, its author, and where its code is now."""
    notebook = root.engine.notes.notebook
    return {
        "id": note.id,
        "type": note.type,
        **{name: without_secrets(value) for name, value in note.fields.items()},
        "author": safe_line(note.author),
        "created_at": memory.iso_time(note.created_at),
        "date": iso_date(note.created_at),
        "tags": [safe_line(tag) for tag in note.tags],
        "metadata": without_secrets(note.metadata),
        "expires_at": None if note.expires_at is None else memory.iso_time(note.expires_at),
        "shared": note.shared,
        **({"owner": safe_line(note.owner)} if note.owner else {}),
        "state": notebook.state(note),
        "code": [_code_row(each) for each in notebook.resolutions(note)],
        "root": root.path,
        **call.roots.whose(root.path),
    }


def _by_rank(rankings: Sequence[Sequence[Json]]) -> list[Json]:
    """Return the rows of several folders: the first of each, then the second of each, ..."""
    return [row for rank in zip_longest(*rankings) for row in rank if row is not None]


def _given(request: Request) -> dict[str, Any]:
    """Return the fields of a request that were given."""
    values = msgspec.structs.asdict(request)
    return {name: value for name, value in values.items() if value is not None}


def name_of(row: Mapping[str, Any]) -> str:
    """Return the key, topic or name of a note's row."""
    return str(row.get(_NAME_OF[row["type"]]) or "")


def _code_row(resolution: memory.Resolution) -> Json:
    span = resolution.span
    return {
        "ref": safe_line(resolution.reference),
        "path": resolution.path,
        "state": resolution.state,
        "start_line": span.start_line + 1 if span else 0,
        "end_line": span.end_line + 1 if span else 0,
    }


def recalled_text(answer: Row) -> Text:
    """Return recalled notes; of several the first lines."""
    rows = rows_in(answer, "results")
    lines = _LINES if len(rows) == 1 else _LINES_OF_SEVERAL
    head = [f"match: {answer['match_type']}"] if "match_type" in answer else []
    if "message" in answer:
        head.append(visible_line(answer["message"]))
    return Text(head, [note_text(row, lines) for row in rows], "notes", rows_in(answer, "notes"))


def listed_text(answer: Row) -> Text:
    """Return the first lines of each note."""
    rows = rows_in(answer, "notes")
    units = [note_text(row, _LINES_OF_SEVERAL) for row in rows]
    return Text([] if rows else ["no notes"], units, "notes", rows_in(answer, "problems"))


def written_text(answer: Row) -> Text:
    """Return the id of a note that was written or shown, and its code; or that there is none."""
    if "status" in answer:
        return Text([str(answer["status"])])
    return Text([f"noted as {answer['id']}", *_code_lines(answer)])


def shown_text(answer: Row) -> Text:
    """Return a note whole, or that there is none."""
    return Text([str(answer["status"]) if "status" in answer else note_text(answer, _LINES)])


def note_text(row: Mapping[str, Any], most_lines: int) -> str:
    """Return a note as lines: what it is, its code with the state of each, and what it says."""
    state = f", {row['state']}" if row["state"] else ""
    title = f"{row['type']} {visible_line(name_of(row))}".rstrip()
    whose = f", {visible_line(row['label'])}" if "label" in row else ""
    head = f"{title} ({row['id']}, {visible_line(byline(row))}, {row['date']}{whose}{state})"
    keys = ("content", "summary", "decision", "reasoning")
    lines = [line for key in keys for line in str(row.get(key) or "").splitlines()]
    if files := row.get("files"):
        lines.append(f"files: {', '.join(files)}")
    n_more = len(lines) - most_lines
    excerpt = [MARK + cut(line) for line in lines[:most_lines]]
    more = [f"{MARK}... {n_more:,} more lines: recall '{row['id']}'"] if n_more > 0 else []
    return "\n".join([head, *_code_lines(row), *excerpt, *more])


def _code_lines(row: Mapping[str, Any]) -> Iterator[str]:
    for code in row["code"]:
        ref = visible_line(f"{row['label']}/{code['ref']}" if "label" in row else code["ref"])
        yield f"on {ref}" + (f" ({code['state']})" if code["state"] else "")


_RECALL = Operation(
    "recall",
    "Recall an insight",
    "Insights of earlier sessions on this workspace, by exact key or else by meaning. Notes "
    "marked stale are about code that has changed since.",
    Recall,
    recall,
    recalled_text,
    GROUP,
    instead="For code use search, for the state of work pop.",
)
_REMEMBER = Operation(
    "remember",
    "Remember an insight",
    "Note what later sessions should know.",
    Remember,
    add,
    written_text,
    GROUP,
    writes=True,
    idempotent=False,
    instead="For a choice use decide, for unfinished work stash.",
)
_FORGET = Operation(
    "forget",
    "Forget a note",
    "Delete the note of an id.",
    NoteId,
    forget,
    shown_text,
    GROUP,
    writes=True,
    instead="To read notes use recall.",
)
_LIST = Operation(
    "memory/list",
    "List notes",
    "All notes, the newest first.",
    ListNotes,
    list_,
    listed_text,
    "notes",
)
OPERATIONS = (
    _RECALL,
    replace(
        _RECALL,
        name="pop",
        title="Read a stash",
        description="The state of earlier work, by exact name or else by meaning; nothing is "
        "removed.",
        request=Pop,
        instead="For what was learnt use recall.",
    ),
    _REMEMBER,
    replace(
        _REMEMBER,
        name="decide",
        title="Note a decision",
        description="Note what was decided, and why.",
        request=Decide,
        instead="For a fact use remember.",
    ),
    replace(
        _REMEMBER,
        name="stash",
        title="Stash the state of work",
        description="Note what is done and what is next.",
        request=Stash,
        instead="For what outlives the work use remember.",
    ),
    _FORGET,
    replace(
        _REMEMBER,
        name="memory/add",
        title="Add a note",
        description="Write a note of any type.",
        request=AddNote,
        group="notes",
    ),
    Operation(
        "memory/change",
        "Change a note",
        "Change fields of a note.",
        ChangeNote,
        change,
        written_text,
        "notes",
        writes=True,
    ),
    replace(_FORGET, name="memory/forget", group="notes"),
    _LIST,
    Operation(
        "memory/show",
        "Show a note",
        "A note, and what changed in its code since.",
        NoteId,
        show,
        shown_text,
        "notes",
    ),
    replace(
        _LIST,
        name="memory/search",
        title="Search notes",
        description="Notes by words and by meaning.",
        request=SearchNotes,
        run=search,
    ),
)
