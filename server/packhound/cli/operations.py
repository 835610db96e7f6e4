"""The commands that ask an operation: made from the registry, and from what only they have.

An operation that is in no table here is a command of its name, which prints the text that agents
get.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from packhound import cli
from packhound.cli import plain
from packhound.cli.fields import add_fields, given, help_on_arguments
from packhound.cli.opening import Asker
from packhound.cli.options import (
    ALONE,
    AT,
    BATCH,
    HTML,
    JSON,
    MODEL,
    PATCH,
    ROOT,
    ROOTS,
    SET,
    TRACE,
    Command,
    read_patch,
)
from packhound.cli.plain import Row
from packhound.cli.terminal import echo, echo_line, print_json
from packhound.cli.tracing import writing_trace
from packhound.core.errors import SettingsError, os_error_as
from packhound.core.typed import fields_of
from packhound.operations import NOT_FOUND, OPERATIONS, Operation, as_page, as_text
from packhound.redact import visible_line

_MAX_TOKENS = 100_000
"""A person can scroll."""
_FROM_FILE = (
    "A diff is given as the file that has it, as -, which is standard input, or as its text."
)

ELSEWHERE = {
    "remember": "memory add",
    "decide": "memory add",
    "stash": "memory add",
    "memory/add": "memory add",
    "forget": "memory forget",
    "memory/forget": "memory forget",
    "record_episode": "memory record",
    "docs": "docs",
    "rebuild_sources": "rebuild",
    "forget_use": "clear",
}
"""Operations that a command asks which does more than that."""


@dataclass(frozen=True)
class Form:
    """The command of an operation, as far as the request does not say it.

    `arguments` are given by position, as are the fields that are required. `fixed` are fields that
    have no option, since the command prints what they ask for. The exit code is 1 where the answer
    has nothing under `needs`, or false. `--json` prints `as_json` of the answer.
    """

    name: str = ""
    help: str = ""
    arguments: Sequence[str] = ()
    names: Mapping[str, Sequence[str]] | None = None
    defaults: Mapping[str, object] | None = None
    fixed: Row | None = None
    options: Sequence[Callable[[Command], Command]] = ()
    print: Callable[[Row, Row], None] | None = None
    needs: str = ""
    as_json: Callable[[Row], Row] = dict


def _print_results(answer: Row, values: Row) -> None:
    boxes = values.get("show_scores", False)
    cli.show.results(answer, boxes=boxes)
    for row in answer.get("also", ()):
        echo(f"\n== {visible_line(row['asked'])}")
        if "error" in row:
            echo_line(row["error"])
        else:
            cli.show.results(row, boxes=boxes)


def _print_box(answer: Row, values: Row) -> None:
    cli.show.box(answer, all_signals=values["all_signals"])


def _print_status(answer: Row, values: Row) -> None:
    for row in answer.get("roots", [answer]):
        cli.show.status(row)
    for row in answer.get("skipped_files", ()):
        echo(f"{plain.path_of(row)}: {row['reason']}")
    for n, row in enumerate(answer.get("folders", ())):
        if not n:
            echo("definitions    files  folder")
        echo(f"{row['nodes']:>11,} {row['files']:>8,}  {plain.path_of(row)}")
    if memory := answer.get("memory_bytes"):
        echo(f"memory of this process without its parsers: {memory / 1e6:,.0f} MB")
    if "costs" in answer:
        plain.print_costs(answer["costs"])


FORMS = {
    "search": Form(
        defaults={"snippet_lines": 0},
        fixed={"explain": True},
        options=(
            click.option(
                "--show-scores", is_flag=True, help="Draw a box per hit with what made its score."
            ),
        ),
        print=_print_results,
    ),
    "grep": Form(
        help="The exit code is 1 if there are none.",
        names={
            "structural": ("--pattern",),
            "regex": ("--regex/--fixed-strings", " /-F"),
            "paths": ("--glob", "-g"),
            "count_only": ("--count", "-c"),
            "context": ("--context", "-C"),
        },
        defaults={"limit": 200},
        options=(
            click.option(
                "--ignore-case", "-i", "case", flag_value="ignore", help="In any letter case."
            ),
            click.option(
                "--smart-case", "-S", "case", flag_value="smart", help="So unless it has capitals."
            ),
        ),
        print=plain.print_lines,
        needs="total_lines",
    ),
    "related": Form(defaults={"snippet_lines": 0}),
    "changes": Form(arguments=("base",)),
    "outline": Form(arguments=("path",)),
    "read_node": Form(
        "show",
        "PATH of a note, commit or another record is its reference in a search: note:ID, ...",
        names={"limit": ("--lines",)},
        defaults={"limit": 2_000},
    ),
    "explain": Form(
        options=(
            click.option("--all", "all_signals", is_flag=True, help="Every signal of each group."),
        ),
        print=_print_box,
    ),
    "pack": Form(
        help="PROMPT - is read from standard input.",
        arguments=("prompt",),
        names={"budget": ("--budget", "-b"), "model": ("--for",)},
        fixed={"explain": True},
        print=plain.print_pack,
    ),
    "status": Form(fixed={"sources": True}, print=_print_status),
    "config": Form(
        help="Where a daemon has the folder open, these are its settings.",
        print=plain.print_settings,
        as_json=lambda answer: answer["roots"][0] if len(answer["roots"]) == 1 else answer,
    ),
    "check": Form(
        help=f"{_FROM_FILE} Runs only where 'changes.run' and 'folders.trusted' of your own "
        "settings allow it. The exit code is 1 unless the check passed.",
        names={"diff": ("--patch",), "runners": ("--runner",)},
        options=(TRACE,),
        needs="passed",
    ),
    "propose": Form("overlay add", _FROM_FILE),
    "overlays": Form("overlay list"),
    "overlay": Form("overlay show"),
    "edit_overlay": Form("overlay edit", _FROM_FILE),
    "discard_overlay": Form("overlay discard"),
    "accept": Form("overlay accept", _FROM_FILE),
    "reject": Form("overlay reject"),
    "memory/list": Form(print=plain.print_notes),
    "memory/search": Form(print=plain.print_notes),
    "memory/show": Form(print=plain.print_note),
    "memory/episode": Form("memory record", print=plain.print_recorded),
    "recall": Form("memory recall"),
    "pop": Form("memory pop"),
}


def words_of(name: str) -> str:
    """Return the words of the command that asks an operation."""
    form = FORMS.get(name)
    return (form and form.name) or name.replace("/", " ").replace("_", "-")


def command_of(operation: Operation, form: Form) -> click.Command:
    """Return the command that asks an operation."""
    name = words_of(operation.name).split()[-1]
    command = click.Command(name, callback=partial(_run, operation, form))
    defaults, omit = dict(form.defaults or {}), [*(form.fixed or ())]
    if form.print:
        omit.append("max_tokens")
    else:
        defaults["max_tokens"] = _MAX_TOKENS
    add_fields(command, operation.request, form.arguments, form.names, defaults, omit)
    shared = (ROOT, JSON) if operation.writes else (ROOTS, JSON, BATCH, SET, MODEL, ALONE, TRACE)
    if not operation.writes and operation.asks_elsewhere:
        shared = (*shared, AT)
    if operation.takes_patch:
        shared = (*shared, PATCH)
    if operation.page:
        shared = (*shared, HTML)
    for option in (*form.options, *shared):
        option(command)
    texts = operation.description, help_on_arguments(command, operation.request), form.help
    command.help = "\n\n".join(filter(None, texts))
    return command


def _run(
    operation: Operation,
    form: Form,
    as_json: bool,
    root: Path | None = None,
    roots: Sequence[Path] = (),
    batch: str | None = None,
    encoder_path: str = "",
    changes: Sequence[str] = (),
    alone: bool = False,
    at: str = "",
    trace_file: Path | None = None,
    page_file: Path | None = None,
    **values: Any,  # noqa: ANN401 - fields of the request, and options of the form
) -> None:
    """Ask an operation and print its answer, or those to the lines of a batch."""
    fields = fields_of(operation.request)
    required = [name for name, field in fields.items() if field.required]
    asked = given({name: value for name, value in values.items() if name in fields})
    if sum(name in asked for name in required) != (len(required) if batch is None else 0):
        words = " ".join((form.names or {}).get(name, (name.upper(),))[0] for name in required)
        either = f"give {words}" if operation.writes else f"give either {words} or --batch FILE"
        raise SettingsError(either)
    if asked.get("prompt") == "-":
        asked["prompt"] = sys.stdin.buffer.read().decode("utf-8", "replace")
    for key in ("patch", "diff", "proposal"):
        if values.get(key):
            asked[key] = read_patch(values[key])
    arguments = {**(form.fixed or {}), **asked, **({"root": at} if at else {})}
    if page_file:
        arguments |= _page_fields(
            operation, alone=not (as_json or batch is not None or "also" in asked)
        )
    roots = [root] if root else roots
    with (
        writing_trace(trace_file) as traced,
        Asker(roots, encoder_path, changes, alone=alone, traced=traced) as asker,
    ):
        if batch is not None:
            n_refused = 0
            for answer, problem in _answers(asker, operation.name, batch, arguments):
                print_json(answer)
                if problem:
                    n_refused += 1
                    echo_line(f"Error: {problem}", err=True)
            sys.exit(2 if n_refused else 0)
        answer = asker.answer(operation.name, arguments)
    if answer.get("status") == NOT_FOUND:
        raise SettingsError(f"there is no note '{asked['id']}'; 'packhound memory list' lists them")
    if page_file:
        _write_page(page_file, as_page(operation.name, answer, arguments))
    elif as_json:
        print_json(form.as_json(answer))
    else:
        _print(operation, form, answer, values, arguments)
    sys.exit(1 if form.needs and not answer[form.needs] else 0)


def _print(operation: Operation, form: Form, answer: Row, values: Row, arguments: Row) -> None:
    if form.print:
        form.print(answer, values)
    else:
        echo(as_text(operation.name, answer, arguments))


def _page_fields(operation: Operation, *, alone: bool) -> Row:
    """Return what the page of an operation asks for. Raises SettingsError: it is not `alone`."""
    if not alone or operation.page is None:
        raise SettingsError("--html goes with neither --json, --batch nor --also")
    return operation.page.fields


def _write_page(file: Path, page: str) -> None:
    """Write a page for its user alone. Raises SettingsError that names the file."""
    with os_error_as(SettingsError, f"--html '{file}'"):
        file.write_text(page, "utf-8", errors="replace", newline="\n")
    echo(f"wrote {file}", err=True)


def _answers(asker: Asker, name: str, file: str, arguments: Row) -> Iterator[tuple[Row, str]]:
    """Yield the answer to each line; of one that is refused an `error`, and what names the line.

    Raises SettingsError: the file cannot be read.
    """
    with os_error_as(SettingsError, f"--batch '{file}'"):
        lines = click.open_file(file, encoding="utf-8", errors="replace")
    with lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield asker.answer(name, {**arguments, **_request_of(line)}), ""
            except SettingsError as problem:
                refusal = str(problem)
                yield (
                    {"line": number, "error": refusal},
                    f"--batch '{file}' line {number}: {refusal}",
                )


def _request_of(line: str) -> Row:
    """Return the request in a line of a batch. Raises SettingsError."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"it is not JSON: {error}") from None
    if not isinstance(request, dict):
        raise SettingsError("must be an object with the fields of a request")
    return request


COMMANDS: dict[str, click.Command] = {
    words_of(name): command_of(operation, FORMS.get(name, Form()))
    for name, operation in OPERATIONS.items()
    if name not in ELSEWHERE
}
"""Commands by their words: `memory list` is one of the group `memory`."""
