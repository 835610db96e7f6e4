"""The table of all operations. A new one is one module in this package and one line here."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from packhound import llm, service
from packhound.core import trace
from packhound.core.errors import SettingsError
from packhound.core.status import ALL_READ, total_reading
from packhound.core.typed import convert, convert_value, fields_of, json_schema, nearest
from packhound.core.types import NodeRef, Note
from packhound.operations import (
    changes,
    check,
    decisions,
    docs,
    episodes,
    explain,
    folder,
    grep,
    notes,
    outline,
    overlays,
    pack,
    read_node,
    related,
    search,
    skills,
    status,
    symbol,
)
from packhound.operations.elsewhere import Removes, beside, elsewhere, names_other_root
from packhound.operations.operation import NODE, Call, Json, Operation, Request
from packhound.operations.rows import readiness, skipped_counts, skipped_note
from packhound.operations.text import Row, Text, cut
from packhound.redact import visible_line


class Locations(Protocol):
    """Fields that an editor's protocol adds to rows, such as URIs and ranges."""

    def json(self, node: NodeRef) -> Json:
        """Return those of a node."""

    def line_json(self, node: NodeRef, line: int) -> Json:
        """Return those of a 0-based line of a node's file."""


OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        search.OPERATION,
        grep.OPERATION,
        related.OPERATION,
        symbol.OPERATION,
        changes.OPERATION,
        pack.OPERATION,
        outline.OPERATION,
        read_node.OPERATION,
        status.OPERATION,
        *notes.OPERATIONS,
        *skills.OPERATIONS,
        *episodes.OPERATIONS,
        *overlays.OPERATIONS,
        *decisions.OPERATIONS,
        check.OPERATION,
        explain.OPERATION,
        docs.OPERATION,
        *folder.OPERATIONS,
    )
}
_FORMER_NAMES = {"excluded_paths": "exclude", "excluded": "exclude"}
"""Fields that 0.2 has renamed."""
_UNSEEN = "the disk was last looked at"
_UNSEEN_S, _MINUTES_S = 2.0, 120.0
"""Age of what is known of the disk from which on an answer says it, and says it in minutes."""
_WHEN_OFF = ("status", "config")
"""Operations that a folder answers which is switched off."""
_NO_MAX_TOKENS = 10_000_000
_MAX_TRACE_ID = 64
_NAMES = ("query", "prompt", "pattern", "name", "path")
_PATHS = ("focus_path", "path", "name")
"""Fields that say which files are needed first."""


def operation_named(name: str) -> Operation:
    """Return an operation. Raises SettingsError that names all."""
    if name not in OPERATIONS:
        raise SettingsError(
            f"unknown tool '{visible_line(name)}'; expected one of: {', '.join(OPERATIONS)}"
        )
    return OPERATIONS[name]


def read_request(name: str, values: Mapping[str, object]) -> Request:
    """Return the checked request of an operation. Raises SettingsError."""
    operation = operation_named(name)
    values = {_FORMER_NAMES.get(key, key): value for key, value in values.items()}
    return convert(operation.request, values)


def answer(
    call: Call,
    name: str,
    arguments: Mapping[str, object],
    locations: Locations | None = None,
) -> Json:
    """Run an operation on the folder that `root` names, or on all; return JSON values.

    `trace`, true or an id, adds how long its stages took. Raises SettingsError for an unknown
    operation or for bad arguments.
    """
    with tracing(name, arguments.get("trace")) as traced:
        left = _answer(call, name, arguments, locations)
        left |= answer_also(call, name, arguments, locations)
    return {**left, **traced}


def answer_also(
    call: Call, name: str, arguments: Mapping[str, object], locations: Locations | None = None
) -> Json:
    """Return `also`: for each further value of a batch what was `asked`, with rows or an `error`.

    Nothing where there are none.
    """
    operation, rows = operation_named(name), list[Json]()
    if not (operation.batch and arguments.get("also")):
        return {}
    also = fields_of(operation.request)["also"]
    # A line is that of the first place.
    shared = {key: arguments[key] for key in arguments if key not in ("also", "line")}
    for value in convert_value(also.type, "argument 'also'", arguments["also"]):
        values = {**shared, operation.batch: value}
        try:
            rows.append({"asked": value, **_answer(call, name, values, locations)})
        except SettingsError as problem:
            rows.append({"asked": value, "error": str(problem)})
    return {"also": rows}


@contextmanager
def tracing(name: str, asked: object) -> Iterator[Json]:
    """Yield what `trace` adds to an answer, which is there once the answer is made.

    Raises SettingsError: it is neither true nor an id.
    """
    fields: Json = {}
    if not asked:
        yield fields
        return
    if not isinstance(asked, str | bool) or len(str(asked)) > _MAX_TRACE_ID:
        raise SettingsError(
            f"argument 'trace' is {asked!r:.80}; expected true, or an id of at most "
            f"{_MAX_TRACE_ID} characters"
        )
    trace_id = visible_line(asked) if isinstance(asked, str) else secrets.token_hex(4)
    with trace.recording() as spans, trace.span(operation_named(name).name):
        yield fields
    fields["trace"] = {
        "id": trace_id,
        "stages": trace.stage_rows(spans),
        "events": trace.chrome_events(spans, trace_id),
    }


