"""Notes: insights, decisions and stashes, their fields with their limits, and as JSON objects."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Annotated, Any, Literal, TypeAlias, get_args

from msgspec import Meta, Struct
from msgspec.structs import asdict

from packhound.core.errors import SettingsError
from packhound.core.records import Record, RecordType
from packhound.core.typed import convert, convert_value, fields_of

NoteType = Literal["insight", "decision", "stash"]
NOTE_TYPES: tuple[NoteType, ...] = get_args(NoteType)
RECORD_TYPE: dict[NoteType, RecordType] = {
    "insight": "note",
    "decision": "decision",
    "stash": "stash",
}
"""How a search calls the type."""

MAX_NAME = 255
MAX_TEXT = 100_000
_MAX_METADATA = 20_000
_SECONDS_A_WEEK = 7 * 86_400

_Id: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]
_Name: TypeAlias = Annotated[str, Meta(max_length=MAX_NAME)]
_Text: TypeAlias = Annotated[str, Meta(max_length=MAX_TEXT)]
_Items: TypeAlias = Annotated[
    tuple[Annotated[str, Meta(max_length=1_000)], ...], Meta(max_length=100)
]


class _Insight(Struct, kw_only=True):
    key: _Name = ""
    content: _Text


class _Decision(Struct):
    topic: _Name
    decision: _Text
    reasoning: _Text = ""


class _Stash(Struct):
    name: _Name
    summary: _Text
    files: _Items = ()


class _Common(Struct):
    """Fields that all notes have."""

    tags: _Items = ()
    author: _Name = ""


_FIELDS: dict[NoteType, type[Struct]] = {
    "insight": _Insight,
    "decision": _Decision,
    "stash": _Stash,
}
"""Fields of a note beside those that all have; the first one is its name."""
CHANGEABLE: dict[NoteType, tuple[str, ...]] = {
    "insight": ("content",),
    "decision": (),
    "stash": ("name", "summary", "files", "metadata", "expires_at"),
}


@dataclass(frozen=True, slots=True)
class Anchor:
    """Code that a note is about: a node as it was when the note was written.

    `digest` is that of the tokens of its body, see `body_digest`; `body` is its text, for the diff.
    """

    path: str
    qualname: str
    kind: str
    language: str
    digest: str
    body: str

    @property
    def reference(self) -> str:
        """The node as tools write it."""
        return f"{self.path}#{self.qualname}"


@dataclass(frozen=True, slots=True)
class Note:
    """A note. `fields` are those of its type; dates are seconds since 1970.

    A `shared` one is a file of the workspace, which git may hold; one with an `owner` was pushed to
    the team's store by that user of it.
    """

    id: str
    type: NoteType
    fields: Mapping[str, Any]
    author: str
    created_at: float
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    expires_at: float | None = None
    anchors: tuple[Anchor, ...] = ()
    shared: bool = False
    owner: str = ""

    @property
    def name(self) -> str:
        """Key, name or topic; empty for an insight without a key."""
        return str(next(iter(self.fields.values())))

    @property
    def text(self) -> str:
        """All that it says besides its name."""
        _, *others = self.fields.items()
        values = (value for key, value in others if key != "files")
        return "\n".join(value for value in values if value)

    def record(self) -> Record:
        """Return the note as a record of a source."""
        return Record(
            id=self.id,
            type=RECORD_TYPE[self.type],
            title=self.name or self.text.splitlines()[0][:MAX_NAME],
            text=self.text,
            date=self.created_at,
            tags=self.tags,
            metadata={"author": self.author, "code": [a.reference for a in self.anchors]}
            | ({"shared": True} if self.shared else {})
            | ({"owner": self.owner} if self.owner else {}),
        )


def new_note(
    kind: NoteType, values: Mapping[str, object], anchors: tuple[Anchor, ...] = ()
) -> Note:
    """Return a checked note with a new id. Raises SettingsError that names the field."""
    checked = _checked_fields(kind, values)
    common = convert(_Common, {name: values.get(name) or None for name in fields_of(_Common)}, "")
    return Note(
        id=secrets.token_hex(6),
        type=kind,
        fields=checked,
        author=common.author,
        created_at=round(time.time(), 3),
        tags=common.tags,
        metadata=_read_metadata(values.get("metadata")),
        expires_at=_read_date("expires_at", values.get("expires_at")),
        anchors=anchors,
    )


def changed_note(note: Note, changes: Mapping[str, object]) -> Note:
    """Return a note with some fields changed. Raises SettingsError for one that cannot be."""
    allowed = CHANGEABLE[note.type]
    if not allowed:
        raise SettingsError(f"a {note.type} cannot be changed, only deleted: write another one")
    for name in changes:
        if name not in allowed:
            raise SettingsError(
                f"'{name:.80}' of this {note.type} cannot be changed; expected one of: "
                f"{', '.join(allowed)}"
            )
    fields = _checked_fields(note.type, {**note.fields, **changes})
    metadata = changes.get("metadata", note.metadata)
    expires_at = _read_date("expires_at", changes.get("expires_at", note.expires_at))
    metadata = _read_metadata(metadata)
    changed = replace(note, fields=fields, metadata=metadata, expires_at=expires_at)
    if "expires_at" in changes:
        check_expiry(changed)
    return changed


def moved_note(note: Note, moved: Mapping[Anchor, Anchor]) -> Note:
    """Return a note whose anchors are where their code is now."""
    anchors = tuple(moved.get(anchor, anchor) for anchor in note.anchors)
    return note if anchors == note.anchors else replace(note, anchors=anchors)


def check_expiry(note: Note) -> None:
    """Raise SettingsError if a note that is written now has expired already."""
    if note.expires_at is not None and note.expires_at <= time.time():
        raise SettingsError(
            f"'expires_at' is {iso_time(note.expires_at)}, which is past; give a later time, such "
            f"as {iso_time(round(time.time()) + _SECONDS_A_WEEK)}"
        )


def note_json(note: Note) -> dict[str, Any]:
    """Return a note as one JSON object, all that an export holds; dates are ISO 8601."""
    return {
        "id": note.id,
        "type": note.type,
        **note.fields,
        "author": note.author,
        "created_at": iso_time(note.created_at),
        "tags": list(note.tags),
        "metadata": dict(note.metadata),
        "expires_at": None if note.expires_at is None else iso_time(note.expires_at),
        "anchors": [
            {name: getattr(anchor, name) for name in Anchor.__slots__} for anchor in note.anchors
        ],
    }


def note_from(row: Mapping[str, Any]) -> Note:
    """Return a note read back from its object. Raises SettingsError if it is none."""
    kind = row.get("type")
    if kind not in NOTE_TYPES:
        raise SettingsError(f"'type' is {kind!r:.80}; expected one of: {', '.join(NOTE_TYPES)}")
    names = Anchor.__slots__
    rows = row.get("anchors") or ()
    if not isinstance(rows, list | tuple) or not all(isinstance(each, Mapping) for each in rows):
        raise SettingsError("'anchors' must be a list of objects")
    anchors = tuple(
        Anchor(**{n: convert_value(_Text, f"'anchors.{n}'", each.get(n, "")) for n in names})
        for each in rows
    )
    note = new_note(kind, row, anchors)
    identity = convert_value(_Id, "'id'", row.get("id"))
    created_at = _read_date("created_at", row.get("created_at"))
    if created_at is None:
        raise SettingsError("'created_at' is missing; must be a time as 2025-12-01T09:30:00Z")
    return replace(note, id=identity, created_at=created_at)


def iso_time(date: float) -> str:
    """Return a time as `2025-12-01T09:30:00.25Z`, in UTC."""
    moment = datetime.fromtimestamp(date, timezone.utc)
    return moment.isoformat().replace("+00:00", "Z")


def _checked_fields(kind: NoteType, values: Mapping[str, object]) -> dict[str, Any]:
    known = fields_of(_FIELDS[kind])
    for name, declared in known.items():
        if declared.required and not values.get(name, True):
            raise SettingsError(f"'{name}' is empty; must have at least 1 character")
    return asdict(convert(_FIELDS[kind], {name: values.get(name) for name in known}, ""))


def _read_metadata(value: object) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise SettingsError(f"'metadata' is {value!r:.80}; must be an object")
    try:
        size = len(json.dumps(dict(value)))
    except (TypeError, ValueError, RecursionError):
        raise SettingsError("'metadata' must hold JSON values alone") from None
    if size > _MAX_METADATA:
        raise SettingsError(
            f"'metadata' has {size:,} characters; must have at most {_MAX_METADATA:,}"
        )
    return dict(value)


def _read_date(name: str, value: object) -> float | None:
    """Return a time given in seconds or as ISO 8601. Raises SettingsError."""
    if value is None or value == "":
        return None
    seconds = value
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
            moment = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
            seconds = moment.timestamp()
        if isinstance(seconds, int | float) and not isinstance(seconds, bool):
            return datetime.fromtimestamp(seconds, timezone.utc).timestamp()
    except (ValueError, OverflowError, OSError):
        pass
    raise SettingsError(f"'{name}' is {value!r:.80}; must be a time as 2025-12-01T09:30:00Z")
