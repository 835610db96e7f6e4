"""`recall`, `pop`, `remember`, `decide`, `stash` and `forget`: an agent's notes on the workspace.

What they return was written by people and agents before: every line of it stands behind a mark, so
that it cannot pass for a heading or a note of the tool's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from packhound.api.json_codec import Arguments, Json, Row
from packhound.api.memory import (
    NOT_FOUND,
    add_note,
    forget_note,
    merge_by_rank,
    name_of,
    recall_note,
)
from packhound.api.tools.roots import Join, Root, need_root
from packhound.api.tools.text import MARK, Text, cut, rows_in
from packhound.api.tools.tool import MAX_TOKENS, Tool
from packhound.core.parameters import array, integer, text
from packhound.core.records import byline
from packhound.memory import COMMON, FIELDS, SHARED, NoteType
from packhound.redact import visible_line
from packhound.service import Engine

GROUP = "memory"
_AUTHOR = "agent"
_LINES, _LINES_OF_SEVERAL = 30, 4
"""Lines of a note that is recalled alone, and of one of several."""
_LIMIT = integer("Maximum number of notes.", 1, 20)
_CODE = array("Code that it is about, as path#Name or path:line.", text("Code.", 4_096))
_TOKENS = {"max_tokens": 400}


def _recall(engine: Engine, arguments: Arguments) -> Json:
    return recall_note(engine, "insight", arguments["key"], arguments["limit"])


def _pop(engine: Engine, arguments: Arguments) -> Json:
    return recall_note(engine, "stash", arguments["name"], arguments["limit"])


def _recalled_text(answer: Row) -> Text:
    rows = rows_in(answer, "results")
    lines = _LINES if len(rows) == 1 else _LINES_OF_SEVERAL
    head = [f"match: {answer['match_type']}"] if "match_type" in answer else []
    if "message" in answer:
        head.append(visible_line(answer["message"]))
    return Text(head, [note_text(row, lines) for row in rows], "notes", rows_in(answer, "notes"))


def _written_text(answer: Row) -> Text:
    return Text([f"noted as {answer['id']}", *_code_lines(answer)])


def _forgotten_text(answer: Row) -> Text:
    return Text([str(answer["status"])])


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


def _join_recalled(tool: str) -> Join:
    def join(roots: Sequence[Root], arguments: Arguments) -> Json:
        """Return the note of that name in any root, else the nearest of all by rank."""
        answers = [(root, root.call(tool, arguments)) for root in roots]
        if exact := [pair for pair in answers if pair[1].get("match_type") == "exact"]:
            answers = exact
        rows = merge_by_rank([[*map(r.label_row, rows_in(a, "results"))] for r, a in answers])
        notes = dict.fromkeys(note for _, answer in answers for note in rows_in(answer, "notes"))
        best = next((a for _, a in answers if rows_in(a, "results")), answers[0][1])
        return {**best, "results": rows[: arguments["limit"]], "notes": [*notes]}

    return join


def _forget_in_any(roots: Sequence[Root], arguments: Arguments) -> Json:
    """Delete the note where it is: ids are of one root."""
    answers = [root.call("forget", arguments) for root in roots]
    return next((answer for answer in answers if answer["status"] != NOT_FOUND), answers[0])


def _writer(kind: NoteType, name: str, title: str, description: str) -> Tool:
    """Return the tool that writes notes of a type."""

    def write(engine: Engine, arguments: Arguments) -> Json:
        author = arguments["author"] or _AUTHOR
        return add_note(engine, {**arguments, "type": kind, "author": author})

    parameters = {**FIELDS[kind], **COMMON, "code": _CODE, "shared": SHARED}
    required = [key for key, parameter in FIELDS[kind].items() if parameter.minimum]
    defaults = {
        key: () if parameter.items else None if parameter is SHARED else ""
        for key, parameter in parameters.items()
        if key not in required
    }
    return Tool(
        name, title, description, parameters, defaults, write, _written_text,
        need_root, GROUP, writes=True, idempotent=False,
    )  # fmt: skip


TOOLS = (
    Tool(
        "recall",
        "Recall an insight",
        "Insights of earlier sessions on this workspace, by exact key or else by meaning. Notes "
        "marked stale are about code that has changed since.",
        {
            "key": replace(FIELDS["insight"]["key"], description="Key, id or question.", minimum=1),
            "limit": _LIMIT,
            "max_tokens": MAX_TOKENS,
        },
        {"limit": 5, **_TOKENS},
        _recall,
        _recalled_text,
        _join_recalled("recall"),
        group=GROUP,
    ),
    Tool(
        "pop",
        "Read a stash",
        "The state of earlier work, by exact name or else by meaning; nothing is removed.",
        {
            "name": replace(FIELDS["stash"]["name"], description="Name, id or question."),
            "limit": _LIMIT,
            "max_tokens": MAX_TOKENS,
        },
        {"limit": 5, **_TOKENS},
        _pop,
        _recalled_text,
        _join_recalled("pop"),
        group=GROUP,
    ),
    _writer("insight", "remember", "Remember an insight", "Note what later sessions should know."),
    _writer("decision", "decide", "Note a decision", "Note what was decided, and why."),
    _writer("stash", "stash", "Stash the state of work", "Note what is done and what is next."),
    Tool(
        "forget",
        "Forget a note",
        "Delete the note of an id.",
        {"id": text("Id of the note.", 64, 1)},
        {},
        forget_note,
        _forgotten_text,
        _forget_in_any,
        group=GROUP,
        writes=True,
    ),
)
