"""`packhound grep`: matching lines, grouped by the definitions that hold them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from packhound.cli.opening import Asker
from packhound.cli.options import JSON, ROOTS
from packhound.cli.terminal import echo, print_json
from packhound.core.titles import heading
from packhound.redact import visible_line


@click.command()
@click.argument("pattern")
@ROOTS
@click.option("--fixed-strings", "-F", is_flag=True, help="PATTERN is a literal.")
@click.option("--ignore-case", "-i", "case", flag_value="ignore", help="In any letter case.")
@click.option("--smart-case", "-S", "case", flag_value="smart", help="So unless it has capitals.")
@click.option("--glob", "-g", "paths", multiple=True, metavar="GLOB", help="Only paths like this.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="No such paths.")
@click.option("--count", "-c", "count_only", is_flag=True, help="Only count the lines of files.")
@click.option("--context", "-C", default=0, metavar="N", help="Show N lines around each.")
@click.option("--query", default="", help="Rank the definitions by this question.")
@click.option("--limit", "-n", default=200, show_default=True, help="Matching lines at most.")
@click.option("--offset", default=0, help="Skip so many.")
@JSON
def grep(
    pattern: str,
    roots: Sequence[Path],
    fixed_strings: bool,
    case: str | None,
    as_json: bool,
    **options: Any,  # noqa: ANN401 - fields of the request, checked there
) -> None:
    """Find the lines that match PATTERN, a regular expression, and what they belong to.

    The exit code is 1 if there are none.
    """
    values = {"pattern": pattern, "regex": not fixed_strings, **options}
    with Asker(roots) as asker:
        answer = asker.answer("grep", {**values, "case": case} if case else values)
    if as_json:
        print_json(answer)
    else:
        for line in _text(answer):
            echo(line)
        for note in _notes(answer):
            echo(note, err=True)
    sys.exit(0 if answer["total_lines"] else 1)


def _text(answer: Mapping[str, Any]) -> Iterator[str]:
    for row in answer["counts"]:
        yield f"{_path(row)}:{row['lines']}"
    for group in answer["groups"]:
        first, last = group["start_line"], group["end_line"]
        lines = f"{first}-{last}" if last > first else f"{first}"
        yield f"{_path(group)}:{lines} {_heading(group)}"
        yield from (
            f"{line['line']:>6}{_cell(line)}{':' if line['match'] else '-'} "
            + visible_line(line["text"])
            for line in group["lines"]
        )


def _heading(group: Mapping[str, Any]) -> str:
    return visible_line(heading(group["kind"], group["qualname"]))


def _path(row: Mapping[str, Any]) -> str:
    """Return a path, which begins with its root where there are several."""
    return visible_line(f"{row['label']}/{row['path']}" if "label" in row else row["path"])


def _cell(line: Mapping[str, Any]) -> str:
    cell = line.get("cell")
    return f" cell {cell['number']}:{cell['line']}" if cell else ""


def _notes(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the totals and what else to know."""
    more = f"; more from --offset {answer['next_offset']}" if answer["next_offset"] != -1 else ""
    lines, files = answer["total_lines"], answer["total_files"]
    line_noun, file_noun = "line" + "s"[: lines != 1], "file" + "s"[: files != 1]
    yield f"{lines:,} matching {line_noun} in {files:,} {file_noun}{more}"
    yield from (f"note: {note}" for note in answer["notes"])
