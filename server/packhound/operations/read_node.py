"""`read_node`: the text of one definition, of a file, or of a note or another record."""

from __future__ import annotations

from typing import Annotated

from packhound import service
from packhound.core.errors import SettingsError
from packhound.core.records import CODE, RECORD_TYPES, Record
from packhound.core.status import GREP_ALONE
from packhound.core.typed import number
from packhound.core.types import NodeRef
from packhound.operations import fields
from packhound.operations.operation import Call, Json, Operation, Request
from packhound.operations.references import Place, References, notes_on_others, places
from packhound.operations.rows import node_row, record_row
from packhound.operations.search import record_text
from packhound.operations.text import MARK, Row, Text, cut, number_lines, rows_in, title
from packhound.redact import safe_line, visible_line


class ReadNode(Request):
    """The reference of code or of a record; `limit` bounds the lines."""

    path: fields.Reference
    line: fields.Line = 0
    limit: Annotated[int, number("Maximum number of lines.", 1, 2_000)] = 400
    offset: fields.Offset = 0
    max_tokens: fields.MaxTokens = 8_000
    also: fields.Also = ()


def run(call: Call, request: ReadNode) -> Json:
    """Return the lines of what a reference names, of the first folder that has it.

    Raises SettingsError: there is none, or its text has changed since.

    Answer: `text` from `first_line` on of `total` lines, `ref`, `next_offset`; of a record its
    `text`.
    """
    problems = []
    for root in call.roots:
        try:
            record = root.engine.sources.record(request.path)
        except SettingsError as problem:
            problems.append(problem)
            continue
        if record is not None:
            row = _record_row(record, request.offset, request.limit)
            return {**row, **call.roots.whose(root.path)}
    if problems:
        raise problems[0]
    kind, colon, name = request.path.partition(":")
    try:
        place, *others = places(call.roots, request.path, request.line)
    except SettingsError:
        if not colon or kind not in RECORD_TYPES:
            raise
        message = f"there is no {kind} '{visible_line(name[:200])}'; search with type:{kind}"
        raise SettingsError(message) from None
    row = _code_row(call, place, request)
    notes = [*rows_in(row, "notes"), *notes_on_others(others)]
    return {**row, **({"notes": notes} if notes else {})}


def _code_row(call: Call, place: Place, request: ReadNode) -> Json:
    """Return the lines of a definition, or of a file where the place has no line."""
    engine, path, position = place.root.engine, place.path, place.line
    excerpt = engine.excerpts().of(path)
    if excerpt is None:
        raise SettingsError(f"'{visible_line(path)}' has changed since it was indexed; ask again")
    all_lines = excerpt.lines[:-1] if excerpt.lines[-1:] == [""] else excerpt.lines
    node = place.named or engine.node_at(path, position or 0)
    is_readable = node is not None or position is None or _is_further_down(engine, path)
    if not is_readable or (position or 0) >= len(all_lines):
        raise SettingsError(
            f"there is no indexed code at '{visible_line(path)}:{(position or 0) + 1}';"
            f" it has {len(all_lines):,} lines"
        )
    first, end = position if node is None and position else 0, len(all_lines)
    row: Json = {
        **dict.fromkeys(("name", "qualname", "signature"), ""),
        **{"path": path, "ref": path, "start_line": first + 1, "end_line": end, "kind": "file"},
        **call.roots.whose(place.root.path),
    }
    if node is not None and position is not None:
        first, end = node.span.start_line, node.span.end_line + 1
        row = {**node_row(node), "ref": safe_line(References(call.roots).of(node))}
        if request.path.endswith(f"#{node.qualname}"):
            row["notes"] = _namesakes(engine, node)
    start = first + request.offset
    lines = all_lines[start : min(start + request.limit, end)]
    return {
        **row,
        "first_line": start + 1,
        "text": "\n".join(lines),
        "offset": request.offset,
        "total": end - first,
        "next_offset": request.offset + request.limit if start + request.limit < end else -1,
    }


def _is_further_down(engine: service.Engine, path: str) -> bool:
    """Return True for a file of which only the first lines are in a node."""
    entry = engine.snapshot.files.get(path)
    return entry is not None and entry.degraded == GREP_ALONE


def _record_row(record: Record, offset: int, limit: int) -> Json:
    """Return a note, commit or another record with some of its lines."""
    row = record_row(record)
    lines = str(row["text"]).splitlines()
    return {
        **row,
        **{"path": record.path or "", "start_line": record.line, "end_line": record.line},
        **{"source": record.source, "kind": record.type, "ref": row["reference"]},
        **{"name": row["title"], "qualname": row["title"], "signature": ""},
        "first_line": offset + 1,
        "text": "\n".join(lines[offset : offset + limit]),
        "offset": offset,
        "total": len(lines),
        "next_offset": offset + limit if offset + limit < len(lines) else -1,
    }


def _namesakes(engine: service.Engine, node: NodeRef) -> list[str]:
    """Return a note on the other definitions of a file that have the qualified name of a node."""
    others = [n for n in engine.outline(node.path) if n.qualname == node.qualname and n != node]
    lines = ", ".join(str(other.span.start_line + 1) for other in others)
    return [f"lines with a definition of the same name: {lines}"] if others else []


def text(answer: Row) -> Text:
    """Return the title of what was read, then its lines, or how many there are before `offset`."""
    if answer.get("source", CODE) != CODE:
        code = (f"on {visible_line(ref)}" for ref in answer["metadata"].get("code", ()))
        head = [record_text(answer, 0), *code]
        units = [MARK + cut(line) for line in answer["text"].split("\n")]
    else:
        lines = enumerate(str(answer["text"]).split("\n"), answer["first_line"])
        head, units = [title(answer)], [number_lines([line]) for line in lines]
    if answer["offset"] >= max(answer["total"], 1):
        head.append(f"no lines from offset {answer['offset']:,} on, of {answer['total']:,}")
        units = []
    return Text.page(answer, head, units, "lines")


OPERATION = Operation(
    "read_node",
    "Read definition",
    "The whole text of the definition at a place, as the editor has it; of a PATH alone the file.",
    ReadNode,
    run,
    text,
    unlisted="line limit",
    batch="path",
    instead="For the code of a task use pack.",
)
