"""`read_node`: the text of one definition, of a file, or of a note or another record."""

from __future__ import annotations

from packhound.api.json_codec import Arguments, Json, Row
from packhound.api.record_json import record_json
from packhound.api.tools.references import reference_of, resolve
from packhound.api.tools.rows import node_row
from packhound.api.tools.search import record_text
from packhound.api.tools.text import MARK, Text, cut, number_lines, rows_in, title
from packhound.api.tools.tool import LINE, LOCATION, MAX_TOKENS, OFFSET, Tool
from packhound.core.errors import SettingsError
from packhound.core.parameters import integer
from packhound.core.records import CODE, Record
from packhound.core.types import NodeRef
from packhound.redact import safe_line, visible_line
from packhound.service import Engine


def read(
    engine: Engine, reference: str, line: int = 0, offset: int = 0, limit: int = 2_000
) -> Json:
    """Return the lines of the code that a reference names; `line` is for one without a line.

    Raises SettingsError: there is none, or its text has changed since.
    """
    record = engine.sources.record(reference)
    if record is not None:
        return _record_row(record, offset, limit)
    path, position = resolve(engine, reference, line or None)
    excerpt = engine.excerpts().of(path)
    if excerpt is None:
        raise SettingsError(f"'{visible_line(path)}' has changed since it was indexed; ask again")
    all_lines = excerpt.lines[:-1] if excerpt.lines[-1:] == [""] else excerpt.lines
    node = engine.node_at(path, position or 0)
    if node is None and position is not None:
        raise SettingsError(
            f"there is no indexed code at '{visible_line(path)}:{position + 1}';"
            f" it has {len(all_lines):,} lines"
        )
    first, end = 0, len(all_lines)
    row: Json = {
        **{"path": path, "start_line": 1, "end_line": end, "kind": "file"},
        **{"name": "", "qualname": "", "signature": "", "ref": path},
    }
    if node is not None and position is not None:
        first, end = node.span.start_line, node.span.end_line + 1
        row = {**node_row(node), "ref": safe_line(reference_of(engine, node))}
        if reference.endswith(f"#{node.qualname}"):
            row["notes"] = _namesakes(engine, node)
    start = first + offset
    lines = all_lines[start : min(start + limit, end)]
    return {
        **row,
        "first_line": start + 1,
        "text": "\n".join(lines),
        "offset": offset,
        "next_offset": offset + limit if start + limit < end else -1,
    }


def _record_row(record: Record, offset: int, limit: int) -> Json:
    """Return a note, commit or another record with some of its lines."""
    row = record_json(record)
    lines = str(row["text"]).splitlines()
    return {
        **row,
        **{"path": record.path or "", "start_line": record.line, "end_line": record.line},
        **{"source": record.source, "kind": record.type, "ref": row["reference"]},
        **{"name": row["title"], "qualname": row["title"], "signature": ""},
        "first_line": offset + 1,
        "text": "\n".join(lines[offset : offset + limit]),
        "offset": offset,
        "next_offset": offset + limit if offset + limit < len(lines) else -1,
    }


def _namesakes(engine: Engine, node: NodeRef) -> list[str]:
    """Return a note on the other definitions of a file that have the qualified name of a node."""
    others = [n for n in engine.outline(node.path) if n.qualname == node.qualname and n != node]
    lines = ", ".join(str(other.span.start_line + 1) for other in others)
    return [f"lines with a definition of the same name: {lines}"] if others else []


def _answer(engine: Engine, arguments: Arguments) -> Json:
    names = ("line", "offset", "limit")
    return read(engine, arguments["path"], **{name: arguments[name] for name in names})


def _text(answer: Row) -> Text:
    if answer.get("source", CODE) != CODE:
        code = (f"on {visible_line(ref)}" for ref in answer["metadata"].get("code", ()))
        return Text(
            head=[record_text(answer, 0), *code],
            units=[MARK + cut(line) for line in answer["text"].split("\n")],
            noun="lines",
            offset=answer["offset"],
            has_more=answer["next_offset"] != -1,
        )
    lines = enumerate(str(answer["text"]).split("\n"), answer["first_line"])
    return Text(
        head=[title(answer)],
        units=[number_lines([line]) for line in lines],
        noun="lines",
        notes=rows_in(answer, "notes"),
        offset=answer["offset"],
        has_more=answer["next_offset"] != -1,
    )


TOOL = Tool(
    "read_node",
    "Read definition",
    "The whole text of the definition at a place, as the editor has it; of a PATH alone the file.",
    {
        "path": LOCATION,
        "line": LINE,
        "limit": integer("Maximum number of lines.", 1, 2_000),
        "offset": OFFSET,
        "max_tokens": MAX_TOKENS,
    },
    {"line": 0, "limit": 400, "offset": 0, "max_tokens": 8_000},
    _answer,
    _text,
)
