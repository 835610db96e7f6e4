"""`grep`: the lines that match a regular expression, by the definitions that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from packhound.api.grep_json import grep_json
from packhound.api.json_codec import Arguments, Json, Row
from packhound.api.schema import GREP_REQUEST, grep_request_from
from packhound.api.tools.roots import Root
from packhound.api.tools.text import Text, number_lines, path_of, rows_in, title
from packhound.api.tools.tool import MAX_TOKENS, Tool
from packhound.grep import GrepRequest, merge_grep_notes
from packhound.redact import safe_line
from packhound.service import Engine

_DEFAULTS = {name: getattr(GrepRequest(""), name) for name in GREP_REQUEST if name != "pattern"}


def _answer(engine: Engine, arguments: Arguments) -> Json:
    # Totals of secrets would tell them letter by letter, so what is shown is what is matched.
    answer = grep_json(engine.grep(grep_request_from(arguments), redacted=True))
    groups = [
        {**group, **{key: safe_line(group[key]) for key in ("name", "qualname")}}
        for group in rows_in(answer, "groups")
    ]
    return {**answer, "groups": groups, "offset": arguments["offset"]}


def _text(answer: Row) -> Text:
    n_lines, n_files = answer["total_lines"], answer["total_files"]
    lines, files = "line matches" if n_lines == 1 else "lines match", "file" + "s"[: n_files != 1]
    head = f"{n_lines:,} {lines} in {n_files:,} {files}" if n_lines else "nothing matches"
    counts = [f"{path_of(row)}: {row['lines']}" for row in rows_in(answer, "counts")]
    return Text(
        head=[head],
        units=counts or [*_line_units(rows_in(answer, "groups"))],
        noun="files" if counts else "lines",
        notes=rows_in(answer, "notes"),
        offset=answer["offset"],
        has_more=answer["next_offset"] != -1,
    )


def _line_units(groups: Iterable[Row]) -> Iterator[str]:
    """Yield each matching line with its context; the first of a definition with its title."""
    for group in groups:
        rows, unit = group["lines"], [title(group)]
        last = max(i for i, row in enumerate(rows) if row["match"])
        for i, row in enumerate(rows):
            unit.append(number_lines([(row["line"], row["text"])]))
            if row["match"] and i < last:
                yield "\n".join(unit)
                unit = []
        yield "\n".join(unit)


def _join(roots: Sequence[Root], arguments: Arguments) -> Json:
    """Return one page of the lines of all roots, one after the other."""
    offset, limit = arguments["offset"], arguments["limit"]
    rows = "total_files" if arguments.get("count_only") else "total_lines"
    groups, counts, notes = list[Json](), list[Json](), list[Sequence[str]]()
    totals = {"total_lines": 0, "total_files": 0}
    for root in roots:
        room = limit - sum(_n_matches(group) for group in groups) - len(counts)
        page = {"offset": max(0, offset - totals[rows]), "limit": max(1, room)}
        answer = root.call("grep", {**arguments, **page})
        if room > 0:
            groups += map(root.label_row, rows_in(answer, "groups"))
            counts += map(root.label_row, rows_in(answer, "counts"))
        notes.append(rows_in(answer, "notes"))
        totals = {key: n + int(str(answer[key])) for key, n in totals.items()}
    return {
        "pattern": arguments["pattern"],
        **totals,
        "groups": groups,
        "counts": counts,
        "offset": offset,
        "next_offset": offset + limit if totals[rows] > offset + limit else -1,
        "notes": merge_grep_notes(notes),
    }


def _n_matches(group: Json) -> int:
    return sum(bool(line["match"]) for line in rows_in(group, "lines"))


TOOL = Tool(
    "grep",
    "Grep",
    "The lines that match a regular expression, with the definitions that hold them and exact "
    "totals, unsaved edits included.",
    {**GREP_REQUEST, "max_tokens": MAX_TOKENS},
    {**_DEFAULTS, "max_tokens": 4_000},
    _answer,
    _text,
    _join,
)
