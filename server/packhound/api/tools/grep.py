"""`grep`: the lines that match a regular expression, by the definitions that hold them."""

from __future__ import annotations

import math
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
    """Return one page of the lines of all roots: by the question, else root by root."""
    offset, limit = arguments["offset"], arguments["limit"]
    is_counted = bool(arguments.get("count_only"))
    if arguments.get("query") and not is_counted:
        answers = [_first_lines(root, arguments, offset + limit) for root in roots]
        rows = _rows_of(roots, answers, "groups")
        rows.sort(key=lambda row: -float(str(row.get("score", -math.inf))))
        groups = [*_cut(rows, offset, limit, arguments.get("context", 0))]
    else:
        answers = _pages(roots, arguments)
        groups = _rows_of(roots, answers, "groups")
    totals = {
        key: sum(int(str(answer[key])) for answer in answers)
        for key in ("total_lines", "total_files", "generation")
    }
    n_rows = totals["total_files" if is_counted else "total_lines"]
    return {
        "pattern": arguments["pattern"],
        **totals,
        "took_ms": sum(float(str(answer["took_ms"])) for answer in answers),
        "groups": groups,
        "counts": _rows_of(roots, answers, "counts"),
        "offset": offset,
        "next_offset": offset + limit if n_rows > offset + limit else -1,
        "notes": merge_grep_notes([rows_in(answer, "notes") for answer in answers]),
    }


def _rows_of(roots: Sequence[Root], answers: Sequence[Json], key: str) -> list[Json]:
    return [
        root.label_row(row)
        for root, answer in zip(roots, answers, strict=True)
        for row in rows_in(answer, key)
    ]


def _pages(roots: Sequence[Root], arguments: Arguments) -> list[Json]:
    """Return the part of a page that each root has; the totals are those of the whole root."""
    offset, limit = arguments["offset"], arguments["limit"]
    total = "total_files" if arguments.get("count_only") else "total_lines"
    answers = []
    for root in roots:
        page = {"offset": max(0, offset), "limit": max(1, limit)}
        answer = root.call("grep", {**arguments, **page})
        if limit <= 0:
            answer = {**answer, "groups": [], "counts": []}
        answers.append(answer)
        n_rows = int(str(answer[total]))
        limit -= max(0, min(n_rows - max(0, offset), limit))
        offset -= n_rows
    return answers


def _first_lines(root: Root, arguments: Arguments, n: int) -> Json:
    """Return a root's first `n` lines, read page by page."""
    max_lines = int(GREP_REQUEST["limit"].maximum)
    answer = page = root.call("grep", {**arguments, "offset": 0, "limit": min(n, max_lines)})
    groups = [*rows_in(answer, "groups")]
    for offset in range(max_lines, n, max_lines):
        if page["next_offset"] != -1:
            page = root.call(
                "grep", {**arguments, "offset": offset, "limit": min(n - offset, max_lines)}
            )
            groups += rows_in(page, "groups")
    return {**answer, "groups": groups}


def _cut(groups: Sequence[Row], offset: int, limit: int, n_context: int) -> Iterator[Json]:
    """Yield the groups of the lines from `offset` on as far as the limit, as one root does."""
    for group in groups:
        matches = [row["line"] for row in group["lines"] if row["match"]]
        lines_of_page = matches[max(0, offset) : max(0, offset + limit)]
        offset -= len(matches)
        rows = [
            {**row, "match": row["line"] in lines_of_page}
            for row in group["lines"]
            if any(abs(row["line"] - line) <= n_context for line in lines_of_page)
        ]
        if rows:
            is_node = group["kind"] != "file"
            ends = {} if is_node else {"start_line": rows[0]["line"], "end_line": rows[-1]["line"]}
            yield {**group, **ends, "lines": rows}


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