class Asked(NamedTuple):
    """A call on the folders that its arguments mean, its request, and notes on what these are.

    `arguments` are without what stood for other roots.
    """

    call: Call
    request: Any
    arguments: Mapping[str, object]
    notes: Sequence[Note]


def asked(call: Call, name: str, arguments: Mapping[str, object]) -> Asked:
    """Return what a call asks of which folders, whatever `root` says. Raises SettingsError."""
    call, off_notes = (call, []) if name in _WHEN_OFF else _switched_on(call)
    if arguments.get("patch") and not operation_named(name).takes_patch:
        names = ", ".join(each.name for each in OPERATIONS.values() if each.takes_patch)
        raise SettingsError(f"'{visible_line(name)}' takes no patch; these do: {names}")
    if not operation_named(name).asks_elsewhere and names_other_root(call, arguments):
        raise SettingsError(
            f"'{name}' is of a folder that changes, not of rev:, deps: or repo:; the commit to"
            " compare with is `base`"
        )
    call, arguments, notes = elsewhere(call, arguments)
    if name == search.OPERATION.name and not notes:
        call, arguments, notes = beside(call, arguments)
    values = {key: value for key, value in arguments.items() if key not in ("root", "trace")}
    return Asked(call, read_request(name, values), arguments, [*notes, *off_notes])


def _answer(
    call: Call, name: str, arguments: Mapping[str, object], locations: Locations | None
) -> Json:
    call, request, arguments, notes = asked(call, name, arguments)
    written, operation = arguments.get("root") or "", operation_named(name)
    if not isinstance(written, str):
        raise SettingsError(f"argument 'root' is {written!r:.80}; expected a string")
    call = replace(call, roots=call.roots.select(written))
    readings = [root.engine.reading for root in call.roots]
    reading = total_reading(readings) if operation.is_about_code else ALL_READ
    try:
        rows = operation.run(call, request)
    except SettingsError as problem:
        remarks = [str(note) for note in notes if isinstance(note, Removes)]
        if not reading.is_complete:
            remarks.append(f"{reading.note}: ask again when all are")
        if not remarks:
            raise
        refusal, line_feed, lines = str(problem).partition("\n")
        refusal += f" ({'; '.join(remarks)})"
        raise SettingsError(refusal + line_feed + lines) from None
    left: dict[str, Any] = leave(call.roots, rows, locations)
    if operation.is_about_code and "complete" not in left:
        left |= readiness(reading)
    if operation.is_about_code and (note := _unseen_note(call.roots)):
        left["notes"] = [*left.get("notes", ()), note]
    if operation.lists and (
        skipped := skipped_counts(call.roots, by_grep=name == grep.OPERATION.name)
    ):
        left["skipped"] = skipped
        if (note := skipped_note(skipped)) and not left.get("hits"):
            left["notes"] = [*left.get("notes", ()), note]
    if notes:
        left["notes"] = [*left.get("notes", ()), *map(str, notes)]
    return left


def _unseen_note(roots: service.Roots) -> str:
    """Return when the disk was last looked at, where nobody watches it and that is a while ago."""
    seconds = max((root.engine.unwatched_s for root in roots), default=0.0)
    if seconds <= _UNSEEN_S:
        return ""
    age = f"{seconds:.0f} s" if seconds < _MINUTES_S else f"{seconds / 60:.0f} min"
    return f"{_UNSEEN} {age} ago"


def _switched_on(call: Call) -> tuple[Call, list[str]]:
    """Return a call without the roots that are switched off, and a note for each of these.

    Raises SettingsError: all are off.
    """
    off = [root.path for root in call.roots if root.engine.is_off]
    notes = [f"Packhound is off in '{visible_line(path)}'" for path in off]
    if off and len(off) == len(call.roots):
        raise SettingsError(f"{notes[0]}; set 'index.enabled' to true")
    return replace(call, roots=call.roots.without(off)), notes


def leave(
    roots: service.Roots,
    rows: Any,  # noqa: ANN401 - a JSON value with nodes
    locations: Locations | None = None,
) -> Any:  # noqa: ANN401 - a JSON value
    """Return rows whose nodes have become whose and where they are."""
    if isinstance(rows, list):
        return [leave(roots, row, locations) for row in rows]
    if not isinstance(rows, dict):
        return rows
    left = {key: leave(roots, value, locations) for key, value in rows.items() if key != NODE}
    node = rows.get(NODE)
    if isinstance(node, NodeRef):
        left |= roots.place_of(node)
        if roots.adds(node):
            left["proposed"] = True
        if locations and node.path:
            left |= locations.json(node)
            for line in left.get("lines", ()):
                if isinstance(line, dict) and "cell" in line:
                    line |= locations.line_json(node, line["line"] - 1)
    return left


