"""`packhound eval TASKS.jsonl --run`: how many tasks the patches of a proposer solve."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec
from rich.table import Table

from packhound import runs, service
from packhound.cli.console import Terminal
from packhound.cli.opening import Asker
from packhound.core.settings_files import FolderSettings
from packhound.evaluation import (
    Command,
    Recorded,
    Solved,
    base_of,
    load_tasks,
    pass_rates,
    solve,
)
from packhound.operations import as_text
from packhound.redact import visible_line

POLICIES = ("none", "pack", "search")


def run_tasks(
    suite: Path, policies: Sequence[str], command: str, budget: int, attempts: int
) -> list[Solved]:
    """Have each task solved with each policy. Raises SettingsError: what may not run."""
    tasks, table = load_tasks(suite), runs.read_table()
    for task in tasks:
        in_force = FolderSettings(task.folder).read()
        service.may_run(task.folder, in_force.settings, trusted=in_force.trusted)
    proposer = Command(command) if command else Recorded()
    solved = list[Solved]()
    for task in tasks:
        kept = service.index_folder(task.folder) / "checks"
        with base_of(task) as folder:
            for policy in policies or ("none",):
                context = _context(folder, policy, task.statement, budget)
                solved.append(solve(task, folder, proposer, policy, context, table, kept, attempts))
                last = visible_line(solved[-1].outcomes[-1])[:200]
                click.echo(f"{task.name} ({policy}): {last}", err=True)
    return solved


def _context(folder: Path, policy: str, statement: str, budget: int) -> str:
    """Return the code that a policy gives for a task, as text."""
    if policy == "none":
        return ""
    with Asker([folder], alone=True) as asker:
        if policy == "pack":
            arguments = {"prompt": statement, "budget": budget}
        else:
            arguments = {"query": statement, "max_tokens": budget, "snippet_lines": 60}
        return as_text(policy, asker.answer(policy, arguments), arguments)


def report(solved: Sequence[Solved], out: Path | None, *, as_json: bool) -> None:
    """Print pass rates by policy, side by side."""
    rows = pass_rates(solved)
    outcomes = [msgspec.to_builtins(each) for each in solved]
    if out:
        out.write_text(json.dumps(outcomes, indent=1), "utf-8")
    if as_json:
        click.echo(json.dumps({"policies": rows, "tasks": outcomes}))
        return
    columns = list(next(iter(rows.values())))
    table = Table("policy", *columns, box=None, pad_edge=False, header_style="bold")
    for policy, row in rows.items():
        table.add_row(policy, *(f"{row[column]:g}" for column in columns))
    Terminal().print(table)
