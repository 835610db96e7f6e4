"""`grep`: the lines that match a regular expression, by the definitions that hold them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Annotated

from packhound.core.typed import about, number, sized
from packhound.grep import Case, GrepGroup, GrepRequest
from packhound.operations import fields
from packhound.operations.operation import NODE, Call, Json, Operation, Request
from packhound.operations.text import Row, Text, number_lines, path_of, rows_in, title
from packhound.redact import safe_line


class Grep(Request):
    """A search for lines; `limit` bounds those that are shown."""

    pattern: Annotated[str, sized("RE2, within one line.", 1_000, 1)]
    structural: Annotated[bool, about("Code with holes.")] = False
    regex: Annotated[bool, about("A pattern, not a literal.")] = True
    case: Annotated[Case, about("Letter case.")] = "sensitive"
    paths: fields.Globs = ()
    exclude: fields.ExcludedGlobs = ()
    count_only: Annotated[bool, about("Only counts, by file.")] = False
    context: Annotated[int, number("Lines around each.", 0, 20)] = 0
    query: Annotated[str, sized("Rank by this question.", 1_000)] = ""
    limit: Annotated[int, number("Maximum number of lines.", 1, 1_000)] = 50
    offset: fields.Offset = 0
    max_tokens: fields.MaxTokens = 4_000


def run(call: Call, request: Grep) -> Json:
    """Return one page of the matching lines of all folders, and exact totals.

    Answer: `total_lines`, `total_files`, `groups` (a definition and its `lines`), `counts`,
    `next_offset`.
    """
    fields = (field.name for field in dataclasses.fields(GrepRequest))
    wanted = GrepRequest(**{name: getattr(request, name) for name in fields})
    results = call.roots.grep(wanted, call.cancel, redacted=call.is_agent)
    return {
        "pattern": results.pattern,
        "total_lines": results.n_lines,
        "total_files": results.n_files,
        "groups": [_group_row(call, group) for group in results.groups],
        "counts": [
            {"path": count.path, "lines": count.lines, **call.roots.whose(count.root)}
            for count in results.counts
        ],
        "offset": request.offset,
        "next_offset": results.next_offset,
        "generation": results.generation,
        "took_ms": round(results.took_ms, 3),
        "notes": list(results.notes),
    }


def _group_row(call: Call, group: GrepGroup) -> Json:
    """Return the lines of one definition; of a file where no definition holds them."""
    node = group.node
    return {
        **({NODE: node} if node else call.roots.whose(group.root)),
        "path": group.path,
        "start_line": node.span.start_line + 1 if node else group.lines[0].number + 1,
        "end_line": node.span.end_line + 1 if node else group.lines[-1].number + 1,
        "kind": node.kind if node else "file",
        "name": safe_line(node.name) if node else "",
        "qualname": safe_line(node.qualname) if node else "",
        "lines": [
            {"line": line.number + 1, "text": line.text, "match": line.is_match}
            | ({"cell": line.cell._asdict()} if line.cell else {})
            for line in group.lines
        ],
        **({} if group.score is None else {"score": group.score}),
    }


def text(answer: Row) -> Text:
    """Return the totals, then each matching line."""
    n_lines, n_files = answer["total_lines"], answer["total_files"]
    lines, files = "line matches" if n_lines == 1 else "lines match", "file" + "s"[: n_files != 1]
    head = f"{n_lines:,} {lines} in {n_files:,} {files}" if n_lines else "nothing matches"
    counts = [f"{path_of(row)}: {row['lines']}" for row in rows_in(answer, "counts")]
    units = counts or [*_line_units(rows_in(answer, "groups"))]
    return Text.page(answer, [head], units, "files" if counts else "lines")


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


OPERATION = Operation(
    "grep",
    "Grep",
    "Lines that match a regular expression, exact totals, the definitions that hold them.",
    Grep,
    run,
    text,
    instead="For code by what it does use search.",
    lists=True,
)
