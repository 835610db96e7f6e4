"""`changes`: what is changed, what calls it, the tests to run, and what usually changes with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from packhound.api.json_codec import Arguments, Json, Locate, Row
from packhound.api.tools.roots import Root, answers_of
from packhound.api.tools.symbol import link_row
from packhound.api.tools.text import Text, path_of, rows_in, title
from packhound.api.tools.tool import MAX_TOKENS, Tool
from packhound.core.parameters import integer, text
from packhound.core.types import MAX_HITS
from packhound.redact import visible_line
from packhound.service import Engine

if TYPE_CHECKING:
    from packhound.impact import RelatedFile

_MAX_CALLERS = 10


def changes_answer(
    engine: Engine, base: str = "HEAD", limit: int = 10, locate: Locate | None = None
) -> Json:
    """Return what differs from a commit; `limit` bounds tests and related files.

    Raises SettingsError: there is no such commit, or no repository.
    """
    changes = engine.impact.changes(base, limit)
    return {
        "base": base,
        "definitions": [
            {
                **link_row(definition.node, locate),
                "lines": [[first + 1, last + 1] for first, last in definition.lines],
                "callers": [link_row(link, locate) for link in definition.callers[:_MAX_CALLERS]],
                "n_callers": len(definition.callers),
            }
            for definition in changes.definitions
        ],
        "files": [{"path": path} for path in changes.other_files],
        "tests": _file_rows(changes.tests),
        "related": _file_rows(changes.related),
    }


def _file_rows(files: Iterable[RelatedFile]) -> list[Json]:
    return [
        {"path": file.path, "chance": round(file.chance, 3), "reasons": list(file.reasons)}
        for file in files
    ]


def _answer(engine: Engine, arguments: Arguments) -> Json:
    return changes_answer(engine, arguments["base"], arguments["limit"])


def _text(answer: Row) -> Text:
    units = []
    for row in rows_in(answer, "definitions"):
        lines = ", ".join(f"{a}-{b}" if b > a else f"{a}" for a, b in row["lines"])
        callers = "".join(
            f"\n    called by {title(caller)}{' (by name only)' if caller['by_name'] else ''}"
            for caller in row["callers"]
        )
        n_more = row["n_callers"] - len(row["callers"])
        more = f"\n    ... {n_more:,} more" if n_more else ""
        noun = "line" if lines.isdecimal() else "lines"
        units.append(f"  {title(row)} ({noun} {lines}){callers}{more}")
    units += [f"  {path_of(row)}" for row in rows_in(answer, "files")]
    units[:1] = [f"changed since {visible_line(answer['base'])}:\n{unit}" for unit in units[:1]]
    for key, heading in (("tests", "tests to run"), ("related", "usually changed with it")):
        rows = [f"  {path_of(r)} ({', '.join(r['reasons'])})" for r in rows_in(answer, key)]
        units += [f"{heading}:\n{row}" if i == 0 else row for i, row in enumerate(rows)]
    head = () if units else (f"nothing differs from {visible_line(answer['base'])}",)
    return Text(head, units, "rows", rows_in(answer, "notes"))


def _join(roots: Sequence[Root], arguments: Arguments) -> Json:
    """Return the changes of all roots, the likeliest tests and related files of all first."""
    answers, notes = answers_of(roots, "changes", arguments)
    rows = {
        key: [row for answer in answers for row in rows_in(answer, key)]
        for key in ("definitions", "files", "tests", "related")
    }
    for key in ("tests", "related"):
        likely = sorted(rows[key], key=lambda row: -float(row["chance"]))
        rows[key] = likely[: arguments["limit"]]
    return {"base": answers[0]["base"], **rows, "notes": notes}


TOOL = Tool(
    "changes",
    "Changes",
    "Uncommitted and unsaved changes by definition: callers, tests to run, related files.",
    {
        "base": text("Commit or branch to compare with.", 200, minimum=1),
        "limit": integer("Tests and related files at most.", 1, MAX_HITS),
        "max_tokens": MAX_TOKENS,
    },
    {"base": "HEAD", "limit": 10, "max_tokens": 4_000},
    _answer,
    _text,
    _join,
    unlisted=("limit",),
)
