"""`packhound eval TASKS.jsonl --run`: how many tasks the patches of a proposer solve."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click
import msgspec
from rich.table import Table

from packhound import evaluation, runs, service
from packhound.cli.console import Terminal
from packhound.cli.opening import Asker
from packhound.core.errors import SettingsError
from packhound.core.settings_files import FolderSettings
from packhound.operations import as_text
from packhound.redact import visible_line

_MAX_BUDGET = 100_000
_POLICY = re.compile(r"(none|pack|search)(\+skills)?(?::([1-9]\d{2,5}))?")


def run_tasks(
    suite: Path, policies: Sequence[str], command: str, budget: int, attempts: int
) -> list[evaluation.Solved]:
    """Have each task solved with each policy. Raises SettingsError: what may not run."""
    read = [_read_policy(each, budget) for each in policies or ("none",)]
    tasks, table = evaluation.load_tasks(suite), runs.read_table()
    for task in tasks:
        in_force = FolderSettings(task.folder).read()
        service.may_run(task.folder, in_force.settings, trusted=in_force.trusted)
    proposer = evaluation.Command(command) if command else evaluation.Recorded()
    solved = list[evaluation.Solved]()
    for task in tasks:
        kept = service.index_folder(task.folder) / "checks"
        with evaluation.base_of(task) as folder:
            for policy in read:
                context = _context(folder, policy, task)
                name = policy.name
                solved.append(
                    evaluation.solve(task, folder, proposer, name, context, table, kept, attempts)
                )
                last = visible_line(solved[-1].outcomes[-1])[:200]
                click.echo(f"{task.name} ({name}): {last}", err=True)
    return solved


class _Policy(NamedTuple):
    """Context for a proposer: `kind` of code within a budget of tokens, maybe skills too."""

    name: str
    kind: str
    has_skills: bool
    budget: int


def _read_policy(text: str, budget: int) -> _Policy:
    """Read `pack`, `search+skills:4000`. Raises SettingsError."""
    match = _POLICY.fullmatch(text)
    if match is None or int(match[3] or 0) > _MAX_BUDGET:
        raise SettingsError(
            f"--policy is '{text}'; expected none, pack or search, with '+skills' and ':TOKENS',"
            f" from 100 to {_MAX_BUDGET:,}, if you like"
        )
    return _Policy(text, match[1], bool(match[2]), int(match[3] or budget))


def _context(folder: Path, policy: _Policy, task: evaluation.Task) -> str:
    """Return what a policy gives for a task, as text."""
    parts, statement = list[str](), task.statement
    if policy.has_skills:
        with Asker([task.folder], alone=True) as asker:
            parts.append(asker.known(statement))
    if policy.kind != "none":
        with Asker([folder], alone=True) as asker:
            if policy.kind == "pack":
                arguments = {"prompt": statement, "budget": policy.budget}
            else:
                arguments = {"query": statement, "max_tokens": policy.budget, "snippet_lines": 60}
            parts.append(as_text(policy.kind, asker.answer(policy.kind, arguments), arguments))
    return "\n\n".join(filter(None, parts))


def report(solved: Sequence[evaluation.Solved], out: Path | None, *, as_json: bool) -> None:
    """Print pass rates by policy, side by side."""
    rows = evaluation.pass_rates(solved)
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
