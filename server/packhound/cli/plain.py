"""Answers as lines of text, without what a terminal adds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from packhound.cli.terminal import echo, print_json
from packhound.core.records import byline
from packhound.core.titles import heading
from packhound.operations import plus
from packhound.redact import visible_line

Row: TypeAlias = Mapping[str, Any]
"""An object of an answer; `values` are those of the options."""
_FIRST_LINE = 100
"""Characters of a note that a list shows."""


def print_lines(answer: Row, values: Row) -> None:
    """Print the lines that a grep found below their definitions; on stderr what else to know."""
    for row in answer["counts"]:
        echo(f"{path_of(row)}:{row['lines']}")
    for group in answer["groups"]:
        first, last = group["start_line"], group["end_line"]
        lines = f"{first}-{last}" if last > first else f"{first}"
        title = visible_line(heading(group["kind"], group["qualname"]))
        echo(f"{plus(group)}{path_of(group)}:{lines} {title}")
        for line in group["lines"]:
            mark = ":" if line["match"] else "-"
            echo(f"{line['line']:>6}{_cell(line)}{mark} {visible_line(line['text'])}")
    for note in _totals(answer):
        echo(note, err=True)


def path_of(row: Row) -> str:
    """Return a path, which begins with its root where there are several."""
    return visible_line(f"{row['label']}/{row['path']}" if "label" in row else row["path"])


def _cell(line: Row) -> str:
    cell = line.get("cell")
    return f" cell {cell['number']}:{cell['line']}" if cell else ""


def _totals(answer: Row) -> Iterator[str]:
    more = f"; more from --offset {answer['next_offset']}" if answer["next_offset"] != -1 else ""
    lines, files = answer["total_lines"], answer["total_files"]
    line_noun, file_noun = "line" + "s"[: lines != 1], "file" + "s"[: files != 1]
    yield f"{lines:,} matching {line_noun} in {files:,} {file_noun}{more}"
    yield from (f"note: {note}" for note in answer["notes"])


def print_pack(answer: Row, values: Row) -> None:
    """Print the text of a pack, and on stderr what it costs."""
    if values["format"] == "json":
        print_json(answer)
        return
    echo(answer["text"])
    echo(f"{answer['tokens']:,} of {answer['budget']:,} tokens", err=True)
    for note in answer["notes"]:
        echo(f"note: {note}", err=True)


def print_costs(days: Sequence[Row]) -> None:
    """Print the tokens of packs and of answers to agents by folder and day, and their sum."""
    by_root = {day["root"]: [each for each in days if each["root"] == day["root"]] for day in days}
    for root, rows in by_root.items():
        echo(f"{visible_line(root)}:")
        for row in rows:
            echo(f"  {row['date']}  {_cost_of([row])}")
    echo(f"packs and answers to agents: {_cost_of(days)}")
    if days and not days[0]["cost"]:
        echo("note: set pack.model to a model of the table of prices for what they cost", err=True)


def _cost_of(days: Sequence[Row]) -> str:
    answers, tokens = (sum(day[key] for day in days) for key in ("answers", "tokens"))
    costs = [day["cost"] for day in days if day["cost"]]
    usd = f", ${sum(cost['usd'] for cost in costs):.2f} for {costs[0]['model']}" if costs else ""
    return f"{tokens:,} tokens in {answers:,} answers{usd}"


def print_settings(answer: Row, values: Row) -> None:
    """Print each setting: its value, where it came from, what it does."""
    for root in answer["roots"]:
        if len(answer["roots"]) > 1:
            echo(f"{root['root']}:")
        for row in root["settings"]:
            origin = f"{row['origin']} {row['file']}".rstrip()
            echo(f"{row['name']} = {json.dumps(row['value'], ensure_ascii=False)}  ({origin})")
            echo(f"    {row['description']}")


def print_notes(answer: Row, values: Row) -> None:
    """Print the first line of each note, and its code."""
    for problem in answer.get("problems", ()):
        echo(f"note: {problem}", err=True)
    for row in answer["notes"]:
        echo(_note_line(row))
        text = " ".join(
            str(row.get("content") or row.get("summary") or row.get("decision")).split()
        )
        echo(f"    {text[:_FIRST_LINE]}" + ("..." if len(text) > _FIRST_LINE else ""))
        for code in row["code"]:
            state = f" ({code['state']})" if code["state"] else ""
            echo(f"    on {visible_line(code['ref'])}{state}")
    if not answer["notes"]:
        echo("no notes")


def print_note(row: Row, values: Row) -> None:
    """Print a note whole, and what changed in its code."""
    echo(_note_line(row))
    for key in ("content", "summary", "decision", "reasoning"):
        if row.get(key):
            echo(f"\n{row[key]}")
    for code in row["code"]:
        echo(f"\non {visible_line(code['ref'])}" + (f": {code['state']}" if code["state"] else ""))
        if code["diff"]:
            echo(code["diff"])


def print_recorded(answer: Row, values: Row) -> None:
    """Print the id of an episode."""
    echo(f"recorded as {answer['id']}")


def _note_line(row: Row) -> str:
    name = row.get("key") or row.get("name") or row.get("topic") or ""
    state = f"  [{row['state']}]" if row["state"] else ""
    whose = f"  {row['label']}" if "label" in row else ""
    return visible_line(
        f"{row['id']}  {row['date']}  {row['type']:8}  {name}  ({byline(row)}){whose}{state}"
    )