def settle(roots: service.Roots, arguments: Mapping[str, object], seconds: float) -> None:
    """Wait until what a request needs is read; files that it names are read first."""
    also = arguments.get("also")
    further = [str(each) for each in also] if isinstance(also, list | tuple) else []
    names = " ".join([*(str(arguments.get(key, "")) for key in _NAMES), *further])
    references = [*(str(arguments[key]) for key in _PATHS if arguments.get(key)), *further]
    near = [reference.partition(":")[0] for reference in references]
    deadline = time.monotonic() + seconds
    for root in roots:
        root.engine.read_first(names, near)
        root.engine.settled(max(0.0, deadline - time.monotonic()))


def as_text(name: str, answer: Row, arguments: Mapping[str, object] | None = None) -> str:
    """Return the answer to a call as text of at most its `max_tokens`, of a pack its budget.

    The answers of a batch share what its call allows, else each has what a call has by default.
    """
    operation, arguments = operation_named(name), arguments or {}
    room, also = _max_tokens(operation, arguments), answer.get("also", ())
    if not also:
        return _text_of(operation, answer).fit(room)
    values = [str(arguments.get(operation.batch, "")), *(row["asked"] for row in also)]
    room *= 1 if arguments.get("max_tokens") else len(values)
    texts, count = list[str](), llm.counter_for().count
    for n_left, row in zip(range(len(values), 0, -1), [answer, *also], strict=True):
        head = f"== {visible_line(cut(values[-n_left]))}\n"
        share = room // n_left - count(head + "\n")
        error = row.get("error", "")
        text = Text([*map(visible_line, error.split("\n"))]) if error else _text_of(operation, row)
        texts.append(head + text.fit(share))
        room -= count(texts[-1] + "\n")
    return "\n".join(texts)


def _text_of(operation: Operation, answer: Row) -> Text:
    """Return the text of an answer with what is to be known of the folders."""
    text, reading = operation.text(answer), str(answer.get("reading", ""))
    note = skipped_note(answer.get("skipped", {}))
    notes = [note] if note and not answer.get("hits") else []
    is_json = bool(text.head) and text.head[0].startswith("{")
    if not is_json:
        notes += [note for note in answer.get("notes", ()) if str(note).startswith(_UNSEEN)]
    if traced := answer.get("trace"):
        stages = ", ".join(f"{row['stage']} {row['ms']:,} ms" for row in traced["stages"])
        notes.append(f"trace {traced['id']}: {stages}")
    new = [note for note in notes if note not in text.notes and f"note: {note}" not in text.units]
    text = text._replace(notes=[*text.notes, *new])
    if reading and not is_json:
        notes = [note for note in text.notes if note != reading]
        text = text._replace(head=[f"{reading}:", *text.head], notes=notes)
    return text


def as_page(name: str, answer: Row, arguments: Row) -> str:
    """Return the page of an answer. Raises SettingsError: its operation has none."""
    operation = operation_named(name)
    if operation.page is None:
        names = ", ".join(each.name for each in OPERATIONS.values() if each.page)
        raise SettingsError(f"'{name}' has no page; expected one of: {names}")
    return operation.page.make(answer, arguments)


def _max_tokens(operation: Operation, arguments: Mapping[str, object]) -> int:
    """Return the limit of a text: that of the request, or the default of its field."""
    given = {"max_tokens": None, "budget": None, "reserve": None, **arguments}
    fields = fields_of(operation.request)
    limits = {
        name: int(convert_value(fields[name].type, name, given[name] or fields[name].default))
        for name in ("max_tokens", "budget", "reserve")
        if name in fields
    }
    return limits.get("max_tokens", limits.get("budget", _NO_MAX_TOKENS)) - limits.get("reserve", 0)


def schema_of(operation: Operation) -> dict[str, Any]:
    """Return the JSON Schema of what agents may say to an operation."""
    return json_schema(operation.request, operation.unlisted.split())


def select_operations(names: Sequence[str]) -> list[Operation]:
    """Return the operations of some names and groups, those of the group `default` for none.

    Raises SettingsError for a name that is neither.
    """
    names = names or ("default",)
    known = [*OPERATIONS, *dict.fromkeys(each.group for each in OPERATIONS.values())]
    for name in names:
        if name not in known:
            raise SettingsError(
                f"setting 'mcp.tools' names '{visible_line(name)}'; {nearest(name, known)}"
            )
    return [
        each
        for each in OPERATIONS.values()
        if each.name in names or (each.group in names and not each.by_name)
    ]
